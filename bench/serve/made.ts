/** A part's corpus and plans: made in its temporary folder, or kept beside the folder that was named, for the next run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Corpus } from '../../src/corpus/corpus.js';
import { type CorpusPlan, corpusFor } from './corpus.js';
import type { Options } from './options.js';
import { type PlanOptions, planRollouts, readPlans, writePlans } from './plan.js';
import { round, say } from './report.js';

export interface Made {
  corpus: Corpus;
  /** File of the plans. */
  plans: string;
}

export const madeFor = async (
  { part, corpus: kept }: Options,
  dir: string,
  corpusPlan: CorpusPlan,
  plan: Omit<PlanOptions, 'seed'>,
): Promise<Made> => {
  const from = performance.now();
  const corpus = await corpusFor(kept ?? join(dir, 'corpus'), corpusPlan);
  const made = performance.now();
  const file = kept === undefined ? join(dir, 'plans.jsonl') : `${kept}.plan-${part}.jsonl`;
  const known = existsSync(file) ? readPlans(file) : [];
  const calls = known.reduce((sum, each) => sum + each.calls.length, 0);
  if (known.length !== plan.rollouts || calls !== plan.calls)
    writePlans(file, await planRollouts(corpus, { ...plan, seed: part }));
  const seconds = (ms: number): number => round(ms / 1000);
  say(`corpus: ${corpus.worlds().length} worlds in ${seconds(made - from)} s`);
  say(`plans: ${plan.rollouts} rollouts, ${plan.calls} calls in ${seconds(performance.now() - made)} s`);
  return { corpus, plans: file };
};
