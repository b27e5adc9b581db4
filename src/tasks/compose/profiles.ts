/** Profiles of composed tasks, and how many tasks of a corpus each gets (weft.txt 3.1.2 "Coverage-aware sampling", A.2). */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { Profile } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';

const Range = z
  .tuple([z.number().int().min(1), z.number().int().min(1)])
  .refine(([low, high]) => low <= high, 'a range begins with its smaller end');

const Ranges = z.strictObject({
  /** Atomic tasks. */
  stages: Range,
  services: Range,
  domains: Range,
  /** Share of a corpus. */
  share: z.number().min(0),
});

const File = z.strictObject({
  /** Certified atomic tasks that the services must offer for each one taken. */
  surplus: z.number().min(1),
  profiles: z.partialRecord(Profile, Ranges),
});

export type ProfileRanges = z.infer<typeof Ranges>;
export type Profiles = z.infer<typeof File>;

const MOST_STAGES = 100;

/** Reads a profile file. Throws `bad_profiles` with the place that is wrong. */
export const parseProfiles = (text: string, where: string): Profiles => {
  const refused = (message: string, value: unknown): TreadleError =>
    new TreadleError({
      code: 'bad_profiles',
      message: `${where}: ${message}`,
      value,
      next: 'Give each of simple, standard, moderate, complex, expert its stages, services, domains and share.',
    });
  let read: unknown;
  try {
    read = parse(text);
  } catch (thrown) {
    throw refused((thrown as Error).message.split('\n')[0] ?? 'no YAML', where);
  }
  const result = File.safeParse(read);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw refused(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`, where);
  }
  const long = Object.entries(result.data.profiles).find(([, { stages }]) => stages[1] > MOST_STAGES);
  if (long) throw refused(`profiles.${long[0]}.stages: at most ${MOST_STAGES}`, long[1].stages[1]);
  return result.data;
};

let own: Profiles | undefined;

export const defaultProfiles = (): Profiles => {
  own ??= parseProfiles(readFileSync(new URL('../../../data/profiles.yaml', import.meta.url), 'utf8'), 'profiles.yaml');
  return own;
};

/**
 * Whole numbers that add up to `count`, in proportion to the shares: each gets the whole part of its due, and what is left goes
 * to the largest remainders, the earlier first among equals. Throws `bad_mix` for shares that are no such thing.
 */
export const quotasOf = <K extends string>(count: number, shares: Readonly<Record<K, number>>): Record<K, number> => {
  const entries = Object.entries(shares) as [K, number][];
  const sum = entries.reduce((all, [, share]) => all + share, 0);
  const bad = entries.find(([, share]) => !(share >= 0) || !Number.isFinite(share));
  if (bad || !(sum > 0))
    throw new TreadleError({
      code: 'bad_mix',
      message: bad ? `The share of ${bad[0]} is no share` : 'No profile has a share',
      value: bad ? bad[1] : shares,
      next: 'Give shares of zero or more, at least one above zero: --mix simple=1,expert=2.',
    });
  const due = entries.map(([name, share]) => ({ name, exact: (count * share) / sum }));
  const out = Object.fromEntries(due.map(({ name, exact }) => [name, Math.floor(exact)])) as Record<K, number>;
  let left = count - due.reduce((all, { name }) => all + out[name], 0);
  // Stable: among equal remainders the order of the profiles decides.
  for (const { name } of [...due].sort((a, b) => (b.exact % 1) - (a.exact % 1))) {
    if (left-- <= 0) break;
    out[name]++;
  }
  return out;
};

/** `simple=1,expert=2` over the profiles; those not named get none. Throws `bad_mix`. */
export const parseMix = (text: string): Record<Profile, number> => {
  const out = Object.fromEntries(Profile.options.map((name) => [name, 0])) as Record<Profile, number>;
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=').map((piece) => piece.trim());
    const known = Profile.safeParse(name);
    const share = Number(value);
    if (!known.success || value === '' || !(share >= 0) || !Number.isFinite(share))
      throw new TreadleError({
        code: 'bad_mix',
        message: 'A mix names profiles and their shares',
        value: part,
        next: `Write for example --mix simple=1,expert=2; profiles are ${Profile.options.join(', ')}.`,
      });
    out[known.data] = share;
  }
  return out;
};
