/** Other words that a brief's words may be meant as: misspelt ones corrected, those of other languages in English. */
import { wordsOf } from '../../../kit/words.js';
import { cues, languages, places, trades, words } from './data.js';
import { nationalIndustries } from './industry.js';
import { phraseOf } from './phrase.js';
import { type BriefText, fold, indexed, singularOf, type Token } from './text.js';

/** Languages that write several words as one. */
const COMPOUNDS = new Set(['de', 'nl', 'sv', 'da', 'nb', 'fi', 'hu']);
const SOLID = new Set(['ja', 'zh', 'th', 'ko']);
const LEAST_STEM = 5;
const LEAST_ENGLISH = 4;

interface Foreign {
  exact: Map<string, string>;
  stems: [string, string][];
}
const foreign = new Map<string, Foreign>();

const dictionaryOf = (language: string): Foreign => {
  const known = foreign.get(language);
  if (known) return known;
  const made: Foreign = { exact: new Map(), stems: [] };
  const own = (languages()[language]?.words ?? '').split(' | ').map((pair) => pair.split('='));
  for (const [word = '', english = ''] of [...Object.entries(words()[language] ?? {}), ...own]) {
    const key = fold(word);
    if (key.endsWith('*')) made.stems.push([key.slice(0, -1), english]);
    else made.exact.set(key, english);
  }
  made.stems.sort((a, b) => b[0].length - a[0].length);
  foreign.set(language, made);
  return made;
};

const translated = (word: string, language: string): string[] => {
  const { exact, stems } = dictionaryOf(language);
  const out = new Set<string>();
  const whole = exact.get(word);
  if (whole) out.add(whole);
  const stem = stems.find(([start]) => word.startsWith(start));
  if (stem && !whole) out.add(stem[1]);
  if (COMPOUNDS.has(language) && word.length >= 8) {
    for (const [part, english] of stems) if (part.length >= LEAST_STEM && word.indexOf(part) > 2) out.add(english);
    for (const [part, english] of exact) if (part.length >= LEAST_STEM && word.endsWith(part)) out.add(english);
  }
  return [...out];
};

/** Whether a name of one word is also a common word, of English or of a frequent word list. */
export const isWord = (folded: string): boolean => {
  const { common } = readVocabulary();
  return folded.split(/[ -]/).every((word) => common.has(word));
};

/** Whether English texts of trade use a word. */
export const isEnglish = (word: string): boolean => word.length >= LEAST_ENGLISH && readVocabulary().english.has(word);

/** Whether the dictionary of a language has a word that English texts of trade do not use. */
export const isForeign = (word: string, language: string): boolean =>
  word.length >= LEAST_STEM &&
  words()[language] !== undefined &&
  !readVocabulary().english.has(word) &&
  translated(word, language).length > 0;

interface Vocabulary {
  english: Set<string>;
  /** Common words, names of places left out. */
  common: Set<string>;
  /** Every word that is right as it stands. */
  known: Set<string>;
  /** Words that a cue asks for, by each form with one letter left out. */
  near: Map<string, string[]>;
}
let vocabulary: Vocabulary | undefined;

const shortened = (word: string): string[] =>
  Array.from({ length: word.length }, (_, i) => word.slice(0, i) + word.slice(i + 1));

const readVocabulary = (): Vocabulary => {
  if (vocabulary) return vocabulary;
  const asked = new Set<string>();
  const add = (texts: readonly string[]): void => {
    for (const text of texts)
      for (const { word, gap, suffix } of phraseOf(text).parts)
        if (!gap && !suffix && /^[a-z]+$/.test(word)) asked.add(word);
  };
  for (const { cues: list } of trades().trades) add(list);
  for (const { strong, weak } of Object.values(cues().functions)) add([...strong, ...weak]);
  const english = new Set<string>();
  for (const { title, description } of nationalIndustries())
    for (const word of wordsOf(`${title} ${description}`)) english.add(word);
  const known = new Set<string>([...asked, ...english]);
  for (const { stop = [] } of Object.values(languages())) for (const word of stop) known.add(fold(word));
  for (const language of Object.values(words()))
    for (const word of Object.keys(language)) known.add(fold(word).replace('*', ''));
  const common = new Set(known);
  for (const { cities, names = [], people = [] } of Object.values(places().countries))
    for (const text of [...cities, ...names, ...people]) for (const word of fold(text).split(/[ -]/)) known.add(word);
  const near = new Map<string, string[]>();
  for (const word of [...asked].filter((each) => each.length >= 5).sort())
    for (const form of [word, ...shortened(word)]) near.set(form, [...(near.get(form) ?? []), word]);
  vocabulary = { known, near, common, english };
  return vocabulary;
};

