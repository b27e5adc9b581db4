/** When an event's moment has come: after an action, at a time, or by chance (DynaWeave, Figure 1b). */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { LedgerEntry } from '../../artifacts/trace.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';

const isObject = (value: unknown): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Whether the arguments hold all that is wanted of them. */
const holdsArgs = (given: Json, wanted: Record<string, unknown> | undefined): boolean =>
  wanted === undefined ||
  (isObject(given) &&
    Object.entries(wanted).every(
      ([name, value]) =>
        Object.hasOwn(given, name) &&
        (given[name] === value || canonicalJson(given[name] as Json) === canonicalJson(value as Json)),
    ));

/** Only successful calls count: an action that failed is not completed. */
export const isMatch = ({ when }: ScenarioEvent, { ok, tool, args }: LedgerEntry): boolean =>
  'after' in when && ok && tool === when.after.tool && holdsArgs(args, when.after.args);

/** 32 bits of each event's own, by the seed they were drawn with: a draw is made after every call, a digest would cost as much. */
const origins = new WeakMap<ScenarioEvent, { seed: string; bits: number }>();

const originOf = (event: ScenarioEvent, seed: string): number => {
  const known = origins.get(event);
  if (known?.seed === seed) return known.bits;
  const bits = rng(seed, 'event', event.id).int(0, 0x7fffffff);
  origins.set(event, { seed, bits });
  return bits;
};

/** murmur3's finaliser: every bit of the step reaches every bit of the draw. */
const mixed = (bits: number): number => {
  let x = bits | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
};

/** The draw of a step depends on seed, event and step alone, never on other events. */
const isDrawn = (seed: string, event: ScenarioEvent, step: number, p: number): boolean =>
  mixed(mixed(originOf(event, seed) + Math.imul(step, 0x9e3779b1)) ^ step) < p * 2 ** 32;

/** Whether the trigger has come by now, other conditions apart. */
export const isTriggered = (
  event: ScenarioEvent,
  { seed, step, now, matches }: { seed: string; step: number; now: number; matches: number },
): boolean => {
  const { when } = event;
  if ('after' in when) return matches >= when.after.nth;
  if ('at' in when) return now >= when.at;
  const { p, from, to } = when.random;
  return now >= from && now <= to && isDrawn(seed, event, step, p);
};

/** Virtual time after which it cannot come any more; undefined where it always may. */
export const lastMoment = ({ when, expires }: ScenarioEvent): number | undefined => {
  const end = 'random' in when ? when.random.to : undefined;
  return end === undefined || (expires !== undefined && expires < end) ? expires : end;
};

/** The next virtual time after `now` at which it may come by the clock alone. */
export const nextMoment = ({ when }: ScenarioEvent, now: number): number | undefined => {
  if ('at' in when) return when.at > now ? when.at : undefined;
  return 'random' in when && when.random.from > now ? when.random.from : undefined;
};
