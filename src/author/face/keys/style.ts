/** Ids that fit what names them: the style that the document suggests where it fits, else one made of the bounds. */
import type { IdStyle } from '../../../artifacts/table.js';
import { LONGEST } from '../../../kit/language/language.js';
import { idOf } from '../../../world/ids.js';
import { type Bounds, isFree, isWithin, onePattern, UUID } from './bounds.js';

const TRIED = 24;
/** Ids of six digits, as numbers usually are. */
const [USUAL_LOW, USUAL_HIGH] = [100_000, 999_999];
const SAFE = Number.MAX_SAFE_INTEGER;

/** Whether its ids are within the bounds, as far as some of them tell. */
export const fitsStyle = (style: IdStyle, bounds: Bounds): boolean => {
  if (isFree(bounds) && !bounds.isNumber) return true;
  const { min, max } = bounds;
  if (style.style === 'integer' || style.style === 'digits') {
    const digits = style.length ?? (style.style === 'integer' ? 6 : 8);
    const [low, high] = [style.min ?? 10 ** (digits - 1), style.max ?? 10 ** digits - 1];
    if (low < min || high > max) return false;
  }
  return Array.from({ length: TRIED }, (_, n) => n).every((n) => isWithin(bounds, String(idOf(style, 'tried', n))));
};

/** Numbers may grow longer where nothing is above them. */
const isBounded = ({ min, max }: Bounds): boolean => min > USUAL_LOW || max < SAFE;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Six digits where they fit, else as few more or less as the bounds ask for. */
const rangeOf = ({ min, max }: Bounds): { min: number; max: number } => {
  const low = max >= 1 ? Math.max(min, 1) : Math.max(min, 0);
  if (low <= USUAL_LOW && max >= USUAL_HIGH) return { min: USUAL_LOW, max: USUAL_HIGH };
  if (low > USUAL_LOW) return { min: low, max: Math.min(max, Math.max(low * 10, low + USUAL_HIGH)) };
  // Most of what there is, without its first tenth: short numbers look like no ids.
  return { min: max > 1_000 ? Math.max(low, Math.ceil(max / 10)) : low, max };
};

export const valuesPattern = (values: readonly string[]): string => `^(?:${values.map(escaped).join('|')})$`;

/** `isNumber`: the key is stored as a number. Bounds that no number meets are of something else, and bind no number. */
export const styleWithin = (bounds: Bounds, isNumber: boolean): IdStyle => {
  const made = styleOf(bounds, isNumber);
  if (!isNumber || Number.isSafeInteger(idOf(made, 'tried', 0))) return made;
  return { style: 'integer', ...rangeOf(bounds) };
};

const styleOf = (bounds: Bounds, isNumber: boolean): IdStyle => {
  const { values, patterns, minLength, maxLength } = bounds;
  const style = isNumber ? 'integer' : 'pattern';
  if (values) return { style, pattern: valuesPattern(values) };
  if ((isNumber || bounds.isNumber) && patterns.length === 0) {
    const of = isNumber ? 'integer' : 'digits';
    return isBounded(bounds) ? { style: of, ...rangeOf(bounds) } : { style: of, length: 6 };
  }
  const lengths = {
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength < LONGEST ? { maxLength } : {}),
  };
  if (patterns.length === 1 && patterns[0] === UUID && minLength <= 36 && maxLength >= 36) return { style: 'uuid' };
  const digits = isNumber || bounds.isNumber ? [String.raw`^(?:0|[1-9]\d{0,14})$`] : [];
  const pattern = onePattern([...digits, ...patterns]) ?? '^[0-9a-z]*$';
  return { style, pattern, ...lengths };
};
