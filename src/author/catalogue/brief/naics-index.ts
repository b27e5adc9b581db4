/** Words of the 1,057 national NAICS industries, for a brief that names none of the trades we know, and for a closer industry. */
import { singular, wordsOf } from '../../../kit/words.js';
import { nationalIndustries } from './industry.js';

interface Entry {
  code: string;
  /** Weight of each word: 2 in the title, 1.5 in an illustrative example, 0.7 in the description. */
  words: Map<string, number>;
}

let index: { entries: Entry[]; rarity: Map<string, number> } | undefined;

const ownWords = (text: string): string[] =>
  wordsOf(text)
    // Participles say how, not what: `guided` walks are no guided missiles.
    .filter((word) => word.length > 3 && !/ed$/.test(word))
    .map(singular);

const build = (): { entries: Entry[]; rarity: Map<string, number> } => {
  const entries = nationalIndustries().map(({ code, title, description }) => {
    const [body = '', examples = ''] = description.split(/Cross-References/)[0]?.split(/Illustrative Examples:/) ?? [];
    const words = new Map<string, number>();
    for (const [text, weight] of [
      [body, 0.7],
      [examples, 1.5],
      [title.replace(/\(except.*?\)/g, ''), 2],
    ] as const)
      for (const word of ownWords(text)) words.set(word, Math.max(words.get(word) ?? 0, weight));
    return { code, words };
  });
  const seen = new Map<string, number>();
  for (const { words } of entries) for (const word of words.keys()) seen.set(word, (seen.get(word) ?? 0) + 1);
  const rarity = new Map([...seen].map(([word, count]) => [word, Math.log(entries.length / count)]));
  return { entries, rarity };
};

const TITLE_OR_EXAMPLE = 1.5;
const NEARLY = 0.6;
/** Natural logarithm of one in how many industries has the word. */
const RARE = 4;

export interface IndustryMatch {
  code: string;
  score: number;
  says: string[];
}

/**
 * The industry whose title, examples and description share most with `words`. `within` limits the codes by prefix; `usual` is kept
 * where it shares nearly as much: a bakery with wedding cakes makes no frozen ones.
 */
export const closestIndustry = (
  words: readonly string[],
  within: readonly string[] = [''],
  usual?: string,
): IndustryMatch | undefined => {
  index ??= build();
  const { entries, rarity } = index;
  const wanted = [...new Set(words.map(singular))].filter((word) => rarity.has(word));
  let best: IndustryMatch | undefined;
  let kept: IndustryMatch | undefined;
  for (const { code, words: own } of entries) {
    if (!within.some((prefix) => code.startsWith(prefix))) continue;
    const says = wanted.filter((word) => own.has(word));
    // A word of the description alone is no sign: every industry's text speaks of other industries too.
    if (!says.some((word) => (own.get(word) ?? 0) >= TITLE_OR_EXAMPLE && (rarity.get(word) ?? 0) >= RARE)) continue;
    const score = says.reduce((sum, word) => sum + (own.get(word) ?? 0) * (rarity.get(word) ?? 0), 0);
    const match = { code, score, says };
    if (score > (best?.score ?? 0)) best = match;
    if (code === usual) kept = match;
  }
  return best && kept && kept.score >= NEARLY * best.score ? kept : best;
};
