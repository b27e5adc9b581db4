/** Trace: one rollout, kept whole: messages, tool-call ledger, events, and who produced it. */
import { z } from 'zod';
import { Name } from './table.js';
import { Hash } from './world.js';

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

/** Rows a call touched: the evidence that attribution reads (evolve.md). */
export const Touch = z.strictObject({
  service: Name,
  table: Name,
  key: z.union([z.string(), z.number()]),
  change: z.enum(['insert', 'update', 'delete']),
  cols: z.array(Name),
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
  policy: z.enum(['reference', 'scripted', 'model', 'harness', 'none']),
  /** Model or harness name; the mistake plan of a scripted policy. */
  name: z.string(),
  seed: z.string().optional(),
  sampling: z.record(z.string(), z.json()).optional(),
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
  detail: z.enum(['vague', 'partial', 'full']),
  messages: z.array(Message),
  ledger: z.array(LedgerEntry),
  events: z.array(z.json()),
  /** The final answer; empty when none was given. */
  answer: z.string(),
  finish: z.enum(['answered', 'turn_limit', 'length', 'cut', 'error']),
  /** Why a rollout was cut or broke, with the code and whose fault it was. */
  problem: z.strictObject({ code: z.string(), message: z.string(), fault: z.string() }).optional(),
  usage: z.strictObject({
    turns: z.number().int(),
    calls: z.number().int(),
    promptTokens: z.number().int().optional(),
    completionTokens: z.number().int().optional(),
  }),
  tokens: Tokens.optional(),
});

export type ToolCall = z.infer<typeof ToolCall>;
export type Message = z.infer<typeof Message>;
export type Touch = z.infer<typeof Touch>;
export type LedgerEntry = z.infer<typeof LedgerEntry>;
export type Producer = z.infer<typeof Producer>;
export type Trace = z.infer<typeof Trace>;
