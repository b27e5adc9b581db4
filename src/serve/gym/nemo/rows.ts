/** Dataset rows of NeMo Gym: what an agent server reads, and how a row names its task. */
import { z } from 'zod';
import type { Task } from '../../../artifacts/task.js';
import { TreadleError } from '../../../errors.js';
import { Labels } from '../../api.js';
import type { SessionTool } from '../../tool-host.js';

export interface GymRow {
  responses_create_params: {
    input: { role: 'system' | 'user'; content: string }[];
    tools: {
      type: 'function';
      name: string;
      description: string;
      parameters: object;
      /** Never: strict schemas make every argument required. */
      strict: false;
    }[];
  };
  verifier_metadata: { task: string };
  agent_ref: { type: 'responses_api_agents'; name: string };
}

export interface RowOptions {
  /** Name of the agent server in Gym's configuration. */
  agent?: string;
  /** System message: whom the agent works for, and how to answer. */
  system?: string;
}

/** A row for `task`, which the registry knows as `<worldId>/<taskId>`; `tools` are those its sessions offer. */
export const gymRow = (
  task: Pick<Task, 'id' | 'worldId' | 'brief'>,
  tools: readonly SessionTool[],
  { agent = 'treadle_simple_agent', system }: RowOptions = {},
): GymRow => ({
  responses_create_params: {
    input: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user', content: task.brief },
    ],
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),
  },
  verifier_metadata: { task: `${task.worldId}/${task.id}` },
  agent_ref: { type: 'responses_api_agents', name: agent },
});

const reference = z.string().min(1).max(256).nullish();

const Seed = z.looseObject({
  verifier_metadata: z
    .looseObject({ task: reference, task_id: reference, scenario: reference, labels: Labels.nullish() })
    .nullish(),
});

export interface SeedRequest {
  /** Absent: the scenario's. */
  task?: string | undefined;
  /** A dynamic task. */
  scenario?: string | undefined;
  labels?: Labels | undefined;
}

/** Which task or scenario a row is about. Throws `bad_row`. */
export const readSeed = (row: unknown, usual?: string): SeedRequest => {
  const result = Seed.safeParse(row);
  const [issue] = result.error?.issues ?? [];
  const metadata = result.data?.verifier_metadata;
  const scenario = metadata?.scenario ?? undefined;
  const task = metadata?.task ?? metadata?.task_id ?? (scenario === undefined ? usual : undefined);
  if (result.success && (task ?? scenario) !== undefined)
    return { task, scenario, labels: metadata?.labels ?? undefined };
  throw new TreadleError({
    code: 'bad_row',
    message: issue ? `The row does not fit: ${issue.path.join('.')}: ${issue.message}` : 'The row names no task',
    next: 'Put the task into verifier_metadata.task, or a scenario into verifier_metadata.scenario.',
  });
};
