/** What kind of thing a resource is: by its noun, else by the columns it has. */
import type { Column } from '../../artifacts/table.js';
import { singular, snake } from '../../kit/words.js';
import { lexicon } from './load.js';

let cues: Map<string, string> | undefined;
const cueIndex = (): Map<string, string> => {
  if (cues === undefined) {
    cues = new Map();
    for (const [kind, { cues: list }] of Object.entries(lexicon().kinds))
      for (const cue of list) if (!cues.has(cue)) cues.set(cue, kind);
  }
  return cues;
};

/** At least this many of a kind's shape columns give it away. */
const SHAPE_HITS = 2;

/** Kind of a resource by noun (whole, then its last word), else by shape, else `any`. */
export const kindOf = (noun: string, cols: Record<string, Column> = {}): string => {
  const whole = singular(snake(noun));
  const byNoun = cueIndex().get(whole) ?? cueIndex().get(singular(whole.split('_').at(-1) ?? whole));
  if (byNoun !== undefined) return byNoun;
  let best = 'any';
  let most = SHAPE_HITS - 1;
  for (const [kind, { shape }] of Object.entries(lexicon().kinds)) {
    const hits = shape.filter((col) => cols[col] !== undefined).length;
    if (hits > most) [best, most] = [kind, hits];
  }
  return best;
};

/** Family of a kind (`invoice` -> `money`), undefined for `any`. */
export const familyOf = (kind: string): string | undefined =>
  Object.entries(lexicon().families).find(([, kinds]) => kinds.includes(kind))?.[0];
