/** A fault rule as people write it: `POST /charges=429`, `GET /x=503x2`, `createCharge=timeout@10%`, `*=latency:100ms-2s`. */
import { TreadleError } from '../../../errors.js';
import { durationMs } from '../../../kit/duration.js';

export type FaultEffect =
  /** An error in place of the operation. */
  | { kind: 'answer'; status: number }
  /** No answer: the connection is held for `ms`, or until the client goes away, and cut then. */
  | { kind: 'timeout'; ms: number }
  /** The connection is cut at once. */
  | { kind: 'reset' }
  /** The operation runs, later by `low` to `high` milliseconds. */
  | { kind: 'latency'; low: number; high: number };

export interface FaultRule {
  /** As written. */
  text: string;
  /** What stands before the `=`. */
  target: string;
  effect: FaultEffect;
  /** Share of the requests that it strikes, above 0 and up to 1. */
  share: number;
  /** How many requests of a session it strikes at most. */
  times: number;
}

/** How long a timeout holds a connection that its client does not give up. */
const HOLD_MS = 60_000;
const LONGEST_MS = 3_600_000;
const FORM = 'METHOD /path=429, or an operationId and timeout, reset, latency:200ms; then @10% and x2 where wanted';

const bad = (text: string, why: string): TreadleError =>
  new TreadleError({ code: 'bad_fault_rule', message: why, value: text, next: `Write it as ${FORM}.` });

const lengthIn = (text: string, written: string): number => {
  const ms = durationMs(written);
  if (ms === undefined || ms > LONGEST_MS)
    throw bad(text, `${written || 'Nothing'} is no length of time up to an hour`);
  return ms;
};

const effectOf = (text: string, what: string): FaultEffect => {
  if (/^\d{3}$/.test(what)) {
    const status = Number(what);
    if (status < 400 || status > 599) throw bad(text, `${what} is no error status: 400 to 599 are`);
    return { kind: 'answer', status };
  }
  const cut = what.indexOf(':');
  const [name, given] = cut < 0 ? [what, undefined] : [what.slice(0, cut), what.slice(cut + 1)];
  if (name === 'timeout') return { kind: 'timeout', ms: given === undefined ? HOLD_MS : lengthIn(text, given) };
  if (name === 'reset' && given === undefined) return { kind: 'reset' };
  if (name === 'latency' && given !== undefined) {
    const [low = '', high = low] = given.split('-');
    const range = { low: lengthIn(text, low), high: lengthIn(text, high) };
    if (range.high < range.low) throw bad(text, 'A range of latency goes from the shorter to the longer');
    return { kind: 'latency', ...range };
  }
  throw bad(text, `${what || 'Nothing'} is no fault`);
};

const shareOf = (text: string, written: string): number => {
  const share = /^\d+(\.\d+)?%$/.test(written) ? Number(written.slice(0, -1)) / 100 : Number.NaN;
  if (!(share > 0 && share <= 1)) throw bad(text, `@${written} is no share: @0.1% to @100% are`);
  return share;
};

const timesOf = (text: string, written: string): number => {
  const times = Number(written);
  if (!Number.isSafeInteger(times) || times < 1) throw bad(text, `x${written} is no number of times`);
  return times;
};

/** Throws `bad_fault_rule`. */
export const parseFaultRule = (text: string): FaultRule => {
  const at = text.lastIndexOf('=');
  if (at < 1) throw bad(text, 'A fault rule has an operation, an equals sign and a fault');
  const target = text.slice(0, at).trim();
  const found = /^(.*?)((?:@[^@x]*|x\d*)*)$/s.exec(text.slice(at + 1).trim());
  const [, what = '', ends = ''] = found ?? [];
  let [share, times] = [1, Number.POSITIVE_INFINITY];
  for (const [, mark, written = ''] of ends.matchAll(/([@x])([^@x]*)/g))
    if (mark === '@') share = shareOf(text, written.trim());
    else times = timesOf(text, written.trim());
  if (target === '') throw bad(text, 'No operation is named');
  return { text, target, effect: effectOf(text, what.trim()), share, times };
};
