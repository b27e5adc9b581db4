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

/** All industries of six digits. */
export const nationalIndustries = (): Entry[] => [...Titles.codes()].filter(({ code }) => /^\d{6}$/.test(code));

/** The industry of a code of 2 to 6 digits. Throws `unknown_industry`. */
export const industryOf = (code: string): Industry => {
  let title: string | undefined;
  try {
    title = Titles.from(code)?.title;
  } catch {
    title = undefined;
  }
  if (!title)
    throw new TreadleError({
      code: 'unknown_industry',
      message: `There is no NAICS industry ${code}`,
      value: code,
      next: 'Give a NAICS 2017 code such as 722511 or 62.',
    });
  return { naics: code, title: title.trim() };
};
