/**
 * State events: somebody outside changes a value that was read already and that later calls or the answer depend on (DynaWeave,
 * "environment state"). They are told that it has changed, not what it is now: who looks again does it right.
 */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call } from '../../artifacts/task.js';
import { isoDate } from '../../kit/calendar.js';
import type { Json } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import { askedOf } from '../../tasks/words/happening.js';
import { sayAsked, sayField } from '../../tasks/words/names.js';
import type { SqlValue } from '../../world/state/types.js';
import type { Candidate } from './accept.js';
import { believedAnswer, believedCall, memoryOf } from './believing.js';
import { eventOf } from './blank.js';
import { editOf, eventByRun } from './choices/rerun.js';
import { happenings, told } from './happenings.js';
import { type Look, looksOf, type Use } from './looks.js';
import { type OtherValue, otherValue } from './other-value.js';
import { type Colleague, colleagues, departmentFor, introduced, somebody } from './people.js';
import { rowByKey } from './rows.js';
import type { RowRef } from './shown-row.js';
import { thingWords } from './thing-words.js';
import { played, type Stage, tryOut } from './trial.js';
import { momentBefore } from './when.js';
import { columnAt, storedAt } from './where-answer.js';

/** Calls that depend on call `k`, directly or by way of others. */
const dependents = ({ task }: Stage, k: number): Set<number> => {
  const found = new Set([k]);
  for (const n of task.reference.calls.keys())
    if (task.reference.sources.some(({ call, from }) => call === n && 'observed' in from && found.has(from.observed)))
      found.add(n);
  return found;
};

const isWrite = ({ world }: Stage, call: Call | undefined): boolean =>
  call !== undefined && (world.tools.get(call.tool)?.tool.tool.writes.length ?? 0) > 0;

interface Again {
  calls: Call[];
  answer: string;
  /** What is stored where each answer stands now. */
  stored: (SqlValue | undefined)[];
}

/**
 * What an agent does that looks again once it is told: the calls so far, then again those that look `k` led to, then the rest with
 * what was read the second time. Undefined where a call is refused or has nothing to be called with.
 */
const lookingAgain = (stage: Stage, event: ScenarioEvent, k: number, at: number): Again | undefined => {
  const { reference } = stage.task;
  const memory = memoryOf(stage);
  const affected = dependents(stage, k);
  const calls: Call[] = [];
  const results: (Json | undefined)[] = [];
  const now = (call: number): Json | undefined => results[call];
  let isWhole = true;
  const make = (session: Session, n: number, call: Call | undefined): void => {
    const outcome = call && session.call(call.tool, structuredClone(call.args));
    if (call) calls.push(call);
    results[n] = outcome?.result;
    isWhole &&= outcome?.ok === true;
  };
  let answer = '';
  const { session } = tryOut(stage, { events: [event], seed: 'draft' }, (open) => {
    for (const n of reference.calls.keys()) {
      make(open, n, n <= at ? reference.calls[n] : believedCall(stage, memory, n, now));
      if (n !== at) continue;
      for (const again of affected) if (again <= at) make(open, again, believedCall(stage, memory, again, now));
    }
    answer = believedAnswer(stage.task, memory, now);
    return answer;
  });
  session.drop();
  const stored = memory.answers.map(
    ({ place }) => place && storedAt(place, memory.results[place.call], now(place.call)),
  );
  return isWhole ? { calls, answer, stored } : undefined;
};

/** The answer as it has to be now; undefined where it stays, null where it cannot be told. */
const askedNow = (
  spec: AnswerSpec | undefined,
  isOther: boolean,
  stored: string | number | null | undefined,
): AnswerSpec | undefined | null => {
  if (!spec || !isOther) return undefined;
  if (stored === null || stored === undefined || Array.isArray(spec.expected)) return null;
  const expected =
    typeof stored === 'number' && spec.kind === 'date' && typeof spec.expected === 'string' ? isoDate(stored) : stored;
  if (typeof expected !== typeof spec.expected) return null;
  const old = spec.expected as string | number;
  return {
    ...spec,
    expected,
    distractors: [old, ...spec.distractors.filter((one) => one !== expected && one !== old)],
  };
};

interface Shift {
  look: Look;
  row: RowRef;
  col: string;
  other: OtherValue;
  text: string;
}

