/** The faults of one session: which call fails or lies follows from the seed, the rule, the tool and how often it was called. */
import { z } from 'zod';
import { TreadleError } from '../../errors.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { encodeError } from '../../world/surface/answer.js';
import type { Answered } from '../sessions/entry.js';
import type { Woven, WovenAnswer, WovenCall } from '../sessions/woven.js';
import { corrupted } from './corrupt.js';
import { type Failure, lastingFailure, passingFailure } from './failures.js';
import { type FaultRule, lies, matches, passes } from './rule.js';

/** Of one rule and one tool. */
interface Course {
  calls: number;
  /** Calls that a fault under way goes on for; -1: for good. */
  left: number;
}

const Saved = z.record(z.string(), z.tuple([z.number().int().min(0), z.number().int().min(-1)]));

const keyOf = ({ text, seed }: FaultRule, tool: string): string =>
  [text, tool, ...(seed === undefined ? [] : [seed])].join('\u0000');

/** The lie that a rule makes of a result; `about`: which call, or its arguments where the lie lasts. Undefined where there is none. */
export const lieOf = (rule: FaultRule, seed: string, tool: string, about: string, result: Json): Json | undefined =>
  corrupted(result, rng(rule.seed ?? seed, 'lie', rule.text, tool, about), rule.about);

/** What tells one lie of a tool from another: a lasting one is the same each time the same is asked. */
export const aboutOf = ({ profile }: Pick<FaultRule, 'profile'>, nth: number, args: unknown): string =>
  passes(profile) ? String(nth) : canonicalJson((args ?? {}) as Json);

export class FaultPlan implements Woven {
  readonly #courses: Map<string, Course>;

  /** `seed`: of the session; its forks share it, and so fail alike from then on. */
  constructor(
    readonly rules: readonly FaultRule[],
    readonly seed: string,
    courses = new Map<string, Course>(),
  ) {
    this.#courses = courses;
  }

  instead(call: WovenCall): WovenAnswer | undefined {
    for (const rule of this.rules) {
      if (lies(rule.profile) || !matches(rule, call.tool) || !this.#strikes(rule, call.tool)) continue;
      const random = rng(rule.seed ?? this.seed, 'failure', rule.text, call.tool);
      return failed(call, passes(rule.profile) ? passingFailure(random) : lastingFailure(random), rule);
    }
    return undefined;
  }

  after(call: WovenCall, answered: Answered): Answered {
    // Only reads may lie: a write that reports what it did not do could not be told from a defect.
    if (!answered.ok || !call.isRead) return answered;
    for (const rule of this.rules) {
      if (!lies(rule.profile) || !matches(rule, call.tool)) continue;
      const nth = this.#courses.get(keyOf(rule, call.tool))?.calls ?? 0;
      if (!this.#strikes(rule, call.tool)) continue;
      const result = lieOf(rule, this.seed, call.tool, aboutOf(rule, nth, call.args), answered.result);
      if (result !== undefined) return { ...answered, result, injected: { profile: rule.profile, rule: rule.text } };
    }
    return answered;
  }

  /** Counts the call, and says whether the rule strikes it. */
  #strikes(rule: FaultRule, tool: string): boolean {
    const key = keyOf(rule, tool);
    const { calls, left } = this.#courses.get(key) ?? { calls: 0, left: 0 };
    const begins =
      left === 0 &&
      (rule.rate === undefined ? calls === 0 : rng(this.seed, 'fault', key, String(calls)).chance(rule.rate));
    const lasts = begins ? (passes(rule.profile) ? rule.times : -1) : left;
    this.#courses.set(key, { calls: calls + 1, left: lasts > 0 ? lasts - 1 : lasts });
    return lasts !== 0;
  }

  /** With one rule more, from now on. */
  with(rule: FaultRule): FaultPlan {
    return new FaultPlan([...this.rules, rule], this.seed, this.fork().#courses);
  }

  fork(): FaultPlan {
    return new FaultPlan(
      this.rules,
      this.seed,
      new Map([...this.#courses].map(([key, course]) => [key, { ...course }])),
    );
  }

  renewed(): FaultPlan {
    return new FaultPlan(this.rules, this.seed);
  }

  save(): Json {
    return Object.fromEntries([...this.#courses].map(([key, { calls, left }]) => [key, [calls, left]]));
  }

  /** Throws `bad_parcel`. */
  loaded(saved: Json): FaultPlan {
    const read = Saved.safeParse(saved);
    if (!read.success)
      throw new TreadleError({
        code: 'bad_parcel',
        message: 'The faults of a parked session cannot be read',
        fault: 'infrastructure',
      });
    const courses = new Map(Object.entries(read.data).map(([key, [calls, left]]) => [key, { calls, left }]));
    return new FaultPlan(this.rules, this.seed, courses);
  }
}

const failed = ({ spec }: WovenCall, { code, message, status, seconds }: Failure, rule: FaultRule): WovenAnswer => ({
  ok: false,
  result: encodeError(spec, { code, message, status }),
  error: { code, fault: 'injected', status },
  touched: [],
  injected: { profile: rule.profile, rule: rule.text },
  seconds,
});
