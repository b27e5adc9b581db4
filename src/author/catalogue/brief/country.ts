/** Where the company is: names, cities, adjectives, money, laws, phone codes and the language, each with its weight. */
import { countries as worldCountries } from 'countries-list';
import type { Evidence } from '../../../artifacts/world.js';
import { cities, exonyms, languages, places, regions } from './data.js';
import { type Found, findPhrase, phraseOf, precededBy } from './phrase.js';
import { type BriefText, fold } from './text.js';
import { isWord } from './widen.js';

export interface CountryGuess {
  code: string | undefined;
  city: string | undefined;
  evidence: Evidence[];
}

interface Hint {
  code: string;
  weight: number;
  says: string;
  at: number;
  city?: string;
}

/** A city says more of where a company is than a country's name, which may be a market. */
const WEIGHT = { name: 3.6, people: 4, city: 4.4, word: 3 } as const;
const TOKENS_OF_OPENING = 40;

interface Cue {
  text: string;
  code: string;
  kind: keyof typeof WEIGHT;
  shown: string;
  /** Of a city: how likely it is this country's, where others have one of the name. */
  share?: number;
  /** A place that is only known by the list of cities. */
  minor?: boolean;
  /** A region, or a form of a name: it says the country, and is nobody's address. */
  region?: boolean;
  /** Also a word: it must stand where a place would. */
  wordly?: boolean;
}
/** Cues by their first word, so that only those whose first word stands in the brief are looked for; '' for the others. */
let compiled: Map<string, Cue[]> | undefined;

/** Largest first in data/cities.yaml; where two countries have a place of a name, the larger one is likelier. */
const FEW_THOUSAND = 20;
const LEAST_CITY = 4;

/** A hamlet that shares its name with a region or town of data/regions.yaml. */
const OVERSHADOWED = 0.8;