const shiftOf = (
  stage: Stage,
  session: Session,
  people: readonly Colleague[],
  look: Look,
  { row, path }: Use,
  random: Rng,
): Shift | undefined => {
  const col = columnAt(look.tool, path)?.name;
  const stored = row && rowByKey(session, row.service, row.table, row.key);
  const spec = row && session.world.services.get(row.service)?.spec.tables[row.table];
  const other = stored && col !== undefined ? otherValue(session, row, stored, col, people, random) : undefined;
  const thing = stored && spec ? thingWords(spec, stored) : undefined;
  const { actor } = stage.task;
  const named = Object.values(stored ?? {}).map(String);
  const fits = departmentFor(people, row?.service ?? '', named, actor.email);
  const who = somebody(people, [actor.email, ...named, String(other?.value)], random, fits);
  if (!row || !spec || !other || !thing || !who || col === undefined) return undefined;
  const [field, asked] = [sayField(spec, col), askedOf(sayAsked(spec, col), thing)];
  const text = told(happenings().changed[other.kind], { who: introduced(who), thing, field, it: asked }, random);
  return { look, row, col, other, text };
};

/** The call after the last one of the question that a look belongs to; all of them where it belongs to none. */
const endOf = (stage: Stage, { n }: Look): number => {
  const { answers } = memoryOf(stage);
  const own = answers.find(({ from, to }) => n >= from && n < to);
  return own?.to ?? stage.task.reference.calls.length;
};

const candidate = (stage: Stage, { look, row, col, other, text }: Shift, random: Rng): Candidate | undefined => {
  const { task } = stage;
  const { calls } = task.reference;
  const affected = dependents(stage, look.n);
  const write = calls.findIndex((call, n) => affected.has(n) && isWrite(stage, call));
  const moment = momentBefore(task, write < 0 ? endOf(stage, look) : write, random, look.n);
  if (!moment) return undefined;
  const { service, table, key } = row;
  const keyCol = stage.world.services.get(service)?.keys[table] as string;
  const change = {
    id: `changed_${table}_${col}`,
    source: 'state' as const,
    when: moment.when,
    effect: {
      patch: [{ do: 'update' as const, service, table, where: { [keyCol]: key }, set: { [col]: other.value } }],
    },
    notify: { to: 'environment' as const, text, discoverBy: [look.tool.name] },
  };
  const isComposed = task.milestones.length !== 1;
  // At the end of a stage its question has been answered.
  if (isComposed && write >= 0) return undefined;
  const again = lookingAgain(
    stage,
    eventOf({ ...change, reference: { insert: [], from: 0, drop: 0 } }),
    look.n,
    moment.at,
  );
  if (!again) return undefined;
  const isOther = again.answer !== believedAnswer(task, memoryOf(stage), (n) => memoryOf(stage).results[n]);
  if (isComposed) return isOther ? ofAnswerAlone(stage, change, again) : undefined;
  const asks = askedNow(task.answer, isOther, again.stored[0]);
  if (asks === null) return undefined;
  return eventByRun(stage, {
    ...change,
    calls: again.calls,
    answer: isOther ? again.answer : task.reference.answer,
    ...(asks ? { asks } : {}),
  });
};

type Change = Pick<ScenarioEvent, 'id' | 'source' | 'when' | 'effect' | 'notify'>;

/** In a composed task one question has another answer, and nothing else is different. */
const ofAnswerAlone = (stage: Stage, change: Change, { calls, answer, stored }: Again): Candidate | undefined => {
  const { task } = stage;
  const { answers, results } = memoryOf(stage);
  const changed = answers.flatMap(({ place, milestone }, n) => {
    const before = place && storedAt(place, results[place.call], results[place.call]);
    return before === stored[n] ? [] : [{ milestone, now: stored[n] }];
  });
  const [one] = changed;
  const spec = task.milestones.find(({ id }) => id === one?.milestone)?.answer;
  const is = changed.length === 1 && spec ? askedNow(spec, true, one?.now) : undefined;
  if (!one?.milestone || !is) return undefined;
  const [op] = 'patch' in change.effect ? change.effect.patch : [];
  const key = Object.values(op?.where ?? {})[0] as string | number;
  const writes = op ? Object.keys(op.set ?? {}).map((col) => ({ service: op.service, table: op.table, key, col })) : [];
  const checks = { retire: [], replace: [], add: [], answer: { milestone: one.milestone, is } };
  const reference = { ...editOf(task.reference.calls, calls), answer };
  return { event: eventOf({ ...change, writes, checks, reference }), answer };
};

/** Looks of one task that are changed at most. */
const MOST = 3;

/** One candidate for each value that was read and is used, up to a few. */
export const shifts = (stage: Stage, random: Rng): Candidate[] => {
  const looks = looksOf(stage);
  const session = played(stage, []);
  try {
    const people = colleagues(session);
    const uses = looks.flatMap((look) => look.uses.map((use) => ({ look, use })));
    const made: Candidate[] = [];
    for (const { look, use } of random.shuffle(uses)) {
      if (made.length >= MOST) break;
      const own = random.stream(`${look.n} ${use.path}`);
      const shift = shiftOf(stage, session, people, look, use, own);
      const one = shift && candidate(stage, shift, own);
      if (one && !made.some(({ event }) => event.id === one.event.id)) made.push(one);
    }
    return made;
  } finally {
    session.drop();
  }
};