/** `tatoo` -> tattoo, `moter` -> motor: a word of a cue that is one letter away. */
const corrected = (word: string): string | undefined => {
  const { known, near } = readVocabulary();
  if (word.length < 5 || !/^[a-z]+$/.test(word) || known.has(word) || known.has(singularOf(word))) return undefined;
  for (const form of [word, singularOf(word), ...shortened(word)]) {
    const found = near
      .get(form)
      ?.find((each) => each.charAt(0) === word.charAt(0) && Math.abs(each.length - word.length) <= 1);
    if (found) return found;
  }
  return undefined;
};

/** `不要`, `必要ありません`: refuses what stands in the same stretch of a text without spaces. */
const SOLID_DENIAL =
  /不用做|不用管|不需要|不要|不做|无需|無需|いりません|要りません|必要ありません|必要ない|ไม่ต้อง|ไม่เอา/u;

/** Where each token begins in the folded text. */
const placesOf = ({ folded, tokens }: BriefText): number[] => {
  let from = 0;
  return tokens.map(({ word }) => {
    const at = folded.indexOf(word, from);
    from = at < 0 ? from : at + word.length;
    return at < 0 ? from : at;
  });
};

/** The token in which a word of a text without spaces first stands; -1 where it does not. */
const inSolid = ({ folded }: BriefText, places: readonly number[], word: string): number => {
  const at = folded.indexOf(word);
  if (at < 0) return -1;
  let token = 0;
  while (token + 1 < places.length && (places[token + 1] ?? 0) <= at) token += 1;
  return token;
};

/** The token at which several words stand one after the other; -1 where they do not. */
const inWords = ({ tokens }: BriefText, text: string): number => {
  const words = text.split(' ');
  return tokens.findIndex((_, i) => words.every((word, k) => tokens[i + k]?.word === word));
};

/**
 * The brief with alternatives: a single word beside the one it stands for, several words as a sentence of their own at the end
 * that says where it comes from.
 */
export const widen = (brief: BriefText, language: string): BriefText => {
  const added: Token[] = [];
  const append = (english: string, origin: number, of: Token | undefined): void => {
    english.split(' ').forEach((word, i) => {
      added.push({ word, one: singularOf(word), start: i === 0, origin, ...(of?.denied ? { denied: of.denied } : {}) });
    });
  };
  const tokens = brief.tokens.map((token, i) => {
    const english = language === 'en' || SOLID.has(language) ? [] : translated(token.word, language);
    for (const text of english) if (text.includes(' ')) append(text, i, token);
    const right = english.length === 0 && (language === 'en' || language === 'und') ? corrected(token.word) : undefined;
    const alts = [...english.filter((text) => !text.includes(' ')), ...(right ? [right] : [])];
    const forms = [...new Set(alts.flatMap((alt) => [alt, singularOf(alt)]))];
    return forms.length > 0 ? { ...token, alts: forms } : token;
  });
  if (language !== 'en') {
    const { exact } = dictionaryOf(language);
    const places = SOLID.has(language) ? placesOf(brief) : [];
    for (const [word, english] of exact) {
      const at = SOLID.has(language) ? inSolid(brief, places, word) : word.includes(' ') ? inWords(brief, word) : -1;
      if (at < 0) continue;
      const of = brief.tokens[at];
      append(english, at, of && SOLID.has(language) && SOLID_DENIAL.test(of.word) ? { ...of, denied: 'refused' } : of);
    }
  }
  return indexed({ ...brief, tokens: [...tokens, ...added] });
};
