/** Options that several commands share. */
import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import type { Pins } from '../author/catalogue/author.js';
import { shortText, wholeNumber } from './arguments.js';

export const DEFAULT_OUT = 'treadle-out';

export const jsonOption = (): Option => new Option('--json', 'print one JSON value and nothing else on stdout');
export const seedOption = (): Option =>
  new Option('--seed <seed>', 'same seed, same bytes').default('1').argParser(shortText('--seed', '7'));
export const outOption = (): Option =>
  new Option('--out <dir>', 'corpus folder').default(DEFAULT_OUT).argParser(shortText('--out', DEFAULT_OUT));
export const worldsOption = (): Option =>
  new Option('--worlds <n>', 'worlds to make').default(1).argParser(wholeNumber('--worlds', 100_000));
export const tasksOption = (fallback: number): Option =>
  new Option('--tasks <n>', 'tasks a world').default(fallback).argParser(wholeNumber('--tasks', 10_000));
export const jobsOption = (): Option =>
  new Option('--jobs <n>', 'worker processes (default: one a core, for 8 worlds and more)').argParser(
    wholeNumber('--jobs', 64),
  );
export const faultOption = (): Option =>
  new Option(
    '--fault <rule>',
    'make a tool fail: TOOL=P1|P2|P3|P4[xN][@RATE], * for any name; P1 errs and recovers, P2 errs for good, P3 lies once, P4 lies for good; repeatable',
  )
    .default([], 'none')
    .argParser((rule: string, before: string[]) => [...before, rule]);
export const worldOption = (): Option => new Option('--world <id>', 'only this world');

/** Below this the start of more processes costs more than they give. */
const WORTH_SHARING = 8;

/** How many processes share the worlds: as asked, else one a core where there are enough worlds. */
export const jobsFor = (asked: number | undefined, worlds: number): number =>
  Math.min(worlds, asked ?? (worlds < WORTH_SHARING ? 1 : availableParallelism()));

/** What the user fixes about worlds. */
export const pinOptions = (command: Command): Command =>
  command
    .option('--country <code>', 'pin the country (ISO 3166 alpha-2)')
    .option('--industry <naics>', 'pin the industry (NAICS code of 2-6 digits)')
    .option('--services <ids>', 'pin the services, by archetype, separated by commas');

export const pinsOf = (options: { country?: string; industry?: string; services?: string }): Pins => ({
  ...(options.country ? { country: options.country } : {}),
  ...(options.industry ? { industry: options.industry } : {}),
  ...(options.services
    ? {
        archetypes: options.services
          .split(',')
          .map((id) => id.trim())
          .filter(Boolean),
      }
    : {}),
});
