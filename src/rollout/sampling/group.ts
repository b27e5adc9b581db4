/**
 * Group sampling: G branches from one snapshot and one history, each gone on with on its own (weft.txt 3.3.2): what credit
 * assignment compares, and what best-of-G chooses from.
 */
import type { Trace } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import { TreadleError } from '../../errors.js';
import { act, type End, type Place } from '../loop.js';
import { traceOf } from '../rollout.js';
import { forkRun, type Run } from '../run.js';
import { brokenBy, type Stand } from './attempt.js';
import { Climb, type ClimbSettings, climbSettings } from './climb.js';
import { addCost, type Cost, metered, noCost, sumOf } from './cost.js';
import type { SamplingHost } from './host.js';
import {
  type Attempt,
  attemptLimits,
  attemptSeed,
  type Ended,
  type Judged,
  keepBudget,
  type Ready,
  ready,
  type SamplingPlan,
} from './plan.js';
import { type SampledStage, stagesOf } from './stages.js';

/** Where the branches part: before a stage of the user's, or once so many calls have been made and their turn is over. */
export type Fork = { node: string } | { call: number };

export interface GroupPlan extends SamplingPlan {
  at: Fork;
  /** Branches. */
  size: number;
  /** How far each goes: to the end, or to the end of the stage it began in, which its milestone then judges. */
  until?: 'end' | 'stage';
  onBranch?: (index: number, passed: boolean) => void;
}

export interface Branch extends Judged {
  index: number;
  passed: boolean;
  /** Share of the milestones judged that hold. */
  share: number;
  /** Broke off for a reason that is not the policy's: in no rate. */
  broken?: Ended['why'];
  cost: Cost;
}

export interface Group {
  /** Shared by its branches' origins. */
  id: string;
  /** Messages and calls that all branches share. */
  shared: { messages: number; calls: number };
  branches: Branch[];
  /** Passed of the branches that were not broken; null where all were. */
  passRate: number | null;
  /** Index of the best: passed, then most milestones, then fewest calls, then the first. */
  best: number | undefined;
  /** Of the history that they share, and of all branches together. */
  cost: { shared: Cost; branches: Cost };
  /** Why there are no branches: the history could not be made. */
  ended?: Ended;
}

const badGroup = (message: string, value: unknown, next: string): TreadleError =>
  new TreadleError({ code: 'bad_group', message, value, next });

const checkGroup = ({ at, size, until = 'end', user, task }: GroupPlan, stages: readonly SampledStage[]): void => {
  if (!Number.isInteger(size) || size < 1 || size > 1024)
    throw badGroup('A group has 1 to 1024 branches', size, 'Give a whole number, 16 for example.');
  if ('call' in at) {
    if (!Number.isInteger(at.call) || at.call < 1)
      throw badGroup('Branches part after a call, counted from 1', at.call, 'Give the number of a call.');
  } else {
    if (!user)
      throw badGroup(
        'Without a user there are no stages to part at',
        at.node,
        'Part at a call, or have a simulated user.',
      );
    if (!stages.some(({ node }) => node === at.node))
      throw badGroup(
        `Task ${task.id} has no such stage`,
        at.node,
        `Its stages are ${stages.map(({ node }) => node).join(', ')}.`,
      );
  }
  if (until === 'stage' && !user)
    throw badGroup('Without a user no stage ends', until, 'Let branches go to the end, or have a simulated user.');
};

const settingsOf = (plan: Ready & GroupPlan): ClimbSettings =>
  climbSettings(plan, { method: 'group', ...plan.at, size: plan.size, until: plan.until ?? 'end' });

const branchId = (group: string, index: number): string => `${group}-${index}`;

/** The ids that its branches will have. */
export const groupIds = (given: GroupPlan): string[] => {
  const { id } = settingsOf({ ...given, ...ready(given) });
  return Array.from({ length: given.size }, (_, index) => branchId(id, index));
};

interface Trunk {
  stand: Stand;
  /** The stage that is asked for, with a user. */
  stage?: SampledStage;
  ended?: Ended;
}

/** The history up to the stage, each stage before it passed: failed attempts at those are dropped. */
const trunkToStage = async (climb: Climb, stages: readonly SampledStage[], node: string): Promise<Trunk> => {
  for (const stage of stages) {
    if (!(await climb.ask(stage))) break;
    if (stage.node === node) return { stand: climb.stand, stage };
    if (!(await climb.take(stage))) break;
  }
  return { stand: climb.stand, ...(climb.ended ? { ended: climb.ended } : {}) };
};

/** One place for trunk and branches to act in; replies at the ends of stages go into `answers`. */
const placeOf = (
  plan: Ready,
  { host, policy, tools, turns }: { host: SamplingHost; policy: Place['policy']; tools: Place['tools']; turns: number },
  answers: Record<string, string>,
): Place => ({
  host,
  task: plan.task,
  policy,
  tools,
  limits: attemptLimits(plan, turns),
  onStage: ({ node, reply }) => {
    answers[node] = reply;
  },
  ...(plan.signal ? { signal: plan.signal } : {}),
});

