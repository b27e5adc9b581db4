/** What a served job asks for, as the options of the command that does the same. */
import type { RolloutJob } from '../../../serve/jobs/request.js';
import { mistakesOf } from '../../pipeline/acting.js';
import { type CorpusPlan, planOf } from '../../pipeline/roll/plan.js';

const SEED = '1';

export const seedOf = ({ seed = SEED }: { seed?: string | undefined }): string => seed;

/** Throws `bad_option` and what else `treadle rollout` says of its options. */
export const rolloutPlan = (job: RolloutJob): CorpusPlan => {
  const { worlds, tasks, profiles, kinds, scenarios, limit, policy, mistakes, user, detail, n, turns, faults } = job;
  return planOf({
    ...(worlds ? { world: worlds } : {}),
    ...(tasks ? { task: tasks } : {}),
    ...(profiles ? { profile: profiles } : {}),
    ...(kinds ? { kind: kinds } : {}),
    ...(scenarios ? { scenarios } : {}),
    ...(limit === undefined ? {} : { limit }),
    ...(mistakes === undefined ? {} : { mistakes: mistakesOf(mistakes) }),
    ...(turns === undefined ? {} : { turns }),
    ...(faults ? { fault: faults } : {}),
    policy,
    user: user ?? 'none',
    detail: detail ?? 'full',
    n: n ?? 1,
    reward: job.reward ?? 'all',
    penalty: {},
    seed: seedOf(job),
    concurrency: 1,
    memory: 512,
    retries: 0,
    timeout: 1,
  });
};
