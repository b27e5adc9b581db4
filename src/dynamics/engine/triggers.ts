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
        Object.hasOwn(given, name) && canonicalJson(given[name] as Json) === canonicalJson(value as Json),
    ));

/** Only successful calls count: an action that failed is not completed. */
export const isMatch = ({ when }: ScenarioEvent, { ok, tool, args }: LedgerEntry): boolean =>
  'after' in when && ok && tool === when.after.tool && holdsArgs(args, when.after.args);

/** The draw of a step depends on seed, event and step alone, never on other events. */
const isDrawn = (seed: string, event: string, step: number, p: number): boolean =>
  rng(seed, 'event', event, String(step)).chance(p);

/** Whether the trigger has come by now, other conditions apart. */
export const isTriggered = (
  event: ScenarioEvent,
  { seed, step, now, matches }: { seed: string; step: number; now: number; matches: number },
): boolean => {
  const { when } = event;
  if ('after' in when) return matches >= when.after.nth;
  if ('at' in when) return now >= when.at;
  const { p, from, to } = when.random;
  return now >= from && now <= to && isDrawn(seed, event.id, step, p);
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
