/** The canonical training row: a conversation with its tools, and where it comes from. */
import type { Task } from '../../artifacts/task.js';
import type { Message, Trace } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import type { Json } from '../../kit/hash.js';
import type { SessionTool } from '../../serve/tool-host.js';
import { behaviourOf, FLAG_IDS } from '../../verify/behaviour/registry.js';
import { type Reward, type RewardShape, rewardOf } from '../../verify/reward.js';
import { eventsOf, harnessOf, isNegative, modelOf } from './facets.js';
import { toolsCovering } from './offered.js';
import { type RowScenario, replyAfterFiring, rowScenario } from './scenario.js';
import { wellFormed } from './well-formed.js';

export const SFT_SCHEMA = 'treadle-sft/3';

export interface RowCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: Record<string, Json> };
  /** What was written for arguments where that is no JSON object; formats whose arguments are text show it. */
  malformed?: string;
}

export interface RowMessage {
  role: Message['role'];
  content: string;
  reasoning_content?: string;
  tool_calls?: RowCall[];
  tool_call_id?: string;
  name?: string;
}

export interface RowTool {
  type: 'function';
  function: { name: string; description: string; parameters: Json };
}

/** `reference` is a replay of the task's own solution, `scripted` a replay with mistakes; neither is a model. Empty: does not apply. */
export interface RowProducer {
  policy: string;
  name: string;
  model: string;
  harness: string;
  /** Of the harness. */
  version: string;
  seed: string;
  /** JSON: what it holds differs from model to model. */
  sampling: string;
}

/** How the rollout came about (artifacts/trace.ts, Origin); `whole` where it simply ran. */
export interface RowOrigin {
  kind: string;
  /** The logical rollout of a dropped attempt, the group of a branch. */
  of: string;
  node: string;
  attempt: number;
  retries: number;
  /** First message that is not shared; -1: none is. */
  from: number;
}

/** Every row has every field, so that columnar loaders see one type. */
export interface RowMetadata {
  schema_version: typeof SFT_SCHEMA;
  trace_id: string;
  task_id: string;
  task: string;
  world_id: string;
  world: string;
  lineage: { template: string; seed: string };
  kind: string;
  /** How long and broad a composed task is; empty for others. */
  profile: string;
  /** Sources of the events that fired, joined by `+`; empty for none. */
  events: string;
  /** The scenario it ran in. */
  scenario: RowScenario;
  view: { user: string; detail: string };
  /** Rules of the injected faults that it ran under, joined by blanks; empty for none. */
  faults: string;
  producer: RowProducer;
  origin: RowOrigin;
  verdict: { pass: boolean; milestones: number; milestones_passed: number };
  /** False: a failed rollout, or an attempt that sampling dropped. */
  label: boolean;
  /** With `label` false: what went wrong lies from this message on. -1 otherwise. */
  negative_from: number;
  /** By flag of verify/behaviour: how often the rollout shows it. */
  behaviour: Record<string, number>;
  /** `total` is `base` less the penalties, by flag; 0 where a flag costs nothing or was not seen. */
  reward: { shape: RewardShape; base: number | null; penalties: Record<string, number>; total: number | null };
  turns: number;
  calls: number;
}

export interface SftRow {
  messages: RowMessage[];
  tools: RowTool[];
  metadata: RowMetadata;
}

/** One rollout with what judged it, as the exporter takes it. */
export interface ExportItem {
  trace: Trace;
  verdict: Verdict;
  task: Task;
  /** The tools the rollout was offered. */
  tools: readonly SessionTool[];
  /** Absent: 1 for a pass, 0 for none. */
  reward?: Reward;
}

const rowMessage = (message: Message): RowMessage => ({
  role: message.role,
  content: message.content,
  ...(message.reasoning === undefined ? {} : { reasoning_content: message.reasoning }),
  ...(message.toolCalls?.length
    ? {
        tool_calls: message.toolCalls.map(({ id, name, arguments: args, malformed }) => ({
          id,
          type: 'function' as const,
          function: { name, arguments: args },
          ...(malformed === undefined ? {} : { malformed }),
        })),
      }
    : {}),
  ...(message.toolCallId === undefined ? {} : { tool_call_id: message.toolCallId }),
  ...(message.name === undefined ? {} : { name: message.name }),
});

