/** The samples of one corpus world: its blueprint, then each kind up to its share. */

import type { WorldDraft } from '../../author/draft.js';
import type { Certify } from '../../author/model/types.js';
import type { WorldDescription } from '../../corpus/corpus.js';
import { blueprintOf, type Skip } from './blueprint.js';
import { addressOfSample } from './row.js';
import { briefSamples, type Making } from './samples/brief.js';
import { completionSamples } from './samples/completion.js';
import { diffSamples } from './samples/diff.js';
import { repairSamples } from './samples/repair.js';
import type { Blueprint, Kind, Sample } from './types.js';

const MAKERS: Readonly<Record<Kind, (making: Making) => AsyncGenerator<Sample>>> = {
  brief: briefSamples,
  completion: completionSamples,
  repair: repairSamples,
  diff: diffSamples,
};

export interface MakeOptions {
  kinds: readonly Kind[];
  /** Most samples of one world, shared out evenly over the kinds. */
  perWorld: number;
  seed: string;
  certify: Certify;
  /** Validator 11 in two fresh processes; absent where it is not run for this world. */
  prove?: ((draft: WorldDraft) => Promise<boolean>) | undefined;
  /** Addresses of the samples so far; what is there already is left out, and what is made is added. */
  known: Set<string>;
}

export interface Made {
  blueprint: Blueprint;
  samples: Sample[];
  duplicates: number;
  fresh: boolean;
}

/** The samples of a world, every one checked by execution; or why there are none. Deterministic in (world, options). */
export const samplesOf = async (
  description: WorldDescription,
  { kinds, perWorld, seed, certify, prove, known }: MakeOptions,
): Promise<Made | { skipped: Skip | 'not_determined' }> => {
  const blueprint = await blueprintOf(description, seed, certify);
  if ('skipped' in blueprint) return blueprint;
  if (prove && !(await prove(blueprint.draft))) return { skipped: 'not_determined' };
  const made: Made = { blueprint, samples: [], duplicates: 0, fresh: prove !== undefined };
  for (const [n, kind] of kinds.entries()) {
    // What one kind leaves over, the next ones may use.
    const most = Math.ceil((perWorld - made.samples.length) / (kinds.length - n));
    let count = 0;
    if (most <= 0) break;
    for await (const sample of MAKERS[kind]({ blueprint, seed, certify })) {
      const address = addressOfSample(sample);
      if (known.has(address)) {
        made.duplicates++;
        continue;
      }
      known.add(address);
      made.samples.push(sample);
      if (++count >= most) break;
    }
  }
  return made;
};
