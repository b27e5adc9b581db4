/** Levels of the North American Industry Classification System (NAICS 2017), from the codes alone. */

export interface IndustryLevel {
  level: 'sectors' | 'subsectors' | 'industry groups' | 'industries' | 'national industries';
  /** Different codes of the level. */
  codes: number;
  /** How many the classification has. */
  of: number;
}

/** Digits, name and number of codes of each level. */
const LEVELS: readonly (readonly [digits: number, level: IndustryLevel['level'], of: number])[] = [
  [2, 'sectors', 20],
  [3, 'subsectors', 99],
  [4, 'industry groups', 311],
  [5, 'industries', 709],
  [6, 'national industries', 1057],
];

/** Three sectors have several two-digit numbers. */
const SPANS: readonly (readonly [string, readonly string[]])[] = [
  ['31-33', ['31', '32', '33']],
  ['44-45', ['44', '45']],
  ['48-49', ['48', '49']],
];

/** The sector of a code of any level: `31-33` of `3118`. */
export const sectorOf = (industry: string): string => {
  const two = industry.slice(0, 2);
  return SPANS.find(([, numbers]) => numbers.includes(two))?.[0] ?? (two || 'none');
};

/** How many codes of each level are among `industries`; levels without one stay. */
export const industryLevels = (industries: Iterable<string>): IndustryLevel[] => {
  const codes = new Set([...industries].map((code) => (/^\d\d(-\d\d)?$/.test(code) ? sectorOf(code) : code)));
  const digits = (code: string): number => (code.includes('-') ? 2 : code.length);
  return LEVELS.map(([length, level, of]) => ({
    level,
    codes: [...codes].filter((code) => digits(code) === length).length,
    of,
  }));
};
