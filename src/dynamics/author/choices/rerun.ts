/**
 * An event of which only the change is given: what becomes of the task's checks follows from running the changed calls against it.
 * Checks of places that come out the same stay the very same objects; the event's own writes are nobody's duty.
 */
import type { AnswerSpec, Check } from '../../../artifacts/check.js';
import type { Path, ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Call, Task } from '../../../artifacts/task.js';
import type { Touch } from '../../../artifacts/trace.js';
import { canonicalJson, type Json } from '../../../kit/hash.js';
import type { Session } from '../../../serve/sessions/session.js';
import { checksOf } from '../../../tasks/checks.js';
import { affectedChecks, writtenPlaces } from '../../verifier/footprints.js';
import type { Candidate } from '../accept.js';
import { played, type Stage, tryOut } from '../trial.js';
import { figuresAfter, numbersIn, type Revised, saidWith, withFigures } from './figures.js';

export interface Change {
  id: string;
  source: ScenarioEvent['source'];
  when: ScenarioEvent['when'];
  effect: ScenarioEvent['effect'];
  notify: ScenarioEvent['notify'];
  /** The whole reference as it is once the event fired. */
  calls: readonly Call[];
  /** What is said at the end; absent: what was said before. */
  answer?: string;
  /** What the answer has to hold now; absent: what it had to hold before. */
  asks?: AnswerSpec;
}

type Frame = Extract<Check, { kind: 'unchanged' }>;

const LEAVES: ReadonlySet<Check['kind']> = new Set(['equals', 'not_equals', 'count', 'exists', 'absent']);

const isLeaf = ({ kind }: Check): boolean => LEAVES.has(kind);

/** What a check wants, whatever it is called. */
const contentOf = ({ id: _, until: __, ...rest }: Check): string => canonicalJson(rest as unknown as Json);

/** What a check is about: the column of a row, or a sort of new rows. */
const placeOf = (check: Check): string => {
  if (check.kind === 'equals' || check.kind === 'not_equals')
    return canonicalJson([check.service, check.table, check.where, check.col]);
  return 'table' in check ? canonicalJson([check.service, check.table, check.kind]) : check.kind;
};

const sorted = (checks: readonly Check[]): string => canonicalJson(checks.map(contentOf).sort());

/** Whether a check speaks only of what an event did. */
const isOfEvents = (check: Check, events: readonly Touch[], calls: readonly Touch[]): boolean => {
  if (!('table' in check)) return false;
  const isAbout = (touch: Touch): boolean => {
    if (touch.service !== check.service || touch.table !== check.table) return false;
    const prints = check.footprint.flatMap(({ keys }) => keys ?? []);
    if (prints.length === 0) return check.kind === 'count' && touch.change === 'insert';
    return prints.includes(touch.key) && (check.kind !== 'equals' || touch.cols.includes(check.col));
  };
  return events.some(isAbout) && !calls.some(isAbout);
};

/** The frame without what only events wrote: the verifier allows that by itself, once it happened. */
const frameWithout = (frame: Frame, events: readonly Touch[], calls: readonly Touch[]): Frame['except'] =>
  frame.except.flatMap((one) => {
    const isRow = ({ service, table, key }: Touch): boolean =>
      service === one.service && table === one.table && (one.keys?.includes(key) ?? true);
    const [theirs, own] = [events.filter(isRow), calls.filter(isRow)];
    if (theirs.length === 0) return [one];
    if (one.inserts !== undefined) {
      const left = one.inserts - theirs.filter(({ change }) => change === 'insert').length;
      return left > 0 ? [{ ...one, inserts: left }] : [];
    }
    const cols = (one.cols ?? []).filter((col) => own.some((touch) => touch.cols.includes(col)));
    return own.length > 0 && cols.length > 0 ? [{ ...one, cols }] : [];
  });

interface Wanted {
  leaves: Check[];
  except: Frame['except'];
}

const wantedOf = (session: Session, events: readonly Touch[]): Wanted => {
  const calls = session.ledger.flatMap(({ touched }) => touched);
  const made = checksOf(session);
  const frame = made.find((check): check is Frame => check.kind === 'unchanged');
  return {
    leaves: made.filter((check) => isLeaf(check) && !isOfEvents(check, events, calls)),
    except: frame ? frameWithout(frame, events, calls) : [],
  };
};

