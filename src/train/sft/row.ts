/** The canonical training row: a conversation with its tools, and where it comes from. */
import type { Task } from '../../artifacts/task.js';
import type { Message, Trace } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import type { Json } from '../../kit/hash.js';
import { SUBMIT_ANSWER } from '../../rollout/submit.js';
import type { SessionTool } from '../../serve/tool-host.js';
import { behaviourOf, FLAG_IDS } from '../../verify/behaviour/registry.js';
import { type Reward, type RewardShape, rewardOf } from '../../verify/reward.js';

export const SFT_SCHEMA = 'treadle-sft/1';

export interface RowCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: Record<string, Json> };
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

/** Every row has every field, so that columnar loaders see one type. */
export interface RowMetadata {
  schema_version: typeof SFT_SCHEMA;
  trace_id: string;
  task_id: string;
  task: string;
  world_id: string;
  world: string;
  lineage: { template: string; seed: string };
  /** `reference` is a replay of the task's own solution, `scripted` a replay with mistakes; neither is a model. */
  producer: { policy: string; name: string; seed: string };
  verdict: { pass: boolean; milestones: number; milestones_passed: number };
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
        tool_calls: message.toolCalls.map(({ id, name, arguments: args }) => ({
          id,
          type: 'function' as const,
          function: { name, arguments: args },
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

/** The row of a rollout. `submit_answer` joins the tools when it was called. */
export const rowOf = ({ trace, verdict, task, tools, reward: given }: ExportItem): SftRow => {
  const behaviour = behaviourOf(trace);
  const { shape, base, penalties, total } = given ?? rewardOf(verdict, behaviour, 'all', {});
  const submitted = trace.messages.some(({ toolCalls }) => toolCalls?.some(({ name }) => name === SUBMIT_ANSWER.name));
  const offered =
    submitted && !tools.some(({ name }) => name === SUBMIT_ANSWER.name) ? [...tools, SUBMIT_ANSWER] : tools;
  const { policy, name, seed = '' } = trace.producer;
  return {
    messages: trace.messages.map(rowMessage),
    tools: offered.map(rowTool),
    metadata: {
      schema_version: SFT_SCHEMA,
      trace_id: trace.id,
      task_id: trace.taskId,
      task: trace.task,
      world_id: task.worldId,
      world: trace.world,
      lineage: { template: task.lineage.template, seed: task.lineage.seed },
      producer: { policy, name, seed },
      verdict: {
        pass: verdict.pass,
        milestones: verdict.milestones.length,
        milestones_passed: verdict.milestones.filter(({ pass }) => pass).length,
      },
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
  };
};

/** Rows of one world and one template are near copies of each other: they stay on one side of a split. */
export const lineageOf = (task: Task): string => `${task.worldId}/${task.lineage.template}`;