/** Regions and towns of data/regions.yaml; the names they claim, by country. */
const regionCues = (out: Cue[], seen: ReadonlySet<string>): Map<string, Set<string>> => {
  const claimed = new Map<string, Set<string>>();
  const { regions: own, towns, words } = regions();
  const wordly = new Set(words.split('|').map((name) => fold(name.trim())));
  const seats = new Map(Object.entries(towns).map(([code, line]) => [code, new Set(line.split('|').map(fold))]));
  for (const [table, region] of [[own, true] as const, [towns, false] as const])
    for (const [code, line] of Object.entries(table))
      for (const name of line.split('|')) {
        const key = fold(name);
        if (seen.has(key)) continue;
        claimed.set(key, (claimed.get(key) ?? new Set()).add(code));
        // A county seat has its county's name: somebody there may well be in the town.
        const isTown = !region || seats.get(code)?.has(key) === true;
        const addressed = isTown && /^[\p{Script=Latin} .'-]+$/u.test(name);
        out.push({
          text: name,
          code,
          kind: 'city',
          shown: name,
          minor: true,
          ...(addressed ? {} : { region: true }),
          ...(wordly.has(key) ? { wordly: true } : {}),
        });
      }
  return claimed;
};

const cityCues = (out: Cue[]): void => {
  // What countries.yaml knows by this name is that, whatever hamlet shares it: Wales is no town of Alaska.
  const seen = new Set(out.map(({ text }) => fold(text)));
  const claimed = regionCues(out, seen);
  for (const [code, zones] of Object.entries(cities()))
    for (const line of Object.values(zones))
      for (const entry of line.split('|')) {
        const [name = '', size] = entry.split('~');
        if (name.length < LEAST_CITY || seen.has(fold(name)) || !worldCountries[code as keyof typeof worldCountries])
          continue;
        const claim = claimed.get(fold(name));
        const known = size === undefined ? 1 : Math.min(1, 0.45 + 0.12 * Math.log10(1 + Number(size) / FEW_THOUSAND));
        const share = claim && !claim.has(code) ? Math.min(known, OVERSHADOWED) : known;
        out.push({ text: name, code, kind: 'city', shown: name, share, minor: true });
      }
};

const cuesFor = (brief: BriefText): Cue[] => {
  const index = allCues();
  const out = [...(index.get('') ?? [])];
  for (const word of brief.at.keys()) out.push(...(index.get(word) ?? []));
  return out;
};

const allCues = (): Map<string, Cue[]> => {
  if (compiled) return compiled;
  const out: Cue[] = [];
  for (const [code, data] of Object.entries(worldCountries)) {
    const name = (text: string): void => {
      if (text.length > 3) out.push({ text, code, kind: 'name', shown: text });
    };
    name(data.name);
    if (data.native !== data.name) name(data.native);
  }
  for (const [code, place] of Object.entries(places().countries)) {
    for (const text of place.names ?? []) out.push({ text, code, kind: 'name', shown: text });
    for (const text of place.people ?? []) out.push({ text, code, kind: 'people', shown: text });
    for (const text of place.cities) out.push({ text, code, kind: 'city', shown: text.replaceAll('*', '') });
    for (const text of place.words ?? []) out.push({ text, code, kind: 'word', shown: text });
  }
  for (const [code, line] of Object.entries(exonyms().countries))
    for (const text of line.split('|')) out.push({ text, code, kind: 'name', shown: text.replaceAll('*', '') });
  cityCues(out);
  compiled = new Map();
  for (const cue of out) {
    const { parts, solid } = phraseOf(cue.text);
    const [first] = parts;
    const key = solid || !first || first.prefix || first.suffix ? '' : first.word;
    compiled.set(key, [...(compiled.get(key) ?? []), cue]);
    if (key !== '' && first && first.one !== first.word)
      compiled.set(first.one, [...(compiled.get(first.one) ?? []), cue]);
  }
  return compiled;
};

/** Customers, goods and cousins are elsewhere; the opening of a brief and "based in" speak of the company itself. */
const placeFactor = (brief: BriefText, found: Found, kind: Cue['kind']): number => {
  if (kind === 'word') return 1;
  if (found.from === found.to) return 1.2;
  const { near, far } = places();
  // `sold to hotels, Melbourne`: the comma parts the place from those who buy.
  const slack = brief.tokens[found.from]?.pause ? 0 : 1;
  const opening = (brief.tokens[found.from]?.origin ?? found.from) < TOKENS_OF_OPENING ? 1.2 : 1;
  if (precededBy(brief, found.from, far, slack) || boundFor(brief, found.from) || joinedToFar(brief, found.from))
    return FAR * opening;
  if (brief.tokens[found.from - 1]?.word === 'from') return FROM * opening;
  return precededBy(brief, found.from, near) ? 1.3 * opening : opening;
};

const FAR = 0.25;
/** `packages from Jakarta` may be where they are sold and where they come from. */
const FROM = 0.6;

/** `6 buyers in Holland and 1 in Dubai`: what is joined to a place of customers is one too. */
const joinedToFar = (brief: BriefText, at: number): boolean => {
  for (let i = at - 1; i >= Math.max(1, at - 3); i--) {
    if (brief.tokens[i]?.start || brief.tokens[i]?.pause) return false;
    if (brief.tokens[i]?.word === 'and') return precededBy(brief, i - 1, places().far, 1) !== undefined;
  }
  return false;
};

const MARKET_WORDS = 6;
/** Where `a` is `to`: a text with these words is Spanish, not Italian or English. */
const SPANISH = /\b(el|los|las|del|para|con una|cada|que)\b/;

/** "ship planks to builders in Denmark and the UK": a place up to six words after `to`, in the same sentence, is a market. */
const boundFor = (brief: BriefText, at: number): boolean => {
  for (let i = at; i >= Math.max(0, at - MARKET_WORDS); i--) {
    const { word = '' } = brief.tokens[i] ?? {};
    if (i < at && (/^(to|nach|vers|para|naar|hacia|into)$/.test(word) || (word === 'a' && SPANISH.test(brief.folded))))
      return true;
    if (brief.tokens[i]?.start) return false;
    // `sold to clinics, Melbourne` ends at the comma; `to Denmark, Sweden and the UK` goes on.
    if (brief.tokens[i]?.pause && !allCues().has(brief.tokens[i - 1]?.word ?? '')) return false;
  }
  return false;
};

/** Whether the text writes the name with its capital. */
const written = (brief: BriefText, name: string): boolean => brief.raw.includes(name);

/** An ambiguous word names a place when it is typed with a capital and stands where a place would: after `in`, `near`, `around`. */
const typedAsName = (brief: BriefText, cue: Cue, found: readonly Found[]): boolean => {
  const folded = fold(cue.text).replaceAll('*', '');
  if (cue.kind === 'word') return true;
  // A place that few know, and whose name is a word too, must stand where a place would.
  if (cue.minor && (cue.wordly || isWord(folded)))
    return written(brief, cue.shown) && found.some(({ from }) => precededBy(brief, from, places().near));
  if (!places().ambiguous.includes(folded)) return true;
  const capital = folded.charAt(0).toUpperCase() + folded.slice(1);
  const typed = brief.raw.includes(capital) || brief.raw === brief.raw.toLowerCase();
  return typed && (cue.kind === 'city' || found.some(({ from }) => precededBy(brief, from, places().near)));
};

/** A minor place is never found in the singular of a word: `never` is not Nevers. */
const asWritten = (brief: BriefText, { text }: Cue): Found[] => {
  const first = phraseOf(text).parts[0]?.word;
  return findPhrase(brief, text).filter(({ from, to }) => to - from > 1 || brief.tokens[from]?.word === first);
};

/** Languages that put endings on the names of places. */
const INFLECTED = new Set(['fi', 'hu', 'pl', 'cs', 'hr', 'ru', 'uk', 'tr', 'ro', 'el']);
const LEAST_INFLECTED = 6;
const ENDING = 4;

/** `Krakowie`, `Szegeden`: a city of the countries that speak the language, with an ending. */
const inflectedHints = (brief: BriefText, language: string): Hint[] => {
  if (!INFLECTED.has(language)) return [];
  const hints: Hint[] = [];
  for (const code of Object.keys(languages()[language]?.countries ?? {}))
    for (const name of new Set([
      ...(places().countries[code]?.cities ?? []),
      ...(regions().towns[code]?.split('|') ?? []),
      ...Object.values(cities()[code] ?? {}).flatMap((line) =>
        line.split('|').map((entry) => entry.split('~')[0] ?? ''),
      ),
    ])) {
      const whole = fold(name);
      const stem = whole.length > LEAST_INFLECTED ? whole.slice(0, -1) : whole;
      const at = brief.tokens.findIndex(
        ({ word }) =>
          word.length >= LEAST_INFLECTED &&
          word !== whole &&
          word.startsWith(stem) &&
          word.length - stem.length <= ENDING,
      );
      if (at >= 0) hints.push({ code, weight: WEIGHT.city, says: name, at, city: name });
    }
  return hints;
};

/** What the brief's own language calls countries: Luxemburg, Suisse, Brasilien. */
const namedHints = (brief: BriefText, language: string): Hint[] => {
  if (language === 'und' || language === 'en') return [];
  const names = new Intl.DisplayNames([language], { type: 'region' });
  return Object.keys(worldCountries).flatMap((code) => {
    const name = names.of(code);
    const [found] = name && name.length > 3 && name !== code ? findPhrase(brief, name) : [];
    if (!found) return [];
    const known = worldCountries[code as keyof typeof worldCountries];
    if (fold(known.name) === fold(name ?? '') || fold(known.native) === fold(name ?? '')) return [];
    return [{ code, weight: WEIGHT.name * placeFactor(brief, found, 'name'), says: name ?? code, at: found.from }];
  });
};

const hintsOf = (brief: BriefText): Hint[] => {
  const ambiguous = new Set(places().ambiguous);
  const hints: Hint[] = [];
  for (const cue of new Set(cuesFor(brief))) {
    const found = cue.minor ? asWritten(brief, cue) : findPhrase(brief, cue.text);
    if (found.length === 0 || !typedAsName(brief, cue, found)) continue;
    const best = Math.max(...found.map((each) => placeFactor(brief, each, cue.kind)));
    const half = ambiguous.has(fold(cue.text)) ? 0.5 : 1;
    hints.push({
      code: cue.code,
      weight: WEIGHT[cue.kind] * best * half * (cue.share ?? 1),
      says: cue.shown,
      at: found[0]?.from ?? 0,
      ...(cue.kind === 'city' && !cue.region ? { city: cue.shown } : {}),
    });
  }
  for (const [text, weights] of Object.entries(places().shared)) {
    const [first] = findPhrase(brief, text);
    if (!first) continue;
    for (const [code, weight] of Object.entries(weights))
      hints.push({ code, weight: weight * 1.2, says: text.replace('*', ''), at: first.from });
  }
  for (const [, digits] of brief.raw.matchAll(/\+(\d{1,3})[\s\d(-]{5,}/g))
    for (const [code, data] of Object.entries(worldCountries))
      if (data.phone.some((phone) => String(phone) === digits) && places().countries[code])
        hints.push({ code, weight: 3, says: `+${digits}`, at: 0 });
  return hints;
};

/** A city inside a longer matched name (York in New York) is not a hint of its own. */
const unshadowed = (hints: Hint[]): Hint[] =>
  hints.filter(
    (hint) =>
      !hints.some(
        (other) =>
          other !== hint &&
          other.says.length > hint.says.length &&
          fold(other.says)
            .split(/[\s-]+/)
            .includes(fold(hint.says)) &&
          Math.abs(other.at - hint.at) <= 3,
      ),
  );

const LEAST = 1.6;

/** Of two hints of one country at one place, the stronger one. */
const distinct = (hints: readonly Hint[]): Hint[] => {
  const best = new Map<string, Hint>();
  for (const hint of hints) {
    const key = `${hint.code} ${hint.at} ${hint.at === 0 ? hint.says : ''}`;
    const known = best.get(key);
    if (!known || hint.weight > known.weight) best.set(key, hint);
  }
  return [...best.values()];
};

/** The country a brief states or implies, and why; undefined where it does not say. */
export const guessCountry = (brief: BriefText, language: string): CountryGuess => {
  const hints = distinct(
    unshadowed([...hintsOf(brief), ...inflectedHints(brief, language), ...namedHints(brief, language)]),
  );
  const byLanguage = languages()[language]?.countries ?? {};
  const scores = new Map<string, number>();
  for (const { code, weight } of hints) scores.set(code, (scores.get(code) ?? 0) + weight);
  for (const [code, weight] of Object.entries(byLanguage)) scores.set(code, (scores.get(code) ?? 0) + weight);
  const ranked = [...scores].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const [best, second] = ranked;
  if (!best || best[1] < LEAST || (second && best[1] - second[1] < 0.15))
    return { code: undefined, city: undefined, evidence: [] };
  const own = hints.filter((hint) => hint.code === best[0]).sort((a, b) => b.weight - a.weight || a.at - b.at);
  const said = own.map((hint) => `"${hint.says}"`).slice(0, 5);
  if (byLanguage[best[0]]) said.push(`the text is in ${languages()[language]?.name ?? language}`);
  const rival =
    second && second[1] > 1.5
      ? `; ${second[0]} was considered (${second[1].toFixed(1)} against ${best[1].toFixed(1)})`
      : '';
  const city = own
    .filter((hint) => hint.city)
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .find((hint) => hint.city)?.city;
  return {
    code: best[0],
    city,
    evidence: [{ choice: `country ${best[0]}`, because: `${said.join(', ')}${rival}`, kind: 'words' }],
  };
};
