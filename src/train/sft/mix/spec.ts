/**
 * What `--mix` asks for. One arm: `user=none:0.5,simulated:0.5`, shares of the values of a facet (equal ones where none are given).
 * All arms of a facet: `by=profile` makes `mixed` (every value), `only` each value, and, of three values or more, `without` each:
 * the subsets that the papers compare (weft.txt, Table 2: one view, the other, both, and harnesses; dynaweave.txt, Table 2: mixed
 * and without each event source). A facet may be a product: `user/harness=none/react:0.5,none/openclaw:0.5`. `by=source` is of
 * rollouts in which events fired (by-source.ts).
 */
import { TreadleError } from '../../../errors.js';
import { FACETS, type Facet, type Facets } from '../facets.js';

export interface ArmSpec {
  facets: Facet[];
  /** Of the sources of the events that fired, whatever they came with, in the shares that there are. */
  isBySource?: true;
  /** Absent: all arms of the facet. */
  shares?: { value: string; share: number }[];
}

export interface MixSpec {
  arms: ArmSpec[];
  /** Rollouts of the nested subsets, rising; absent: one size, the largest that every arm can fill. */
  sizes?: number[];
  /** Draw only from tasks that have rows of every value, so that arms differ in nothing but the facet. */
  sameTasks?: boolean;
}

const bad = (message: string, value: string): TreadleError =>
  new TreadleError({
    code: 'bad_option',
    message: `--mix ${message}`,
    value: value.slice(0, 80),
    next: `Give for example --mix user=none:0.5,simulated:0.5 --mix by=profile or --mix by=source; the facets are ${FACETS.join(', ')}.`,
  });

const facetsIn = (text: string, whole: string): Facet[] => {
  const named = text.split('/').map((name) => name.trim());
  const stray = named.find((name) => !(FACETS as readonly string[]).includes(name));
  if (stray !== undefined) throw bad('names no such facet', stray || whole);
  if (new Set(named).size < named.length) throw bad('names a facet twice', text);
  return named as Facet[];
};

const ROUNDING = 0.005;

/** Reads one `--mix`; throws `bad_option`. */
export const armSpecOf = (text: string): ArmSpec => {
  const at = text.indexOf('=');
  if (at < 1) throw bad('takes a facet and its values', text);
  const [left, right] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (left === 'by' && right === 'source') return { facets: ['event'], isBySource: true };
  if (left === 'by') return { facets: facetsIn(right, text) };
  const facets = facetsIn(left, text);
  const parts = right.split(',').map((part) => {
    // Values may hold a colon themselves (a model's name): the share stands behind the last one.
    const [, value = '', share] = /^(.*?)(?::(\d*\.?\d+))?$/.exec(part.trim()) ?? [];
    return { value: value.trim(), share: share === undefined ? undefined : Number(share) };
  });
  if (parts.some(({ value }) => value === '')) throw bad('has a value without a name', text);
  if (new Set(parts.map(({ value }) => value)).size < parts.length) throw bad('names a value twice', text);
  const given = parts.filter(({ share }) => share !== undefined);
  if (given.length > 0 && given.length < parts.length) throw bad('gives a share to some values only', text);
  const shares = parts.map(({ value, share = 1 / parts.length }) => ({ value, share }));
  if (shares.some(({ share }) => share <= 0)) throw bad('gives a value no share', text);
  const sum = shares.reduce((total, { share }) => total + share, 0);
  if (Math.abs(sum - 1) > ROUNDING) throw bad(`has shares that add up to ${Number(sum.toFixed(4))}, not 1`, text);
  return { facets, shares };
};

/** Reads `--sizes 100,1000`; throws `bad_option`. */
export const sizesOf = (text: string): number[] => {
  const sizes = text.split(',').map((part) => (/^[1-9]\d{0,8}$/.test(part.trim()) ? Number(part) : Number.NaN));
  if (sizes.every((size, i) => size > (sizes[i - 1] ?? 0))) return sizes;
  throw new TreadleError({
    code: 'bad_option',
    message: '--sizes takes whole numbers that rise',
    value: text.slice(0, 80),
    next: 'Give for example --sizes 100,1000.',
  });
};

export const cellOf = (facets: readonly Facet[], of: Facets): string => facets.map((facet) => of[facet]).join('/');
