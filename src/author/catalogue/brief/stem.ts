/** A light stem of an English word: enough that booking, bookings and booked are one. */

const ENDINGS: readonly [RegExp, string][] = [
  [/ies$/, 'y'],
  [/(sses|shes|ches|xes)$/, ''],
  [/(?<=[^su])s$/, ''],
];
const VERBAL = /(?:ations?|ments?|ings?|ers?|ors?|ed|es|ee|al|e|y)$/;
const LEAST = 4;
const known = new Map<string, string>();

export const stemOf = (word: string): string => {
  const found = known.get(word);
  if (found !== undefined) return found;
  let stem = word;
  if (/^[a-z]{4,}$/.test(word)) {
    for (const [ending, by] of ENDINGS) {
      const shorter = word.replace(ending, (whole) => (by === '' && whole.length > 1 ? whole.slice(0, -2) : by));
      if (shorter !== word) {
        stem = shorter;
        break;
      }
    }
    const root = stem.replace(VERBAL, '').replace(/([^aeiouls])\1$/, '$1');
    if (root.length >= LEAST) stem = root;
  }
  // The cache is of words, not of briefs: what strangers type must not make it grow without end.
  if (known.size < MOST_KNOWN) known.set(word, stem);
  return stem;
};

const MOST_KNOWN = 50_000;
