/** What a brief counts: `30 bikes`, `two branches`, `a fleet of 12 vans`, as rows of a table of the world. */
import type { ServiceSpec } from '../../../artifacts/service.js';
import { counts } from './data.js';
import { type BriefText, singularOf } from './text.js';

export interface Counted {
  service: string;
  table: string;
  /** What the text asks for, and what the initial data will hold. */
  wanted: number;
  rows: number;
  says: string[];
}

const NUMERALS: Record<string, number> = {};
for (const list of [
  'one two three four five six seven eight nine ten eleven twelve',
  'ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf',
  '_ deux trois quatre cinq six sept huit neuf dix onze douze',
  '_ dos tres cuatro cinco seis siete ocho nueve diez once doce',
  '_ dois tres quatro cinco seis sete oito nove dez onze doze',
  '_ due tre quattro cinque sei sette otto nove dieci undici dodici',
  '_ twee drie vier vijf zes zeven acht negen tien elf twaalf',
  '_ dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec',
])
  list.split(' ').forEach((word, i) => {
    if (word !== '_') NUMERALS[word] ??= i + 1;
  });
NUMERALS.dozen = 12;
NUMERALS.couple = 2;

/** Rows that a table holds at most and at least for a number of the text: fewer, and no tool would find what it acts on. */
const MOST_ROWS = 200;
const LEAST_ROWS = 2;
/** Words between a number and what it counts: `3 small delivery vans`. */
const REACH = 3;
/** What a number of is no number of things. */
const MEASURES =
  /^(year|month|week|day|hour|minute|min|second|percent|kg|kilo|ton|tonne|km|metre|meter|litre|liter|eur|euro|usd|dollar|rupee|shilling|peso|pound|chf|h|m|m2|gb|x|am|pm|time|shift|people|person|employee|staff|worker|mitarbeiter|empleado|orang|ppl|am|th|st|nd|rd|degree|star|floor|stage|instalment|price|fee|hectare|acre|mile|kwh|mw|kw)$/;

/** `2,300` and `62 000` and `21k` as numbers at a token; how many tokens they take. */
const numberAt = (brief: BriefText, at: number): { value: number; tokens: number } | undefined => {
  const word = brief.tokens[at]?.word ?? '';
  if (NUMERALS[word] !== undefined) return { value: NUMERALS[word] as number, tokens: 1 };
  const thousand = /^(\d{1,3})k$/.exec(word);
  if (thousand) return { value: Number(thousand[1]) * 1000, tokens: 1 };
  if (!/^\d{1,6}$/.test(word)) return undefined;
  const next = brief.tokens[at + 1];
  if (/^\d{3}$/.test(next?.word ?? '') && word.length <= 3 && !next?.start)
    return { value: Number(word) * 1000 + Number(next?.word), tokens: 2 };
  return { value: Number(word), tokens: 1 };
};

export interface Counts {
  counted: Counted[];
  /** Numbers of things that no table holds, as the text says them. */
  uncounted: string[];
}

interface Target {
  service: string;
  table: string;
}

/** Tables by the words that count them, best first. */
const targetsOf = (specs: readonly ServiceSpec[]): Map<string, Target[]> => {
  const out = new Map<string, Target[]>();
  const add = (word: string, target: Target): void => {
    const key = singularOf(word);
    out.set(key, [...(out.get(key) ?? []), target]);
  };
  for (const { tables, words } of counts().counts)
    for (const path of tables) {
      const [service = '', table = ''] = path.split('.');
      if (!specs.some((spec) => spec.id === service && spec.tables[table])) continue;
      for (const word of words) add(word, { service, table });
    }
  for (const spec of specs)
    for (const [table, { noun }] of Object.entries(spec.tables)) {
      add(noun, { service: spec.id, table });
      const last = noun.split(' ').at(-1) ?? noun;
      if (last !== noun) add(last, { service: spec.id, table });
    }
  return out;
};

/** Numbers of the text that tables can hold: the sum where several kinds fall into one (`30 bikes and 4 tandems`). */
export const countsIn = (brief: BriefText, specs: readonly ServiceSpec[]): Counts => {
  const targets = targetsOf(specs);
  const unheld = new Set(counts().uncounted.map(singularOf));
  const uncounted: string[] = [];
  const found = new Map<string, Counted>();
  brief.tokens.forEach((token, i) => {
    const number = token.origin === undefined ? numberAt(brief, i) : undefined;
    if (!number || number.value < 1) return;
    for (let k = 0; k < REACH; k++) {
      const at = i + number.tokens + k;
      const here = brief.tokens[at];
      if (!here || here.start || here.pause || MEASURES.test(here.one) || numberAt(brief, at)) return;
      const next = brief.tokens[at + 1];
      const pair = next && !next.start ? `${here.one} ${next.one}` : '';
      const target = (targets.get(pair) ??
        [here.one, ...(here.alts ?? [])].flatMap((word) => targets.get(word) ?? []))[0];
      const wordsTo = (end: number): string =>
        brief.tokens
          .slice(i, end)
          .map(({ word }) => word)
          .join(' ');
      if (!target && unheld.has(here.one)) {
        uncounted.push(wordsTo(at + 1));
        return;
      }
      if (!target) continue;
      const key = `${target.service}.${target.table}`;
      const said = wordsTo(at + (targets.has(pair) ? 2 : 1));
      const known = found.get(key);
      const wanted = (known?.wanted ?? 0) + number.value;
      found.set(key, {
        ...target,
        wanted,
        rows: Math.max(LEAST_ROWS, Math.min(MOST_ROWS, wanted)),
        says: [...(known?.says ?? []), said],
      });
      return;
    }
  });
  return { counted: [...found.values()], uncounted };
};
