/** What two fresh processes may answer when a world is not deterministic. */
import type { JobResult } from '../../src/certify/determinism/script.js';

export const GOOD_RUN: JobResult = {
  world: 'fixture',
  observations: 'a'.repeat(64),
  state: 'b'.repeat(64),
  restored: 'b'.repeat(64),
  tasks: { task_one: `pass ${'c'.repeat(64)}` },
};

const against = (change: Partial<JobResult>): [JobResult, JobResult] => [GOOD_RUN, { ...GOOD_RUN, ...change }];

export const BROKEN_RUNS: readonly { what: string; runs: [JobResult, JobResult]; says: RegExp }[] = [
  { what: 'observations differ', runs: against({ observations: 'x' }), says: /observed different results/ },
  { what: 'states differ', runs: against({ state: 'x', restored: 'x' }), says: /different states/ },
  {
    what: 'snapshot and restore change the state in the first process',
    runs: [
      { ...GOOD_RUN, restored: 'x' },
      { ...GOOD_RUN, restored: 'x' },
    ],
    says: /snapshot and restore/,
  },
  {
    what: 'snapshot and restore change the state in the second process only',
    runs: against({ restored: 'x' }),
    says: /snapshot and restore/,
  },
  {
    what: 'a reference ends in another state',
    runs: against({ tasks: { task_one: `pass ${'d'.repeat(64)}` } }),
    says: /task_one ended differently/,
  },
  {
    what: 'a reference fails in a fresh process',
    runs: [
      { ...GOOD_RUN, tasks: { task_one: 'fail x' } },
      { ...GOOD_RUN, tasks: { task_one: 'fail x' } },
    ],
    says: /reference of task task_one fails/,
  },
  { what: 'a task is missing in the second', runs: against({ tasks: {} }), says: /task_one ended differently/ },
  { what: 'one process has a task more', runs: [{ ...GOOD_RUN, tasks: {} }, GOOD_RUN], says: /task_one/ },
  { what: 'one process could not run it', runs: against({ error: 'out of memory' }), says: /out of memory/ },
  {
    what: 'both could not run it',
    runs: [
      { ...GOOD_RUN, error: 'no world' },
      { ...GOOD_RUN, error: 'no world' },
    ],
    says: /no world/,
  },
  { what: 'the two speak of different worlds', runs: against({ world: 'other' }), says: /different worlds/ },
];