/** The old checks matched with the new ones, equal ones first, then by place. */
const matched = (old: readonly Check[], now: readonly Check[], prefix: string): ScenarioEvent['checks'] => {
  const left = [...now];
  const take = (fits: (check: Check) => boolean): Check | undefined => {
    const at = left.findIndex(fits);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const changed = old.filter((check) => !take((one) => contentOf(one) === contentOf(check)));
  const retire: string[] = [];
  const replace: ScenarioEvent['checks']['replace'] = [];
  for (const check of changed) {
    const by = take((one) => placeOf(one) === placeOf(check));
    if (by) replace.push({ id: check.id, by: { ...by, id: check.id } });
    else retire.push(check.id);
  }
  return { retire, replace, add: left.map((check, n) => ({ ...check, id: `${prefix}_${n + 1}` })) };
};

const isAboutFigures = ({ old, by }: Revised): boolean =>
  canonicalJson(numbersIn(old)) !== canonicalJson(numbersIn(by));

const sameCall = (a: Call | undefined, b: Call | undefined): boolean =>
  a !== undefined && b !== undefined && canonicalJson(a as never) === canonicalJson(b as never);

/** The shortest edit that makes the one list of calls the other. */
export const editOf = (old: readonly Call[], now: readonly Call[]): { from: number; drop: number; insert: Call[] } => {
  let from = 0;
  while (from < Math.min(old.length, now.length) && sameCall(old[from], now[from])) from++;
  let same = 0;
  while (same < Math.min(old.length, now.length) - from && sameCall(old.at(-1 - same), now.at(-1 - same))) same++;
  return { from, drop: old.length - from - same, insert: now.slice(from, now.length - same) };
};

/** Whether the task is checked as its reference would have it checked: only then may a run say what becomes of the checks. */
const isPlain = (stage: Stage): boolean => {
  const known = plain.get(stage);
  if (known !== undefined) return known;
  const found = foundPlain(stage);
  plain.set(stage, found);
  return found;
};

const plain = new WeakMap<Stage, boolean>();

const foundPlain = (stage: Stage): boolean => {
  const { task } = stage;
  if (task.milestones.length !== 1) return false;
  const session = played(stage, task.reference.calls);
  const own = task.milestones.flatMap(({ checks }) => checks).filter(isLeaf);
  const isSame = sorted(checksOf(session).filter(isLeaf)) === sorted(own);
  session.drop();
  return isSame;
};

const bare = ({ id, source, when, effect, notify, calls }: Change, task: Task): ScenarioEvent => ({
  id,
  source,
  when,
  guard: [],
  needs: [],
  excludes: [],
  reads: [],
  writes: [],
  effect,
  notify,
  checks: { retire: [], replace: [], add: [] },
  reference: editOf(task.reference.calls, calls),
});

const merged = (writes: readonly Path[]): Path[] => [
  ...new Map(writes.map((path) => [canonicalJson(path as never), path])).values(),
];

/** What is asked and said at the end; undefined where the answer would have to be another one that nobody can tell. */
const saidAfter = (
  task: Task,
  { asks, answer, effect }: Change,
  own: readonly Check[],
  { retire, replace, add }: ScenarioEvent['checks'],
): { asks: AnswerSpec | undefined; answer: string } | undefined => {
  const said = answer ?? task.reference.answer;
  const old = task.answer;
  if (asks || !old) return { asks, answer: said };
  const leaves = replace.flatMap(({ id, by }) => {
    const check = own.find((one) => one.id === id);
    return check && isLeaf(check) && contentOf(check) !== contentOf(by) ? [{ old: check, by }] : [];
  });
  const isTouched = 'patch' in effect || retire.length + add.length > 0 || leaves.some(isAboutFigures);
  const revised = new Set([...retire, ...replace.map(({ id }) => id)]);
  const figures = figuresAfter(
    old,
    own.filter(({ id }) => !revised.has(id)),
    leaves,
  );
  if (!figures) return isTouched ? undefined : { asks: undefined, answer: said };
  const now = withFigures(old, figures);
  return { asks: now === old ? undefined : now, answer: saidWith(said, figures) };
};

/** Undefined where a changed call fails, where the event does not come, or where the checks cannot be told by running. */
export const eventByRun = (stage: Stage, change: Change): Candidate | undefined => {
  const { task } = stage;
  if (!isPlain(stage)) return undefined;
  const event = bare(change, task);
  const { engine, session, clean } = tryOut(
    stage,
    { events: [event], seed: 'draft' },
    { calls: change.calls, answer: '' },
  );
  try {
    const [fate] = engine.log;
    if (!clean || fate?.fate !== 'fired') return undefined;
    const wanted = wantedOf(session, fate.touched);
    const own = task.milestones.flatMap(({ checks }) => checks);
    const frame = own.find((check): check is Frame => check.kind === 'unchanged');
    const writes = merged(writtenPlaces(fate.touched));
    const checks = matched(own.filter(isLeaf), wanted.leaves, change.id);
    const revised = new Set([...checks.retire, ...checks.replace.map(({ id }) => id)]);
    const kept = new Set(affectedChecks(task.milestones, writes).filter((id) => !revised.has(id)));
    // What it writes and a check reads is revised in any case, be it by the same demand.
    for (const check of own)
      if (kept.has(check.id) && isLeaf(check)) checks.replace.push({ id: check.id, by: { ...check } });
    if (frame && canonicalJson(frame.except as never) !== canonicalJson(wanted.except as never))
      checks.replace.push({ id: frame.id, by: { ...frame, except: wanted.except } });
    const said = saidAfter(task, change, own, checks);
    if (!said) return undefined;
    if (said.asks) checks.answer = { is: said.asks };
    if (said.asks && !task.answer) checks.add.push({ kind: 'answer', id: `${change.id}_said`, footprint: [] });
    const isOther = said.answer !== task.reference.answer;
    const reference = { ...event.reference, ...(isOther ? { answer: said.answer } : {}) };
    return { event: { ...event, writes, checks, reference }, answer: said.answer };
  } finally {
    session.drop();
  }
};
