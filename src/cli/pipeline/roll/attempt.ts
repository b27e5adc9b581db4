/**
 * One rollout of a task: a session of its own, judged at each stage's end and at its own. Where the infrastructure breaks it, it
 * is made once more from the beginning (weft.txt, table 4: at most two physical attempts a logical rollout).
 */
import type { Detail } from '../../../artifacts/disclosure.js';
import type { Scenario } from '../../../artifacts/scenario.js';
import type { Task } from '../../../artifacts/task.js';
import type { Trace } from '../../../artifacts/trace.js';
import type { Verdict } from '../../../artifacts/verdict.js';
import { type Attempt, shownBy, type TraceLine } from '../../../corpus/traces/line.js';
import { EventEngine } from '../../../dynamics/engine/engine.js';
import { resolvedTask, verifyRevised } from '../../../dynamics/played.js';
import { assignFault } from '../../../dynamics/solve/fault.js';
import { resolvedByStage } from '../../../dynamics/solve/resolved.js';
import { asTreadleError, TreadleError } from '../../../errors.js';
import { outcomeOf } from '../../../rollout/outcome.js';
import { type Outside, outsideOf, scenarioFacts } from '../../../rollout/outside.js';
import type { Policy } from '../../../rollout/policy.js';
import {
  DEFAULT_LIMITS,
  type Disclosed,
  type Limits,
  type Rollout,
  rolloutTask,
  traceId,
} from '../../../rollout/rollout.js';
import type { Speaker } from '../../../rollout/users/speaker.js';
import { type SimulatedUser, speakerName, spokenUser } from '../../../rollout/users/user.js';
import { FaultPlan } from '../../../serve/faults/plan.js';
import { faultRule } from '../../../serve/faults/rule.js';
import { callerOf } from '../../../serve/sessions/caller.js';
import { Session } from '../../../serve/sessions/session.js';
import type { Woven } from '../../../serve/sessions/woven.js';
import { type Evidence, gather } from '../../../verify/evidence.js';
import { type Penalties, type RewardShape, rewardOf } from '../../../verify/reward.js';
import { verify } from '../../../verify/verdict.js';
import type { LoadedWorld } from '../../../world/loaded.js';

/** One of a task's views (weft.txt 3.1.3, "Task views"). */
export interface TaskView {
  user: 'none' | 'simulated';
  detail: Detail;
  /** Words what a simulated user says; the rules do where it is absent. */
  speaker?: Speaker;
  /** The speaker's mistakes are let through and marked; without, its words are taken only where they say what is to be said. */
  isTrusted?: boolean;
  /** Faults injected into its calls: each rollout's are drawn from the seed, the task and its number. */
  faults?: NonNullable<Trace['faults']>;
}

/** A view as a trace's id tells it from others. */
const disclosed = (
  { user, detail, faults, speaker, isTrusted = false }: TaskView,
  scene: Scene | undefined,
): Disclosed => ({
  user,
  detail,
  faults,
  scenario: scene && scenarioFacts(scene),
  speaker: speaker && speakerName({ model: speaker.name, isTrusted }),
});

/** The task of a scenario as it stands without events, and the world as it finds it; absent where only its name is asked. */
export interface Still {
  task: Task;
  world?: LoadedWorld | undefined;
}

/** How rollouts are made. */
export interface Acting {
  seed: string;
  /** Without turns: enough for each task (`turnsFor`). */
  limits?: Partial<Limits>;
  /** In a scenario, `task` has the re-solved reference. */
  policyFor: (task: Task, sample: number, still?: Still) => Policy;
  /** Our own loop (`rolloutTask`) when absent. The trace must have the id that `traceId` gives for the policy's producer. */
  perform?: (rollout: Rollout, taskHash: string) => Promise<Trace>;
  /** How the task is told; the whole brief at once when absent. */
  view?: TaskView;
  /** What each rollout earns, where it is to be kept. */
  reward?: { shape: RewardShape; penalties: Penalties };
  /** Physical attempts at a rollout that the infrastructure breaks: 1 when absent. */
  attempts?: number;
  /** Calls every rollout off. */
  signal?: AbortSignal;
}

/** A scenario and its content address. */
export interface Scene {
  scenario: Scenario;
  hash: string;
}

