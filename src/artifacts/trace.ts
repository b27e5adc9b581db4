/** Trace: one rollout, kept whole: messages, tool-call ledger, events, and who produced it. */
import { z } from 'zod';
import { Detail } from './disclosure.js';
import { Name } from './table.js';
import { Touch } from './touch.js';
import { Hash } from './world.js';

export { Touch };

export const ToolCall = z.strictObject({
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.json()),
  /** What the model wrote for arguments where that is no JSON object; `arguments` is empty then. */
  malformed: z.string().optional(),
});

export const Message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  /** The model's reasoning, kept as it gave it. */
  reasoning: z.string().optional(),
  toolCalls: z.array(ToolCall).optional(),
  toolCallId: z.string().optional(),
  name: z.string().optional(),
});

export const LedgerEntry = z.strictObject({
  index: z.number().int().min(0),
  service: Name.or(z.literal('')),
  /** As the agent named it. */
  tool: z.string(),
  /** Content address of the tool's definition; empty for a tool that does not exist. */
  toolVersion: z.string(),
  args: z.json(),
  ok: z.boolean(),
  /** What the agent saw. */
  result: z.json(),
  /** Error code, and whose error it was. */
  error: z
    .strictObject({ code: z.string(), fault: z.enum(['agent', 'world', 'injected', 'infrastructure']) })
    .optional(),
  touched: z.array(Touch),
  /** The answer is an injected fault's: an error, or a lie. The agent is not told. */
  injected: z.strictObject({ profile: z.enum(['P1', 'P2', 'P3', 'P4']), rule: z.string() }).optional(),
  /** Virtual time before the call, unix seconds. */
  at: z.number().int(),
});

/** Token ids where the model gave them; spans of the sequence that are the model's own have mask 1. */
export const Tokens = z.strictObject({
  inputIds: z.array(z.number().int()),
  mask: z.array(z.union([z.literal(0), z.literal(1)])),
  logprobs: z.array(z.number()).optional(),
});

export const Producer = z.strictObject({
  /** `stale`: the old reference in a scenario, as if nothing had happened. */
  policy: z.enum(['reference', 'stale', 'scripted', 'model', 'harness', 'none']),
  /** Model or harness name; the mistake plan of a scripted policy. */
  name: z.string(),
  /** The model behind a harness, as it was asked for. */
  model: z.string().optional(),
  /** Version of the harness that ran, as it told it. */
  version: z.string().optional(),
  seed: z.string().optional(),
  sampling: z.record(z.string(), z.json()).optional(),
});

/**
 * What a simulated user can get wrong by its own briefing. `tells_early`: of a later stage; `tells_unasked`: what was to be asked
 * for; `tells_secret`: ids and answers, which have to be looked up. Of these three an agent may profit; the others mislead it.
 */
export const USER_MISTAKES = [
  'tells_secret',
  'tells_early',
  'tells_unasked',
  'contradicts',
  'makes_up',
  'withholds',
  'asks_otherwise',
  'ends_early',
  'repeats',
  'breaks_role',
  'says_nothing',
  'rambles',
] as const;

export const UserMistake = z.strictObject({ kind: z.enum(USER_MISTAKES), why: z.string() });

/** Where events come from (dynaweave.txt), with faults of tools, and information that revises nothing. */
export const EVENT_SOURCES = ['requirement', 'state', 'information', 'distractor', 'fault'] as const;

/** What happened in a scenario, in its order: what became of an event, or what was told of one. The two logs are apart. */
export const TraceEvent = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('fate'),
    event: z.string(),
    /** `distractor`: it revises nothing. */
    source: z.enum(EVENT_SOURCES),
    fate: z.enum(['fired', 'skipped', 'expired']),
    /** Virtual time, unix seconds. */
    at: z.number().int(),
    /** Entries of the ledger by then. */
    calls: z.number().int().min(0),
    reason: z.string().optional(),
    /** Rows it changed. */
    touched: z.array(Touch),
  }),
  z.strictObject({
    kind: z.literal('notice'),
    event: z.string(),
    to: z.enum(['user', 'environment']),
    text: z.string(),
    at: z.number().int(),
    calls: z.number().int().min(0),
    /** Index of the message that told it; absent where it came with a tool's result, or the rollout ended before. */
    message: z.number().int().min(0).optional(),
  }),
]);

/** One thing that a simulated user said. */
export const UserTurn = z.strictObject({
  /** Index of its message. */
  message: z.number().int().min(0),
  stage: Name,
  /**
   * `requests` begins a stage; `insists` repeats what is wanted; `interjects` says what an event brought up, unasked; `leaves` ends
   * the conversation before its end, `ends` at it.
   */
  act: z.enum([
    'requests',
    'tells',
    'does_not_know',
    'confirms',
    'tells_rest',
    'insists',
    'interjects',
    'leaves',
    'ends',
  ]),
  /** Facts that it tells, by id. */
  facts: z.array(Name),
  /** `script`: a user with mistakes that were drawn. */
  by: z.enum(['rules', 'model', 'script']),
  /** Why the model's (or script's) message was not taken. */
  refused: z.string().optional(),
  /** What is wrong with the message, or was with the one that was not taken. Without `refused` the agent has heard it. */
  mistakes: z.array(UserMistake).optional(),
});