/** The history up to a call, as the policy makes it, judged nowhere. */
const trunkToCall = async (plan: Ready, climb: Climb, turns: number, call: number): Promise<Trunk> => {
  const { host, run } = climb.stand;
  const meter = metered(plan.policyFor({ attempt: 1, seed: attemptSeed(plan, 'trunk') }), (now) =>
    keepBudget(plan, noCost(), now, run.calls),
  );
  const answers: Record<string, string> = {};
  const { end } = await act(run, placeOf(plan, { host, policy: meter.policy, tools: climb.tools, turns }, answers), {
    calls: call,
  });
  addCost(climb.kept, meter.cost(run.calls));
  const stand = { ...climb.stand, answers };
  if (!end) return { stand };
  const told = end.problem?.message ?? `it ended by ${end.finish}`;
  const message = `The rollout was over after ${run.calls} calls: ${told}`;
  return {
    stand,
    ended: { why: brokenBy(end, { pass: false, fault: 'policy' }) ?? 'too_short', attempts: 1, message },
  };
};

const shareOf = ({ milestones }: Verdict): number =>
  milestones.length === 0 ? 0 : milestones.filter(({ pass }) => pass).length / milestones.length;

const better = (a: Branch, b: Branch): number =>
  Number(b.passed) - Number(a.passed) ||
  b.share - a.share ||
  a.trace.usage.calls - b.trace.usage.calls ||
  a.index - b.index;

interface Parting {
  group: string;
  trunk: Trunk;
  stages: readonly SampledStage[];
  turns: number;
  spent: Cost;
}

const branchOf = async (
  plan: Ready & GroupPlan,
  climb: Climb,
  { group, trunk, stages, turns, spent }: Parting,
  index: number,
): Promise<Branch> => {
  const { stand, stage } = trunk;
  const host = await stand.host.fork();
  try {
    const run: Run = forkRun(stand.run);
    const answers = { ...stand.answers };
    const attempt: Attempt = {
      ...(stage ? { node: stage.node } : {}),
      attempt: index + 1,
      seed: attemptSeed(plan, 'branch', group, index),
    };
    const before = run.calls;
    const current = stage ?? stages[run.conversation?.stage() ?? -1];
    const meter = metered(plan.policyFor(attempt), (now) => keepBudget(plan, spent, now, run.calls - before));
    const toStage = plan.until === 'stage';
    const place = placeOf(plan, { host, policy: meter.policy, tools: climb.tools, turns: run.turns + turns }, answers);
    const halt = await act(run, place, toStage ? 'stage' : undefined);
    const end: End = halt.end ?? { finish: 'answered', answer: halt.stage?.reply ?? '' };
    const at = toStage ? current?.at : undefined;
    const hasEnded = !toStage || halt.stage !== undefined;
    const judged = await host.judge({
      answer: halt.stage?.reply ?? end.answer,
      ...(plan.user ? { answers } : {}),
      ...(at === undefined ? {} : { at }),
    });
    const { hash, task, detail, limits } = plan;
    const { producer } = climb.settings;
    const id = branchId(group, index);
    const about = { id, hash, task, producer, user: plan.user ? 'simulated' : 'none', detail, limits } as const;
    const from = stand.run.messages.length;
    const trace: Trace = { ...traceOf(run, end, about), origin: { kind: 'branch', group, index, from } };
    const verdict = { ...judged, trace: id };
    const broken = brokenBy(trace, verdict);
    const passed = hasEnded && verdict.pass && broken === undefined;
    plan.onBranch?.(index, passed);
    return {
      trace,
      verdict,
      index,
      passed,
      share: shareOf(verdict),
      ...(broken ? { broken } : {}),
      cost: meter.cost(run.calls - before),
    };
  } finally {
    await host.drop();
  }
};

/**
 * Makes the history up to `at`, copies it `size` times and goes on with each. Before a stage, the stages before it are taken by
 * prefix-preserving sampling, so that the history is a verified one. A branch that does not end its stage has not passed. Throws
 * `bad_group` and as `samplePrefix`; what policies and endpoints do is in the group.
 */
export const sampleGroup = async (given: GroupPlan): Promise<Group> => {
  const plan = { ...given, ...ready(given) };
  const { at, size, user, task, limits } = plan;
  const stages = 'node' in at || user ? stagesOf(task, user !== undefined, limits.stageTurns) : [];
  checkGroup(given, stages);
  const settings = settingsOf(plan);
  const { id } = settings;
  const climb = await Climb.open(settings);
  const all =
    stages.length > 0
      ? stages
      : stagesOf({ ...task, disclosure: { ...task.disclosure, stages: [] } }, false, limits.stageTurns);
  const turns = all.reduce((sum, stage) => sum + stage.turns, 0);
  try {
    const trunk =
      'node' in at ? await trunkToStage(climb, stages, at.node) : await trunkToCall(plan, climb, turns, at.call);
    const branches: Branch[] = [];
    const cost = { shared: climb.spent, branches: noCost() };
    const room = plan.until === 'stage' ? (trunk.stage?.turns ?? turns) : turns;
    for (let index = 0; index < size && !trunk.ended; index++) {
      const spent = sumOf([cost.shared, cost.branches]);
      const branch = await branchOf(plan, climb, { group: id, trunk, stages, turns: room, spent }, index);
      addCost(cost.branches, branch.cost);
      branches.push(branch);
    }
    const sound = branches.filter(({ broken }) => broken === undefined);
    const best = [...sound].sort(better)[0]?.index;
    return {
      id,
      shared: { messages: trunk.stand.run.messages.length, calls: trunk.stand.run.calls },
      branches,
      passRate: sound.length > 0 ? sound.filter(({ passed }) => passed).length / sound.length : null,
      best,
      cost,
      ...(trunk.ended ? { ended: trunk.ended } : {}),
    };
  } finally {
    await climb.drop();
  }
};
