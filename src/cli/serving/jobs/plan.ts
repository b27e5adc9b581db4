/** The items of a served job: one a rollout, or one a task to gate, those of a world together. */
import type { Corpus } from '../../../corpus/corpus.js';
import { listScenarios } from '../../../corpus/scenarios.js';
import { TreadleError } from '../../../errors.js';
import type { NewJob } from '../../../serve/durable/jobs/jobs.js';
import type { JobRequest } from '../../../serve/jobs/request.js';
import { type Filter, type Picked, pickTasks } from '../../pipeline/roll/pick.js';
import { rolloutPlan, seedOf } from './options.js';

/** What an item's payload says. */
export interface Item {
  world: string;
  task: string;
  /** Which rollout of the task. */
  sample?: number;
  scenario?: string;
}

/** Digits, so that ids sort as they come. */
const DIGITS = 7;

const idOf = (n: number, { world, task, scenario, sample }: Item): string => {
  const what = `${world}/${scenario ?? task}${sample === undefined ? '' : `#${sample}`}`;
  return `${String(n).padStart(DIGITS, '0')} ${what}`;
};

const worldsOf = (corpus: Corpus, named: readonly string[] | undefined): readonly string[] => {
  const known = corpus.worlds();
  const missing = named?.find((id) => !known.includes(id));
  if (missing === undefined) return named ?? known;
  throw new TreadleError({ code: 'no_world', message: 'The corpus has no such world', value: missing });
};

/** Tasks, or scenarios of tasks, in the order of the run. */
const unitsOf = (corpus: Corpus, { world, tasks, scenarios }: Picked): Item[] => {
  if (!scenarios) return tasks.map((task) => ({ world, task }));
  const wanted = new Set(scenarios);
  const heads = (listScenarios(corpus, world)?.scenarios ?? []).filter(({ id }) => wanted.has(id));
  return heads.map(({ id, task }) => ({ world, task, scenario: id }));
};

/** Throws `no_world`, `no_task`, `no_scenario`, and what the options of a rollout throw. */
export const planJob = (corpus: Corpus, request: JobRequest): NewJob[] => {
  const { filter, samples } =
    request.kind === 'rollout' ? rolloutPlan(request) : { filter: filterOf(request), samples: undefined };
  const picked = pickTasks(corpus, { ...filter, worlds: worldsOf(corpus, request.worlds) }, seedOf(request));
  const items = picked
    .flatMap((one) => unitsOf(corpus, one))
    .flatMap((unit): Item[] =>
      samples === undefined ? [unit] : Array.from({ length: samples }, (_, sample) => ({ ...unit, sample })),
    );
  return items.map((item, n) => ({ id: idOf(n, item), payload: { ...item } }));
};

const filterOf = ({ tasks, profiles, kinds, limit }: Exclude<JobRequest, { kind: 'rollout' }>): Partial<Filter> => ({
  ...(tasks ? { tasks } : {}),
  ...(profiles ? { profiles } : {}),
  ...(kinds ? { kinds } : {}),
  ...(limit === undefined ? {} : { limit }),
});
