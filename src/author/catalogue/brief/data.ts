/** The cue files of the brief reader, parsed once a process. */
import { countries as worldCountries } from 'countries-list';
import { z } from 'zod';
import { readDataFile } from '../../../kit/data-file.js';

const text = z.coerce.string();
const Places = z.strictObject({
  countries: z.record(
    z.string(),
    z.strictObject({
      tz: z.string(),
      locale: z.string(),
      legal: z.array(z.string()),
      names: z.array(text).optional(),
      people: z.array(text).optional(),
      cities: z.array(text),
      words: z.array(text).optional(),
      zones: z.record(z.string(), z.string()).optional(),
    }),
  ),
  shared: z.record(z.string(), z.record(z.string(), z.number())),
  ambiguous: z.array(text),
  near: z.array(text),
  far: z.array(text),
  /** By country: regions that stand among the cities, and towns of each. */
  regions: z.record(z.string(), z.record(z.string(), z.array(text))),
});
const Trades = z.strictObject({
  trades: z.array(
    z.strictObject({
      id: z.string(),
      cues: z.array(text),
      not: z.array(text).optional(),
      naics: z.string(),
      noun: z.string(),
      services: z.record(z.string(), z.number()),
    }),
  ),
  /** What an industry runs on, by the longest NAICS prefix that fits. */
  sectors: z.array(
    z.strictObject({ prefixes: z.array(z.string()), noun: z.string(), services: z.record(z.string(), z.number()) }),
  ),
});
const Cues = z.strictObject({
  functions: z.record(
    z.string(),
    z.strictObject({ strong: z.array(text), weak: z.array(text), refuse: z.array(text) }),
  ),
  stand_ins: z.array(z.strictObject({ cues: z.array(text), says: z.string(), with: z.array(z.string()) })),
  orders: z.array(text),
});
const Languages = z.record(
  z.string(),
  z.strictObject({
    name: z.string(),
    stop: z.array(text).optional(),
    script: z.string().optional(),
    countries: z.record(z.string(), z.number()).optional(),
    words: z.string().optional(),
  }),
);
const Names = z.strictObject({
  heads: z.array(z.string()),
  tails: z.array(z.string()),
  streets: z.array(z.string()),
});

export type Places = z.infer<typeof Places>;
export type Trade = z.infer<typeof Trades>['trades'][number] & {
  /** Of data/kinds.yaml: its words only lean towards it. */
  weak?: boolean;
  /** What follows or stands before it is what it is done for, and no trade of the business. */
  takes?: boolean;
  /** A row of data/kinds.yaml, wider than one trade. */
  wide?: boolean;
};
export interface AllTrades {
  trades: Trade[];
  sectors: z.infer<typeof Trades>['sectors'];
}
export type Cues = z.infer<typeof Cues>;
export type Languages = z.infer<typeof Languages>;
export type Names = z.infer<typeof Names>;

/** Endings of legal names by the first language of a country. */
const LEGAL: Record<string, string[]> = {
  fr: ['SARL', 'SA'],
  es: ['S.A.', 'S.R.L.'],
  pt: ['Lda', 'S.A.'],
  ar: ['LLC'],
  ru: ['LLC'],
};

const lazy = <T>(file: string, schema: z.ZodType<T>): (() => T) => {
  let value: T | undefined;
  return () => {
    value ??= schema.parse(readDataFile(file.replace(/\.yaml$/, '')));
    return value;
  };
};

const Words = z.record(z.string(), z.record(z.string(), text));
const Counts = z.strictObject({
  treadle: z.literal('counts/1'),
  counts: z.array(z.strictObject({ tables: z.array(z.string()), words: z.array(text) })),
  /** Words whose number is told to be unanswered where no table counts them. */
  uncounted: z.array(text),
});
const Cities = z.record(z.string(), z.record(z.string(), z.string()));

const readPlaces = lazy('countries.yaml', Places);
let allPlaces: Places | undefined;

const MOST_OWN_CITIES = 8;

/** What follows from each country: those of data/countries.yaml, and the rest of the world by its cities and languages. */
export const places = (): Places => {
  if (allPlaces) return allPlaces;
  const known = readPlaces();
  const countries: Places['countries'] = { ...known.countries };
  for (const [code, zones] of Object.entries(cities())) {
    const facts = worldCountries[code as keyof typeof worldCountries];
    const [tz, line = ''] = Object.entries(zones)[0] ?? [];
    if (!facts || countries[code] || !tz) continue;
    const own = line.split('|').slice(0, MOST_OWN_CITIES);
    const language = facts.languages[0] ?? 'en';
    countries[code] = {
      tz,
      locale: language,
      legal: LEGAL[language] ?? ['Ltd'],
      cities: own.map((name) => name.split('~')[0] ?? ''),
    };
  }
  allPlaces = { ...known, countries };
  return allPlaces;
};
/** By language: a foreign word, or the beginning of one with a star, and the English words for it. */
export const words = lazy('words.yaml', Words);
/** Tables by the words that count their rows. */
export const counts = lazy('counts.yaml', Counts);
/** By country and time zone: names of cities, largest first, `|` between them. */
export const cities = lazy('cities.yaml', Cities);
/** By country: regions, and towns beside those of cities; `words` are the names among them that are also common words. */
export const regions = lazy(
  'regions.yaml',
  z.strictObject({
    regions: z.record(z.string(), z.string()),
    towns: z.record(z.string(), z.string()),
    words: z.string(),
  }),
);
/** By country: what it is called in other languages, `|` between the names. */
export const exonyms = lazy('exonyms.yaml', z.strictObject({ countries: z.record(z.string(), z.string()) }));
const listedTrades = lazy('trades.yaml', Trades);
const kinds = lazy('kinds.yaml', z.strictObject({ kinds: z.array(z.string()) }));
export const cues = lazy('cues.yaml', Cues);
export const languages = lazy('languages.yaml', Languages);
export const names = lazy('company-names.yaml', Names);

const WEIGHTS: Record<string, number> = { '+': 3, '': 2, '-': 1 };
const WEAKER = 0.8;

/** A line of data/kinds.yaml: `NAICS | noun | services | words`. */
const kindOf = (line: string): Trade => {
  const [code = '', noun = '', runsOn = '', list = ''] = line.split('|').map((part) => part.trim());
  const weak = code.startsWith('~');
  const cueList = list.split(',').map((word) => word.trim());
  const services = runsOn
    .replace('=', '')
    .split(' ')
    .map((each): [string, number] => {
      const [, id = '', mark = ''] = /^(\w+)([+-]?)$/.exec(each) ?? [];
      return [id, (WEIGHTS[mark] ?? 0) * (weak ? WEAKER : 1)];
    });
  return {
    id: (cueList[0] ?? '').replaceAll('*', '').replaceAll(' ', '_'),
    cues: cueList,
    naics: code.replace('~', '').trim(),
    noun,
    services: Object.fromEntries(services),
    wide: true,
    ...(weak ? { weak } : {}),
    ...(runsOn.startsWith('=') ? { takes: true } : {}),
  };
};

let allTrades: AllTrades | undefined;
/** The trades of data/trades.yaml, those of data/kinds.yaml after them, and what sectors run on. */
export const trades = (): AllTrades => {
  allTrades ??= { trades: [...listedTrades().trades, ...kinds().kinds.map(kindOf)], sectors: listedTrades().sectors };
  return allTrades;
};