const rowTool = ({ name, description, inputSchema }: SessionTool): RowTool => ({
  type: 'function',
  function: { name, description, parameters: inputSchema as Json },
});

/** Every flag with its number, so that all rows have one type. */
const byFlag = (number: (flag: string) => number): Record<string, number> =>
  Object.fromEntries(FLAG_IDS.map((flag) => [flag, number(flag)]));

const producerOf = ({ producer }: Trace): RowProducer => ({
  policy: producer.policy,
  name: producer.name,
  model: modelOf(producer),
  harness: harnessOf(producer),
  version: producer.version ?? '',
  seed: producer.seed ?? '',
  sampling: JSON.stringify(producer.sampling ?? {}),
});

const originOf = ({ origin }: Trace): RowOrigin => {
  const none: RowOrigin = { kind: 'whole', of: '', node: '', attempt: 0, retries: 0, from: -1 };
  if (!origin) return none;
  if (origin.kind === 'prefix') return { ...none, kind: 'prefix', retries: origin.retries };
  if (origin.kind === 'branch') return { ...none, kind: 'branch', of: origin.group, from: origin.from };
  const { rollout, node, attempt, from } = origin;
  return { ...none, kind: 'negative', of: rollout, node, attempt, from };
};

/**
 * Where a failed row's own part begins: behind the kept prefix of a dropped attempt, where the stale plan goes on as if nothing had
 * happened (until then it is the reference's), else at the first reply.
 */
const negativeFrom = (trace: Trace): number => {
  if (trace.origin?.kind === 'negative') return trace.origin.from;
  const after = trace.producer.policy === 'stale' ? replyAfterFiring(trace) : -1;
  return after >= 0 ? after : trace.messages.findIndex(({ role }) => role === 'assistant');
};

/** The row of a rollout. The tools are those it was offered and those it called besides (`submit_answer`, a harness's own). */
export const rowOf = (item: ExportItem): SftRow => {
  const { trace, verdict, task, tools, reward: given } = item;
  const behaviour = behaviourOf(trace);
  const { shape, base, penalties, total } = given ?? rewardOf(verdict, behaviour, 'all', {});
  const label = !isNegative(item);
  const called = trace.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name));
  return wellFormed({
    messages: trace.messages.map(rowMessage),
    tools: toolsCovering(tools.map(rowTool), called),
    metadata: {
      schema_version: SFT_SCHEMA,
      trace_id: trace.id,
      task_id: trace.taskId,
      task: trace.task,
      world_id: task.worldId,
      world: trace.world,
      lineage: { template: task.lineage.template, seed: task.lineage.seed },
      kind: task.kind,
      profile: task.profile ?? '',
      events: eventsOf(trace),
      scenario: rowScenario(trace),
      view: { user: trace.user, detail: trace.detail },
      faults: trace.faults?.rules.join(' ') ?? '',
      producer: producerOf(trace),
      origin: originOf(trace),
      verdict: {
        pass: verdict.pass,
        milestones: verdict.milestones.length,
        milestones_passed: verdict.milestones.filter(({ pass }) => pass).length,
      },
      label,
      negative_from: label ? -1 : negativeFrom(trace),
      behaviour: byFlag((flag) => behaviour[flag]?.length ?? 0),
      reward: {
        shape,
        base,
        penalties: byFlag((flag) => penalties.find((penalty) => penalty.flag === flag)?.amount ?? 0),
        total,
      },
      turns: trace.usage.turns,
      calls: trace.usage.calls,
    },
  });
};

/** Rows of one world and one template are near copies of each other: they stay on one side of a split. */
export const lineageOf = (task: Task): string => `${task.worldId}/${task.lineage.template}`;