/** Where a stage lies in a rollout: what happened up to its end is judged by its milestone. */
export const StageMark = z.strictObject({
  node: Name,
  /** Index of the message that asks for it. */
  asked: z.number().int().min(0),
  /** Index of the reply that ended it; absent: it never ended. */
  ended: z.number().int().min(0).optional(),
  /** Entries of the ledger up to its end. */
  calls: z.number().int().min(0),
});

/** A conversation with a simulated user. */
export const Dialogue = z.strictObject({
  persona: z.string(),
  /** The model that worded it; absent: rules did. */
  model: z.string().optional(),
  /** What it said was let through with its mistakes: it spoke for itself. */
  trusted: z.boolean().optional(),
  turns: z.array(UserTurn),
  stages: z.array(StageMark),
});

/** How a rollout came about, where it was not simply run from the task's beginning to its end (rollout.md; weft.txt 3.3.1). */
export const Origin = z.discriminatedUnion('kind', [
  /** Accepted by prefix-preserving sampling: the attempts each stage took, in order. */
  z.strictObject({
    kind: z.literal('prefix'),
    retries: z.number().int().min(0),
    stages: z.array(z.strictObject({ node: Name, attempts: z.number().int().min(1) })),
  }),
  /** A dropped attempt at one stage: history up to message `from` is the kept prefix, what follows is the failed attempt. */
  z.strictObject({
    kind: z.literal('negative'),
    /** Names the logical rollout: kept trajectory and dropped attempts share it. */
    rollout: z.string(),
    node: Name,
    attempt: z.number().int().min(1),
    from: z.number().int().min(0),
  }),
  /** One of a group of branches that share snapshot and history up to message `from`. */
  z.strictObject({
    kind: z.literal('branch'),
    group: z.string(),
    index: z.number().int().min(0),
    from: z.number().int().min(0),
  }),
]);

/** What the recording gateway saw of a rollout through a harness. */
export const GatewayFacts = z.strictObject({
  dialect: z.enum(['openai', 'anthropic']),
  /** Requests that the backend answered; requests made again after a failure of the backend. */
  exchanges: z.number().int().min(0),
  retried: z.number().int().min(0),
  /** The harness changed or shortened history between requests: `messages` is its last request with the reply. */
  rewritten: z.boolean(),
  /** Versions of the weights that answered, in order, where the backend told them: more than one is a policy updated meanwhile. */
  weights: z.array(z.string()).optional(),
});

export const Trace = z.strictObject({
  treadle: z.literal('trace/1'),
  id: z.string(),
  task: Hash,
  taskId: z.string(),
  world: Hash,
  snapshot: Hash,
  producer: Producer,
  user: z.enum(['none', 'simulated']),
  detail: Detail,
  /** With `user: simulated`. */
  dialogue: Dialogue.optional(),
  messages: z.array(Message),
  ledger: z.array(LedgerEntry),
  /** The scenario it ran in; absent: the task stood still. */
  scenario: z
    .strictObject({
      id: z.string(),
      hash: Hash,
      /** Of its events, sorted. */
      sources: z.array(z.enum(EVENT_SOURCES)),
    })
    .optional(),
  events: z.array(TraceEvent),
  /** The final answer; empty when none was given. */
  answer: z.string(),
  /** `user_left`: a simulated user ran out of patience. `budget`: tokens or money ran out (`problem` says which). */
  finish: z.enum(['answered', 'user_left', 'turn_limit', 'length', 'budget', 'cut', 'error']),
  /** Why a rollout was cut or broke, with the code and whose fault it was. */
  problem: z.strictObject({ code: z.string(), message: z.string(), fault: z.string() }).optional(),
  usage: z.strictObject({
    turns: z.number().int(),
    calls: z.number().int(),
    promptTokens: z.number().int().optional(),
    completionTokens: z.number().int().optional(),
    /** US dollars, where prices were given. */
    cost: z.number().min(0).optional(),
  }),
  tokens: Tokens.optional(),
  /** Rules of the faults that were injected into its calls; which calls they struck is in the ledger. */
  faults: z.strictObject({ rules: z.array(z.string()).min(1), seed: z.string() }).optional(),
  origin: Origin.optional(),
  gateway: GatewayFacts.optional(),
});

export type ToolCall = z.infer<typeof ToolCall>;
export type Message = z.infer<typeof Message>;
export type LedgerEntry = z.infer<typeof LedgerEntry>;
export type UserMistake = z.infer<typeof UserMistake>;
export type EventSource = (typeof EVENT_SOURCES)[number];
export type TraceEvent = z.infer<typeof TraceEvent>;
export type UserTurn = z.infer<typeof UserTurn>;
export type StageMark = z.infer<typeof StageMark>;
export type Dialogue = z.infer<typeof Dialogue>;
export type Producer = z.infer<typeof Producer>;
export type Origin = z.infer<typeof Origin>;
export type GatewayFacts = z.infer<typeof GatewayFacts>;
export type Tokens = z.infer<typeof Tokens>;
export type Trace = z.infer<typeof Trace>;
