/** A failure told: what was asked, what was expected, what was done in its place, and what the checks found. */
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Task } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import { findScenario } from '../../../corpus/scenarios.js';
import type { TraceLine } from '../../../corpus/traces/line.js';
import { eachTrace } from '../../../corpus/traces/read.js';
import { taskIn } from '../../../dynamics/logged.js';
import { asTreadleError } from '../../../errors.js';
import { diverge } from '../../../rollout/divergence/diverge.js';
import { madeStep, plannedStep, toolIndex } from '../../../rollout/divergence/steps.js';
import { divergenceWords } from '../../../rollout/divergence/words.js';
import { requestText } from '../../../rollout/prompt.js';
import { checkWords } from '../../review/check-words.js';
import { viewOf } from './figures.js';
import type { Failure } from './telling.js';

export interface ToldFailure extends Failure {
  view: string;
  request: string;
  /** Checks and milestones that held, and how many there are. */
  held: string;
  /** First failed checks in words, and what they found. */
  checks: { expected: string; found: string }[];
  /** The first diverging call; absent where the task is not there any more. */
  done?: string;
  answer: string;
}

/** Failed checks that are told. */
const FEW = 2;
const MOST = 320;

const short = (text: string): string => {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > MOST ? `${flat.slice(0, MOST - 1)}…` : flat;
};

const doneInstead = (
  { trace }: TraceLine,
  task: Task,
  world: Parameters<typeof toolIndex>[0],
  services: readonly ServiceSpec[],
): string => {
  const index = toolIndex(world, services);
  const run = trace.ledger.map((entry) => madeStep(index, entry));
  const steps = task.reference.calls.map((call) => plannedStep(index, call));
  return divergenceWords(diverge(run, [{ name: 'the reference', steps }]));
};

const heldWords = ({ verdict }: TraceLine): string => {
  const checks = verdict.milestones.flatMap((milestone) => milestone.checks);
  const good = checks.filter(({ pass }) => pass).length;
  const stages = verdict.milestones.length;
  const met = verdict.milestones.filter(({ pass }) => pass).length;
  return `${good} of ${checks.length} checks held${stages > 1 ? `, ${met} of ${stages} stages` : ''}`;
};

const told = (
  failure: Failure,
  line: TraceLine,
  task: Task | undefined,
  services: readonly ServiceSpec[],
  done: string | undefined,
): ToldFailure => {
  const { trace, verdict } = line;
  const failed = verdict.milestones.flatMap(({ id, checks }) =>
    checks.filter(({ pass }) => !pass).map((check) => ({ milestone: id, ...check })),
  );
  const asked = trace.messages.find(({ role }) => role === 'user')?.content ?? '';
  return {
    ...failure,
    view: viewOf(trace),
    request: short(task && trace.user === 'none' ? requestText(task, trace.detail) : asked),
    held: heldWords(line),
    checks: failed.slice(0, FEW).map(({ milestone, check, kind, evidence }) => {
      const own = task?.milestones.find(({ id }) => id === milestone)?.checks.find(({ id }) => id === check);
      return { expected: short(own ? checkWords(own, services) : kind), found: short(evidence) };
    }),
    answer: short(trace.answer),
    ...(done === undefined ? {} : { done: short(done) }),
  };
};

/** The task as it was when the rollout was judged; undefined where it, or the scenario, is not there any more. */
const taskOf = (corpus: Corpus, world: string, { trace }: TraceLine): Task | undefined => {
  const listed = corpus.listTasks(world).tasks.find(({ id }) => id === trace.taskId);
  if (listed?.hash !== trace.task) return undefined;
  const task = corpus.readTasks(world).tasks.find(({ id }) => id === trace.taskId);
  if (!task || !trace.scenario) return task;
  const scenario = findScenario(corpus, world, trace.scenario.hash);
  return scenario && taskIn(task, scenario, trace);
};

/** Read once more, one at a time; one that cannot be told is left out. */
export const toldFailures = (corpus: Corpus, failures: readonly Failure[]): ToldFailure[] =>
  failures.flatMap((failure) => {
    try {
      const [line] = eachTrace(corpus, failure.world, ({ id }) => id === failure.trace);
      if (!line) return [];
      const { world, services } = corpus.readDescription(failure.world);
      const own = taskOf(corpus, failure.world, line);
      return [told(failure, line, own, services, own && doneInstead(line, own, world, services))];
    } catch (thrown) {
      if (asTreadleError(thrown, 'world').code === 'unexpected') throw thrown;
      return [];
    }
  });
