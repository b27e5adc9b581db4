/**
 * Less explicit words for a descriptor, for briefs whose writer cannot be asked: a first name, the month for the day, a round
 * sum. Offered only where the data makes them mean the same one row, and where a look-up that does not use the exact words was
 * executed and showed the row with its exact value.
 */
import type { Binding } from '../../artifacts/task.js';
import { longDate, startOfDay } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import type { SqlValue } from '../../world/state/types.js';
import { minorDigits } from '../../world/surface/money.js';
import { encodeValue } from '../../world/surface/values.js';
import { type Descriptor, fitting } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import { dropPlan, pathTo, startPlan } from '../ground/plan.js';
import { reveal } from '../ground/reveal.js';
import { currencyOf, sayMoney } from '../ground/say.js';
import { PERSON } from '../words/context.js';
import { nounOf } from '../words/names.js';
import { type Subject, subjectOf } from './subject.js';

interface Looser {
  words: string;
  /** Whether another row's value would be meant as well. */
  fits: (value: SqlValue | undefined) => boolean;
}

const monthOf = (seconds: number): string => longDate(seconds).split(' ').slice(1).join(' ');

/** EUR 1,284.50 -> about EUR 1,300: two figures are kept, and everything within a tenth is meant. */
const roundSum = (value: number, currency: string): Looser | undefined => {
  const unit = 10 ** minorDigits(currency);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(value) / unit))) - 1) * unit;
  const round = Math.round(value / step) * step;
  if (round === value || Math.abs(value) < 20 * unit) return undefined;
  return {
    words: `about ${sayMoney(round, currency).replace(/\.0+$/, '')}`,
    fits: (other) => typeof other === 'number' && Math.abs(other - value) <= Math.abs(value) / 10,
  };
};

const wordsIn = (text: string): string[] => text.toLowerCase().split(/[\s,]+/);

/** Somebody's first name. */
const firstName = (name: string): Looser | undefined => {
  const [first = '', ...rest] = name.split(' ');
  if (rest.length === 0 || !/^\p{Lu}[\p{L}’'-]{2,}$/u.test(first)) return undefined;
  return { words: first, fits: (other) => typeof other === 'string' && wordsIn(other).includes(first.toLowerCase()) };
};

/** The beginning of a name, up to a comma or without its last word: `Brinkhof`, `Rye Bread` of `Rye Bread, 2 kg`. */
const beginning = (name: string): Looser | undefined => {
  const [head = '', tail] = name.split(/, /);
  const short = tail === undefined ? head.split(' ').slice(0, -1).join(' ') : head;
  if (short.length < 5 || /[“”\d]$|\b(of|the|and|for|in|de|la|von|van)$/i.test(short)) return undefined;
  const own = short.toLowerCase();
  return { words: short, fits: (other) => typeof other === 'string' && other.toLowerCase().includes(own) };
};

const isBare = (text: string): boolean => !/[“”]/.test(text) && /^\p{Lu}/u.test(text);

const byName = (name: string, noun: string, isCore: boolean): Looser | undefined =>
  PERSON.test(noun) || isCore ? firstName(name) : beginning(name);

const looser = (subject: Subject, { col, value, parent, words }: Descriptor): Looser | undefined => {
  const { service, table, row } = subject;
  const spec = service.spec.tables[table];
  const column = spec?.cols[col];
  if (!spec || !column) return undefined;
  if (parent) {
    const there = parent.service.spec.tables[parent.table];
    return there?.label && isBare(words) ? byName(words, nounOf(there), parent.service.role === 'core') : undefined;
  }
  if ((column.type === 'date' || column.type === 'datetime') && typeof value === 'number') {
    const month = monthOf(startOfDay(value));
    return { words: month, fits: (other) => typeof other === 'number' && monthOf(startOfDay(other)) === month };
  }
  if (column.type === 'money' && typeof value === 'number') return roundSum(value, currencyOf(service.spec, spec, row));
  const isName = col === spec.label && /(^|_)name$/.test(col) && isBare(words);
  return isName ? byName(words, nounOf(spec), service.role === 'core') : undefined;
};

/** Whether a look-up by the other descriptors alone shows the row, with the value that was not said exactly. */
const isShown = (
  ground: Ground,
  { service, table, row }: Pick<Subject, 'service' | 'table' | 'row'>,
  col: string,
  others: readonly Descriptor[],
  random: Rng,
): boolean => {
  const column = service.spec.tables[table]?.cols[col];
  if (!column) return false;
  const start = startPlan(ground.fresh());
  const plan = reveal({ world: ground.world, known: ground, service, random }, start, table, row, others);
  dropPlan(start);
  if (!plan) return false;
  const shown = encodeValue(service.spec, column, row[col] ?? null, row);
  const isSeen = plan.observations.some((observation) => pathTo(observation, shown) !== undefined);
  dropPlan(plan);
  return isSeen;
};

/** The looser words mean this row alone, and it can be found by them: a named other row is found by itself first. */
const isFound = (ground: Ground, subject: Subject, loosened: Descriptor, { fits }: Looser, random: Rng): boolean => {
  const { parent } = loosened;
  const others = subject.descriptors.filter((one) => one !== loosened);
  const { service, table } = parent ?? subject;
  const col = parent ? (service.spec.tables[table]?.label ?? '') : loosened.col;
  const all = ground.rows(service)(table);
  const meant = parent ? all : fitting(service, table, others, all);
  if (meant.filter((row) => fits(row[col])).length !== 1) return false;
  return parent ? isShown(ground, parent, col, [], random) : isShown(ground, subject, col, others, random);
};

/** Looser words by column for one binding; at most one of its descriptors is loosened. */
export const looseWords = (
  ground: Ground,
  binding: Binding,
  random: Rng,
): { col: string; words: string } | undefined => {
  const subject = subjectOf(ground, binding);
  for (const descriptor of subject?.descriptors ?? []) {
    const found = subject && looser(subject, descriptor);
    if (found && isFound(ground, subject, descriptor, found, random))
      return { col: descriptor.col, words: found.words };
  }
  return undefined;
};
