/** Numbers and flags: what is stored brought into bounds, what is missing made inside them. */
import { parseIso } from '../../../kit/calendar.js';
import type { Json } from '../../../kit/hash.js';
import type { Rng } from '../../../kit/rng.js';
import { drawAt } from './draw.js';
import type { Flat } from './flat.js';
import { flagFor, isIdentifier, numberMaker } from './names.js';
import type { Scalar } from './text.js';

const INT32 = 2_147_483_647;

const readNumber = (value: Json): number | undefined => {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return undefined;
  const plain = value.trim();
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,3})?$/i.test(plain)) return Number(plain);
  return parseIso(plain);
};

export const numberScalar = (flat: Flat, name: string, integer: boolean): Scalar => {
  const { format, multipleOf } = flat.bounds;
  const whole = integer || format === 'int32' || format === 'int64';
  const narrow = whole && format === 'int32';
  const low = Math.max(flat.bounds.minimum ?? Number.NEGATIVE_INFINITY, narrow ? -INT32 : Number.NEGATIVE_INFINITY);
  const high = Math.min(flat.bounds.maximum ?? Number.POSITIVE_INFINITY, narrow ? INT32 : Number.POSITIVE_INFINITY);
  const { above = Number.NEGATIVE_INFINITY, below = Number.POSITIVE_INFINITY } = flat.bounds;
  const step = multipleOf ?? (whole ? 1 : undefined);
  const has = (value: number): boolean => {
    if (!Number.isFinite(value) || (whole && !Number.isInteger(value))) return false;
    if (value < low || value > high || value <= above || value >= below) return false;
    // Cents as multiples of 0.01 are not exact in binary.
    return multipleOf === undefined || Math.abs(value / multipleOf - Math.round(value / multipleOf)) < 1e-7;
  };
  const least = Math.max(low, above);
  const most = Math.min(high, below);
  const near = (value: number): number => {
    let fitted = Math.min(Math.max(value, least), most);
    if (step !== undefined) {
      fitted = Math.round(fitted / step) * step;
      if (fitted < low || fitted <= above) fitted = (Math.floor(Math.max(least / step, fitted / step)) + 1) * step;
      if (fitted > high || fitted >= below) fitted = (Math.ceil(Math.min(most / step, fitted / step)) - 1) * step;
      return Object.is(fitted, -0) ? 0 : fitted;
    }
    if (fitted <= above) fitted = Number.isFinite(most) ? (above + most) / 2 : above + 1;
    if (fitted >= below) fitted = Number.isFinite(least) ? (below + least) / 2 : below - 1;
    return fitted;
  };
  const accepts = (value: Json): boolean => typeof value === 'number' && has(value);
  const usual = numberMaker(name);
  const [example] = flat.examples.filter((one): one is number => typeof one === 'number' && has(one));
  const draw = (r: Rng): number => {
    if (example !== undefined && !isIdentifier(name)) return example;
    const named = usual?.(r);
    if (named !== undefined) return named;
    const from = Number.isFinite(least) ? least : Math.min(0, most - 100);
    const to = Math.min(Number.isFinite(most) ? most : from + 100, from + 1_000_000);
    return whole ? r.int(Math.ceil(from), Math.floor(to)) : Math.round((from + r.unit() * (to - from)) * 100) / 100;
  };
  return {
    accepts,
    from(value) {
      const number = readNumber(value);
      if (number === undefined || !Number.isFinite(number)) return undefined;
      if (has(number)) return number;
      const fitted = near(number);
      return has(fitted) ? fitted : undefined;
    },
    make(place) {
      const r = drawAt(place);
      const drawn = draw(r);
      if (has(drawn)) return drawn;
      const fitted = near(drawn);
      if (has(fitted)) return fitted;
      return [example, low, high, least + 1, 0, 1].find((one) => one !== undefined && has(one)) ?? 0;
    },
  };
};

export const flagScalar = (flat: Flat, name: string): Scalar => {
  const [example] = flat.examples.filter((one): one is boolean => typeof one === 'boolean');
  return {
    accepts: (value) => typeof value === 'boolean',
    from: (value) => {
      if (typeof value === 'boolean') return value;
      if (value === 1 || value === 'true' || value === '1') return true;
      return value === 0 || value === 'false' || value === '0' || value === '' ? false : undefined;
    },
    make: () => example ?? flagFor(name),
  };
};
