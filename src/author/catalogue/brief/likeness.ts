/** How much a brief speaks like each archetype's own text: what finds a service that none of its cue words names. */
import { archetype, archetypeIds, type DraftTable } from '../archetype.js';
import { contentWords } from './clauses.js';
import { cues } from './data.js';
import { stemOf } from './stem.js';
import type { BriefText } from './text.js';

/** Weight of a word by where it stands in an archetype; of several places the heaviest counts. */
const PLACES = { title: 3, cue: 2.5, noun: 2, about: 2, verb: 1.2, says: 1, column: 0.7 } as const;
/** Columns and words that every archetype has, whatever it is for. */
const EVERYWHERE = 0.12;
/** BM25's length normalisation (Robertson and Zaragoza 2009, section 3.4), over the sum of weights. */
const B = 0.6;

interface Posting {
  archetype: string;
  weight: number;
}
let postings: Map<string, Posting[]> | undefined;

const spaced = (name: string): string => name.replaceAll('_', ' ');

const tableTexts = (name: string, { noun, about, cols, status, verbs = {} }: DraftTable): [string, number][] => [
  [spaced(name), PLACES.noun],
  [noun ?? '', PLACES.noun],
  [about ?? '', PLACES.about],
  [Object.keys(cols).map(spaced).join(' '), PLACES.column],
  [
    Object.values(cols)
      .flatMap((column) => column.match(/one!? (\w+(?:\|\w+)+)/)?.[1]?.split('|') ?? [])
      .map(spaced)
      .join(' '),
    PLACES.column,
  ],
  [(status ?? '').replaceAll('|', ' '), PLACES.column],
  [Object.keys(verbs).map(spaced).join(' '), PLACES.verb],
  [
    Object.values(verbs)
      .map(({ says = '' }) => says)
      .join(' '),
    PLACES.says,
  ],
];

const textsOf = (id: string): [string, number][] => {
  const { title, about, tables } = archetype(id);
  const { strong = [], weak = [] } = cues().functions[id] ?? {};
  return [
    [spaced(id), PLACES.title],
    [title, PLACES.title],
    [about, PLACES.about],
    [strong.join(' '), PLACES.cue],
    [weak.join(' '), PLACES.noun],
    ...Object.entries(tables).flatMap(([name, table]) => tableTexts(name, table)),
  ];
};

const build = (): Map<string, Posting[]> => {
  const bags = archetypeIds().map((id) => {
    const bag = new Map<string, number>();
    for (const [text, weight] of textsOf(id))
      for (const word of contentWords(text)) {
        const key = stemOf(word);
        if (key.length > 2 && !/\d/.test(key)) bag.set(key, Math.max(bag.get(key) ?? 0, weight));
      }
    return { id, bag, length: [...bag.values()].reduce((sum, weight) => sum + weight, 0) };
  });
  const mean = bags.reduce((sum, { length }) => sum + length, 0) / bags.length;
  const holders = new Map<string, number>();
  for (const { bag } of bags) for (const word of bag.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  const index = new Map<string, Posting[]>();
  for (const { id, bag, length } of bags)
    for (const [word, weight] of bag) {
      const share = (holders.get(word) ?? 1) / bags.length;
      if (share > EVERYWHERE) continue;
      const posting = { archetype: id, weight: (-Math.log(share) * weight) / (1 - B + (B * length) / mean) };
      const list = index.get(word);
      if (list) list.push(posting);
      else index.set(word, [posting]);
    }
  return index;
};

export interface Likeness {
  score: number;
  /** Words of the brief that it rests on, the heaviest first. */
  says: string[];
}

/** Likeness of a brief to every archetype that shares a word with it; 0 and up, a few units for a plain resemblance. */
export const likenessOf = (brief: BriefText): Map<string, Likeness> => {
  postings ??= build();
  const parts = new Map<string, Map<string, number>>();
  for (const { word, alts = [], denied, origin } of brief.tokens) {
    if (denied) continue;
    for (const key of new Set([word, ...alts].map(stemOf)))
      for (const { archetype: id, weight } of postings.get(key) ?? []) {
        const own = parts.get(id) ?? new Map<string, number>();
        own.set(word, Math.max(own.get(word) ?? 0, weight * (origin === undefined ? 1 : TRANSLATED)));
        parts.set(id, own);
      }
  }
  return new Map(
    [...parts].map(([id, own]) => {
      const ranked = [...own].sort((a, b) => b[1] - a[1]);
      return [id, { score: ranked.reduce((sum, [, weight]) => sum + weight, 0), says: ranked.map(([word]) => word) }];
    }),
  );
};

/** How sure a translated word is. */
const TRANSLATED = 0.8;