export interface Sample {
  /** As the task finds it. */
  world: LoadedWorld;
  task: Task;
  hash: string;
  index: number;
  /** The events it is rolled out in; absent: the task stands still. */
  scene?: Scene | undefined;
}

/** Turns that a task may take: what was asked for, else enough for its reference with as much again for looking around. */
export const turnsFor = ({ reference, disclosure }: Task, asked?: number): number =>
  asked ?? Math.max(DEFAULT_LIMITS.turns, 2 * reference.calls.length + 4 * disclosure.stages.length);

/** A session for a task, as its agent would have it. */
export const sessionFor = (world: LoadedWorld, task: Task, id: string, woven?: Woven): Session =>
  Session.open(world, { id, services: task.services, me: callerOf(task.actor), ...(woven ? { woven } : {}) });

const faultsFor = ({ faults }: TaskView, task: Task, index: number): FaultPlan | undefined =>
  faults && new FaultPlan(faults.rules.map(faultRule), `${faults.seed}/${task.id}/${index}`);

type Unopened = Omit<Sample, 'world'>;

const resolved = (task: Task, { scenario }: Scene, hash: string, world: LoadedWorld | undefined): Task =>
  world ? resolvedByStage(task, scenario, hash, world) : resolvedTask(task, scenario, hash);

const policyOf = (
  { task, hash, index, scene, world }: Unopened & { world?: LoadedWorld },
  { policyFor }: Pick<Acting, 'policyFor'>,
): Policy => (scene ? policyFor(resolved(task, scene, hash, world), index, { task, world }) : policyFor(task, index));

const STATIC: TaskView = { user: 'none', detail: 'full' };

/** The id that a rollout will have: who acts says so before it starts. Throws `other_task`. */
export const sampleId = (sample: Unopened, acting: Pick<Acting, 'policyFor' | 'seed' | 'view'>): string => {
  const { hash, index, scene } = sample;
  return traceId(hash, policyOf(sample, acting).producer, acting.seed, index, disclosed(acting.view ?? STATIC, scene));
};

/** What is woven into the session: the scenario's events, or faults. Throws `two_engines` for both. */
const wovenFor = (
  { task, index, scene }: Unopened,
  view: TaskView,
): { woven?: Woven | undefined; engine?: EventEngine; outside?: Outside } => {
  if (!scene) return { woven: faultsFor(view, task, index) };
  if (view.faults) throw twoEngines(scene.scenario.id);
  const engine = new EventEngine(scene.scenario);
  return { woven: engine, engine, outside: outsideOf(engine, scene) };
};

const twoEngines = (scenario: string): TreadleError =>
  new TreadleError({
    code: 'two_engines',
    message: 'A session has one engine: a scenario brings its own faults, and takes no others',
    value: scenario,
    next: 'Leave --fault or --scenarios out.',
  });

/** Ends that somebody else brought about say nothing of whether the task could be done. */
const ENDED_BY_ITSELF = new Set<Trace['finish']>(['answered', 'user_left', 'turn_limit', 'length']);

/** Whose fault a failed rollout is: whether it could still be done where events fired (dynamics.md, "The dynamic verifier"). */
const faultOf = ({ world, task }: Sample, { scenario }: Scene, trace: Trace, verdict: Verdict): Verdict => {
  const isOurs = verdict.pass || verdict.fault !== 'policy' || !ENDED_BY_ITSELF.has(trace.finish);
  // Replies to several stages are no one answer.
  if (isOurs || (trace.dialogue?.stages.length ?? 0) > 1 || verdict.revised === undefined) return verdict;
  const { solvable, withoutEvent, fault, evidence } = assignFault(
    { world, task },
    scenario,
    trace.ledger,
    trace.answer,
  );
  return {
    ...verdict,
    fault: fault === 'scenario' ? 'scenario' : verdict.fault,
    solvable: { atFiring: solvable, ...(solvable ? {} : { withoutEvent }), evidence },
  };
};

