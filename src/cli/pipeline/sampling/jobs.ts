/** One task to be sampled: its plan on a session of its own, the ids of what it will keep, and the lines that come of it. */
import type { Task } from '../../../artifacts/task.js';
import type { TraceHead, TraceLine } from '../../../corpus/traces/line.js';
import type { Policy } from '../../../rollout/policy.js';
import type { Cost } from '../../../rollout/sampling/cost.js';
import { type Fork, type Group, groupIds, sampleGroup } from '../../../rollout/sampling/group.js';
import { sessionHost } from '../../../rollout/sampling/host.js';
import type { Attempt, Ended, SamplingLimits, SamplingPlan } from '../../../rollout/sampling/plan.js';
import { prefixId, type Sampled, samplePrefix } from '../../../rollout/sampling/prefix.js';
import { sampleWhole, wholeIds } from '../../../rollout/sampling/whole.js';
import { spokenUser } from '../../../rollout/users/user.js';
import type { LoadedWorld } from '../../../world/loaded.js';
import { isToRepeat } from '../roll/tally.js';
import { sessionFor, type TaskView } from '../rollouts.js';

export const METHODS = ['prefix', 'whole', 'group'] as const;
export type Method = (typeof METHODS)[number];

/** How tasks are sampled. */
export interface Settings {
  policyFor: (task: Task, sample: number, attempt: Attempt) => Policy;
  view: TaskView;
  seed: string;
  retries: number;
  limits: SamplingLimits;
  /** With `group`. */
  group?: { at: Fork; size: number; until: 'end' | 'stage' };
  signal?: AbortSignal;
}

export interface Sample {
  task: Task;
  hash: string;
  index: number;
}

/** What came of one task by one method. */
export interface Came {
  lines: TraceLine[];
  accepted: boolean;
  cost: { kept: Cost; dropped: Cost };
  ended?: Ended;
  group?: Pick<Group, 'passRate' | 'best'> & { branches: number; passed: number };
}

const planOf = (world: LoadedWorld | undefined, { task, hash, index }: Sample, settings: Settings): SamplingPlan => {
  const { view, seed, retries, limits, signal } = settings;
  return {
    open: () => sessionHost(sessionFor(world as LoadedWorld, task, `${task.id}-${index}`), task, hash),
    task,
    hash,
    ...(view.user === 'simulated' ? { user: () => spokenUser(task, view.detail, view.speaker, view.isTrusted) } : {}),
    policyFor: (attempt) => settings.policyFor(task, index, attempt),
    prompt: {
      detail: view.detail,
      ...(view.user === 'simulated' ? { hasUser: true } : {}),
      ...(world ? { policies: world.spec.policies.map(({ text }) => text), company: world.spec.company.name } : {}),
    },
    retries,
    limits,
    sample: { seed, index },
    ...(signal ? { signal } : {}),
  };
};

/** The ids of what a task's sampling keeps, negatives apart, as far as it goes. */
export const keptIds = (method: Method, sample: Sample, settings: Settings): string[] => {
  const plan = planOf(undefined, sample, settings);
  if (method === 'prefix') return [prefixId(plan)];
  if (method === 'whole') return wholeIds(plan);
  return settings.group ? groupIds({ ...plan, ...settings.group }) : [];
};

/** Whether the task was sampled before, and what it left is not to be made again. */
export const isSampled = (
  method: Method,
  sample: Sample,
  settings: Settings,
  head: (id: string) => TraceHead | undefined,
): boolean => {
  const ids = keptIds(method, sample, settings);
  const isDone = (id: string): boolean => {
    const known = head(id);
    return known !== undefined && !isToRepeat(known);
  };
  // A trajectory that passed ends the tries.
  const hasPassed = method === 'whole' && ids.some((id) => isDone(id) && head(id)?.verdict.pass === true);
  return hasPassed || (ids.length > 0 && ids.every(isDone));
};

const ofSampled = ({ accepted, kept, dropped, cost, ended }: Sampled): Came => ({
  // The kept one comes last: it is the mark of a task that is done.
  lines: [...dropped, kept],
  accepted,
  cost,
  ...(ended ? { ended } : {}),
});

const ofGroup = ({ branches, passRate, best, cost, ended }: Group): Came => {
  const passed = branches.filter((branch) => branch.passed).length;
  return {
    lines: branches.map(({ trace, verdict }) => ({ trace, verdict })),
    accepted: passed > 0,
    cost: { kept: cost.branches, dropped: cost.shared },
    ...(ended ? { ended } : {}),
    group: { passRate, best, branches: branches.length, passed },
  };
};

/** Throws what refuses the task before anything has run: `unjudged_stage`, `bad_group`, `not_forkable`. */
export const sampleTask = async (
  method: Method,
  world: LoadedWorld,
  sample: Sample,
  settings: Settings,
): Promise<Came> => {
  const plan = planOf(world, sample, settings);
  if (method === 'prefix') return ofSampled(await samplePrefix(plan));
  if (method === 'whole') return ofSampled(await sampleWhole(plan));
  const { at = { call: 1 }, size = 1, until = 'end' } = settings.group ?? {};
  return ofGroup(await sampleGroup({ ...plan, at, size, until }));
};
