/** Ids that a pattern describes: one of the styles that ids are written in, where the pattern is a prefix and one class of characters. */
import type { IdStyle } from '../../artifacts/table.js';

/** `^(SM|MM)[0-9a-fA-F]{32}$`: a literal or the first of several, a class, how many. */
const SHAPE =
  /^\^?(?:((?:[\w:-]|\\[-_.:])*)|\(\??:?([\w:-]+)(?:\|[\w:-]+)*\))(\[[^\]^][^\]]*\]|\\d|\\w)(?:\{(\d+)(?:,(\d*))?\}|([+*]))\$?$/;

/** The wider first. */
const ALPHABETS: readonly [IdStyle['style'], string][] = [
  ['base62', '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'],
  ['base36', '0123456789abcdefghijklmnopqrstuvwxyz'],
  ['upper', '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  ['hex', '0123456789abcdef'],
  ['digits', '0123456789'],
];
const USUAL = 12;
const [SHORTEST, LONGEST] = [3, 32];

const regExp = (source: string): RegExp | undefined => {
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
};

/** `^\d{10}\.\d{6}$`: digits, a mark, and one class of characters, as many of each. The digits before it are the same for all. */
const LED = /^\^?\\d\{(\d{1,2})\}(?:\\?([.:_-]))(\[[^\]^][^\]]*\]|\\d|\\w)\{(\d{1,2})\}\$?$/;

/** `^[CGD][A-Z0-9]{8,}$`: the first of the letters that an id may begin with. */
const FIRST = /^\^?\[(\w)[\w-]*\]((?:\[[^\]^][^\]]*\]|\\d|\\w)(?:\{\d+(?:,\d*)?\}|[+*])\$?)$/;

const withoutLead = (pattern: string): { lead: string; rest: string } | undefined => {
  const [, letter, after] = FIRST.exec(pattern) ?? [];
  if (letter !== undefined && after !== undefined) return { lead: letter, rest: `^${after}` };
  const [, digits, mark, of, length] = LED.exec(pattern) ?? [];
  if (digits === undefined || mark === undefined || Number(digits) > 20) return undefined;
  return { lead: `${'17'.padEnd(Number(digits), '0').slice(0, Number(digits))}${mark}`, rest: `^${of}{${length}}$` };
};

/** Undefined where the pattern is of another shape. */
export const patternStyle = (pattern: string): IdStyle | undefined => {
  const led = withoutLead(pattern);
  if (led) {
    const style = patternStyle(led.rest);
    return style && regExp(pattern) ? { ...style, prefix: led.lead } : undefined;
  }
  const found = SHAPE.exec(pattern);
  const whole = regExp(pattern);
  if (!found || !whole) return undefined;
  const [, literal = '', first, of = '', least, most, many] = found;
  const prefix = first ?? literal.replaceAll('\\', '');
  const one = regExp(`^${of}$`);
  const [low, high] =
    many !== undefined ? [1, LONGEST] : [Number(least), most === undefined ? Number(least) : Number(most || LONGEST)];
  const length = Math.max(low, SHORTEST, Math.min(USUAL, high));
  if (!one || length > Math.min(high, LONGEST) || prefix.length > 24) return undefined;
  const style = ALPHABETS.find(([, letters]) => [...letters].every((letter) => one.test(letter)));
  if (!style || !whole.test(prefix + style[1][1]?.repeat(length))) return undefined;
  return { style: style[0], ...(prefix === '' ? {} : { prefix }), length };
};