const physical = async (sample: Sample, acting: Acting): Promise<TraceLine> => {
  const { world, task, hash, index, scene } = sample;
  const { view = STATIC, limits, seed, signal, perform = rolloutTask } = acting;
  const stages: Verdict[] = [];
  const answers: Record<string, string> = {};
  const { woven, engine, outside } = wovenFor(sample, view);
  const host = sessionFor(world, task, `${task.id}-${index}`, woven);
  const judge = (evidence: Evidence, trace: string, at?: string): Verdict =>
    engine
      ? verifyRevised(task, engine, evidence, { trace, hash, ...(at === undefined ? {} : { at }) })
      : verify(task, evidence, trace, hash, at);
  try {
    const policy = policyOf(sample, acting);
    const id = traceId(hash, policy.producer, seed, index, disclosed(view, scene));
    const user: SimulatedUser | undefined =
      view.user === 'simulated' ? spokenUser(task, view.detail, view.speaker, view.isTrusted) : undefined;
    const performed = await perform(
      {
        host,
        task,
        policy,
        limits: {
          ...DEFAULT_LIMITS,
          ...limits,
          turns: turnsFor(scene ? resolvedTask(task, scene.scenario, hash) : task, limits?.turns),
        },
        prompt: {
          policies: world.spec.policies.map(({ text }) => text),
          company: world.spec.company.name,
          detail: view.detail,
          ...(user ? { hasUser: true } : {}),
        },
        ...(user
          ? {
              user,
              onStage: ({ node, reply }) => {
                answers[node] = reply;
                stages.push(judge({ ...gather(host, reply), answers: { ...answers } }, id, node));
              },
            }
          : {}),
        sample: { seed, index },
        ...(outside ? { outside } : {}),
        ...(signal ? { signal } : {}),
      },
      hash,
    );
    // Who acts knows nothing of faults.
    const trace = view.faults ? { ...performed, id, faults: view.faults } : performed;
    const evidence = gather(host, trace.answer);
    const judged = judge(trace.dialogue ? { ...evidence, answers } : evidence, trace.id);
    const verdict = scene ? faultOf(sample, scene, trace, judged) : judged;
    return { trace, verdict, ...(trace.dialogue ? { stages } : {}) };
  } finally {
    host.drop();
  }
};

/** A rollout of which nothing came: what threw stands outside the policy, in opening, judging or the loop itself. */
export const brokenLine = (sample: Unopened, acting: Acting, thrown: unknown): TraceLine => {
  const { task, hash, index, scene } = sample;
  const { seed, view = STATIC } = acting;
  const { producer } = policyOf(sample, acting);
  const id = traceId(hash, producer, seed, index, disclosed(view, scene));
  const error = asTreadleError(thrown, 'verifier', 'rollout_failed');
  const fault = error.fault === 'policy' || error.fault === 'agent' ? 'verifier' : error.fault;
  return {
    trace: {
      treadle: 'trace/1',
      id,
      task: hash,
      taskId: task.id,
      world: task.world,
      snapshot: task.snapshot,
      producer,
      user: view.user,
      detail: view.detail,
      ...(view.faults ? { faults: view.faults } : {}),
      ...(scene ? { scenario: scenarioFacts(scene) } : {}),
      messages: [],
      ledger: [],
      events: [],
      answer: '',
      finish: 'error',
      problem: { code: error.code, message: error.line(), fault },
      usage: { turns: 0, calls: 0 },
    },
    verdict: { treadle: 'verdict/1', task: hash, trace: id, pass: false, milestones: [], broken: [], fault: 'none' },
  };
};

const isBrokenFromOutside = ({ trace, verdict }: TraceLine): boolean => {
  const { outcome, fault } = outcomeOf(trace, verdict);
  return outcome === 'fault' && fault === 'infrastructure';
};

const attemptOf = ({ trace: { problem, usage } }: TraceLine): Attempt => ({
  problem: problem ?? { code: 'unknown', message: '', fault: 'infrastructure' },
  turns: usage.turns,
  calls: usage.calls,
});

/** Rolls a task out, again where the infrastructure broke it. Throws only for a defect of the world or the verifier. */
export const rollOut = async (sample: Sample, acting: Acting): Promise<TraceLine> => {
  const attempts: Attempt[] = [];
  let line = await physical(sample, acting);
  while (isBrokenFromOutside(line) && attempts.length + 1 < (acting.attempts ?? 1) && !acting.signal?.aborted) {
    attempts.push(attemptOf(line));
    line = await physical(sample, acting);
  }
  const { reward } = acting;
  return {
    ...line,
    ...(reward ? { reward: rewardOf(line.verdict, shownBy(line.trace), reward.shape, reward.penalties) } : {}),
    ...(attempts.length > 0 ? { attempts } : {}),
  };
};
