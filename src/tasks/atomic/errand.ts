/** Errands: two things of different services in one request, each grown by itself, done on one state (processes cross systems). */
import type { Binding, Call, Source } from '../../artifacts/task.js';
import { canonicalJson } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import { dropPlan, forkPlan, type Plan } from '../ground/plan.js';
import { together } from '../words/together.js';
import { PERSONAS } from '../words/tone.js';
import type { Candidate } from './candidate.js';
import { leaks } from './questions.js';

/** More than this is no errand any more. */
const MOST_CALLS = 7;

const same = (one: Call, other: Call): boolean =>
  one.tool === other.tool && canonicalJson(one.args) === canonicalJson(other.args);

/** For each call of the second plan the call of the first that already made it, where there is one. */
const madeBefore = (first: Plan, second: Plan): (number | undefined)[] =>
  second.calls.map((call) => {
    const at = first.calls.findIndex((other) => same(other, call));
    return at < 0 ? undefined : at;
  });

/** The calls of both, what both look up once. */
export const jointCalls = (first: Plan, second: Plan): Call[] => {
  const known = madeBefore(first, second);
  return [...first.calls, ...second.calls.filter((_, i) => known[i] === undefined)];
};

/** Whether two parts can be one errand at all: one question at most, other services, other things, not too long. */
export const fitTogether = (first: Candidate, second: Candidate): boolean => {
  if (first.isAlone || second.isAlone) return false;
  if ('asks' in first.plain && 'asks' in second.plain) return false;
  if (first.service === second.service) return false;
  return jointCalls(first.plan, second.plan).length <= MOST_CALLS;
};

const changed = (plan: Plan): ReadonlySet<string> => new Set(Object.keys(plan.session.diff()));

/** Plays the second plan behind the first; undefined where what it saw by itself is no longer what it sees. */
const playBehind = (first: Plan, second: Plan): Plan | undefined => {
  const plan = forkPlan(first);
  const known = madeBefore(first, second);
  const written = changed(second);
  const at: number[] = [];
  for (const [i, call] of second.calls.entries()) {
    const before = known[i];
    if (before === undefined) {
      const outcome = plan.session.call(call.tool, structuredClone(call.args));
      const isSame = outcome.ok && canonicalJson(outcome.result) === canonicalJson(second.observations[i] ?? null);
      if (!outcome.ok || (!isSame && !written.has(call.service))) {
        dropPlan(plan);
        return undefined;
      }
      plan.calls.push(call);
      plan.observations.push(outcome.result);
    }
    at.push(before ?? plan.calls.length - 1);
  }
  const moved = second.sources
    .filter(({ call }) => known[call] === undefined)
    .map(
      ({ call, arg, from }): Source => ({
        call: at[call] as number,
        arg,
        from: 'observed' in from ? { ...from, observed: at[from.observed] as number } : from,
      }),
    );
  plan.sources.push(...moved);
  return plan;
};

const renamed = (first: readonly Binding[], second: readonly Binding[]): Binding[] => [
  ...first,
  ...second
    .filter((one) => !first.some((other) => other.service === one.service && other.key === one.key))
    .map((one) => ({ ...one, name: `${one.name}2`.slice(-60) })),
];

/** Both in one request; a string says why that cannot be. The parts stay as they are. */
export const errand = (one: Candidate, other: Candidate, random: Rng): Candidate | string => {
  // What changes comes first: the reference ends with what is told.
  const [first, second] = 'asks' in one.plain ? [other, one] : [one, other];
  const persona = random.pick(PERSONAS);
  const request = together(first.plain, second.plain, persona, random);
  if (request === undefined) return 'two questions have no one answer';
  const answered = [first, second].find(({ answer }) => answer !== undefined);
  if (answered && leaks(request, answered.says)) return 'one part gives the answer of the other away';
  const plan = playBehind(first.plan, second.plan);
  if (!plan) return 'the second part sees something else after the first';
  return {
    family: 'errand',
    template: `errand:${first.template}+${second.template}`,
    service: first.service,
    persona,
    request,
    plain: first.plain,
    vague: `${first.vague} ${second.vague}`,
    facts: [...first.facts, ...second.facts],
    bindings: renamed(first.bindings, second.bindings),
    plan,
    ...(answered?.answer ? { answer: answered.answer } : {}),
    says: answered ? answered.says : 'Both are done.',
    parts: [first, second],
  };
};
