/** NAICS codes and titles. */
import { createRequire } from 'node:module';
import { TreadleError } from '../../../errors.js';

interface Entry {
  code: string;
  title: string;
  description: string;
}

/** The package carries no types. */
const { Industry: Titles } = createRequire(import.meta.url)('naics') as {
  Industry: { from(code: string): Entry | undefined; codes(): Iterable<Entry> };
};

export interface Industry {
  naics: string;
  title: string;
}

/** Sectors of several two-digit numbers: the classification writes them as a span. */
const SPANS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['31', '32', '33'].map((two) => [two, '31-33'])),
  ...Object.fromEntries(['44', '45'].map((two) => [two, '44-45'])),
  ...Object.fromEntries(['48', '49'].map((two) => [two, '48-49'])),
};

/** Every code of NAICS 2017, of all five levels: sectors (`62`, `31-33`), subsectors, groups, industries, national industries. */
export const allIndustries = (): Entry[] => [...Titles.codes()];

/** All industries of six digits. */
export const nationalIndustries = (): Entry[] => allIndustries().filter(({ code }) => /^\d{6}$/.test(code));

/** The two-digit numbers of a sector: `31`, `32` and `33` for `31-33`. */
export const spanOf = (code: string): string[] => {
  const own = Object.keys(SPANS).filter((two) => SPANS[two] === code);
  return own.length > 0 ? own : [code];
};

/** Whether a code of any level stands under `prefix`, which may be a sector's span or one of its numbers. */
export const isUnder = (code: string, prefix: string): boolean =>
  spanOf(prefix).some((each) => spanOf(code).some((own) => own.startsWith(each)));

/** The industry of a code of 2 to 6 digits, or of a sector's span. Throws `unknown_industry`. */
export const industryOf = (given: string): Industry => {
  const code = SPANS[given] ?? given;
  let title: string | undefined;
  try {
    title = Titles.from(code)?.title;
  } catch {
    title = undefined;
  }
  if (!title)
    throw new TreadleError({
      code: 'unknown_industry',
      message: `There is no NAICS industry ${given}`,
      value: given,
      next: 'Give a NAICS 2017 code of 2 to 6 digits such as 722511, 7225, 62 or 31-33.',
    });
  return { naics: code, title: title.trim() };
};
