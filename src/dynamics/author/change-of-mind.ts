/** Requirement events: whoever asked wants another value after all, and says so before it is written (DynaWeave, "task requirement"). */
import type { Check } from '../../artifacts/check.js';
import type { Fact } from '../../artifacts/disclosure.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call, Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import { valueAt, withValueAt } from '../../kit/json-path.js';
import type { Rng } from '../../kit/rng.js';
import { snake } from '../../kit/words.js';
import type { Session } from '../../serve/sessions/session.js';
import { PROSE } from '../../tasks/atomic/texts.js';
import { currencyOf, sayValue } from '../../tasks/ground/say.js';
import { callsByStage } from '../../tasks/stage-calls.js';
import { gather } from '../../verify/evidence.js';
import { verify } from '../../verify/verdict.js';
import type { SqlValue } from '../../world/state/types.js';
import { isFrame } from '../verifier/footprints.js';
import type { Candidate } from './accept.js';
import { newArgument, otherText } from './new-value.js';
import { asItIsNow, rowByKey, rowsWhere } from './rows.js';
import { played, type Stage } from './trial.js';
import { momentBefore } from './when.js';
import { correction } from './words.js';

type Changes = Map<string, { before: SqlValue; now: SqlValue }>;

/** Columns of the rows that call `n` wrote which hold something else in the second session. */
const changesAt = (n: number, before: Session, now: Session): Changes => {
  const changes: Changes = new Map();
  for (const { service, table, key } of before.ledger[n]?.touched ?? []) {
    const [one, other] = [before, now].map((session) => rowByKey(session, service, table, key));
    for (const [col, value] of Object.entries(one ?? {}))
      if (other && other[col] !== value)
        changes.set(`${service}.${table}.${col}`, { before: value, now: other[col] as SqlValue });
  }
  return changes;
};

/** How the new value is said, where the old one is said in the same way. */
const wordsFor = (fact: Fact, changes: Changes, n: number, now: Session): string | undefined => {
  for (const { service, table, key } of now.ledger[n]?.touched ?? []) {
    const loaded = now.world.services.get(service);
    const spec = loaded?.spec.tables[table];
    const row = rowByKey(now, service, table, key);
    if (!loaded || !spec || !row) continue;
    const currency = currencyOf(loaded.spec, spec, row);
    for (const [col, column] of Object.entries(spec.cols)) {
      const change = changes.get(`${service}.${table}.${col}`);
      if (change && sayValue(column, change.before, currency) === fact.words)
        return sayValue(column, change.now, currency);
    }
  }
  return undefined;
};

const nowSays = ({ says, words }: Fact, other: string): string =>
  says.replace(words, () => other).replace(/([.?!])”\.$/, '$1”');

/** The request that the fact belongs to, where its name alone would not tell which is meant: as the numbered brief has it. */
const requestOf = ({ brief, disclosure: { stages } }: Task, { fact, stage }: Wish): string | undefined => {
  const at = stages.findIndex(({ node }) => node === stage);
  const own = stages[at];
  const isTwice = own?.facts.some((one) => typeof one !== 'string' && one !== fact && one.asked[0] === fact.asked[0]);
  if (stages.length < 2 && !isTwice) return undefined;
  const line = new RegExp(`^${at + 1}\\. (?:Question \\d+: )?(.+)$`, 'm').exec(brief)?.[1];
  return line ?? own?.full;
};

/** Whether something else in the task goes by the value: who changes it would have to say more. */
const isNamedElsewhere = ({ disclosure: { stages } }: Task, { fact, stage }: Pick<Wish, 'fact' | 'stage'>): boolean =>
  /\p{L}{3}/u.test(fact.words) &&
  stages.some(({ node, full, facts }) =>
    node === stage
      ? facts.some((one) => typeof one !== 'string' && one !== fact && one.words.includes(fact.words))
      : full.includes(fact.words),
  );

type Replace = ScenarioEvent['checks']['replace'];

/** Ids of the checks that fail at the end of a stage, or at the end of all. */
const failingAt = (task: Task, now: Session, at: number | undefined): Set<string> => {
  const { disclosure, milestones, reference } = task;
  const said = disclosure.stages.slice(0, at).map(({ node }) => [node, sayAt(milestones, node)] as const);
  const node = at === undefined ? undefined : disclosure.stages[at]?.node;
  const evidence = gather(now, node === undefined ? reference.answer : sayAt(milestones, node));
  const own = node === undefined ? evidence : { ...evidence, answers: Object.fromEntries(said) };
  const verdict = verify(task, own, now.id, '0'.repeat(64), node);
  return new Set(
    verdict.milestones.flatMap(({ checks }) => checks.flatMap(({ check, pass }) => (pass ? [] : [check]))),
  );
};

const sayAt = (milestones: Task['milestones'], node: string): string =>
  milestones.find((one) => one.node === node)?.says ?? 'Done.';

/**
 * The checks that fail once call `n` wrote something else, as they have to be, each by what the session holds at the end of the stage
 * at which it fails first: a later stage may change it again. Makes the calls that are left. Undefined where it cannot be told.
 */
const changedChecks = (task: Task, now: Session, n: number, changes: Changes): Replace | undefined => {
  const ends = callsByStage(task);
  const all = task.milestones.flatMap(({ checks }) => checks);
  const replace = new Map<string, Check>();
  const take = (at: number | undefined): boolean => {
    const failing = failingAt(task, now, at);
    return all.every((check) => {
      if (!failing.has(check.id) || replace.has(check.id)) return true;
      const by = isFrame(check) ? undefined : asItIsNow(check, now, changes);
      if (by) replace.set(check.id, by);
      return by !== undefined;
    });
  };
  for (const [at, end] of ends.entries()) {
    if (end <= n) continue;
    for (const { tool, args } of task.reference.calls.slice(now.calls, end)) now.call(tool, structuredClone(args));
    if (ends.length > 1 && !take(at)) return undefined;
  }
  if (!take(undefined) || replace.size === 0) return undefined;
  return [...replace].map(([id, by]) => ({ id, by }));
};

/** A free text's column has texts of its own in other rows: a better second thought than any phrase. */
const saidElsewhere = (changes: Changes, now: Session, old: Json | undefined, random: Rng): string | undefined => {
  for (const [place, { before }] of changes) {
    if (before !== old) continue;
    const [service = '', table = '', col = ''] = place.split('.');
    return otherText(col, rowsWhere(now, service, table, {}, 200), before, random);
  }
  return undefined;
};

interface Wish {
  /** The node in whose stage it is said. */
  stage: string;
  fact: Fact;
  /** The call that writes it, and its argument. */
  n: number;
  arg: string;
  when: ScenarioEvent['when'];
}

/** The event that asks for this value; `better`: a value that would read more naturally. */
const asking = (
  { world, task }: Stage,
  wish: Wish,
  value: Json,
  random: Rng,
): { candidate?: Candidate; better?: Json | undefined } => {
  const { fact, stage, n, arg, when } = wish;
  const call = task.reference.calls[n] as Call;
  const other: Call = { ...call, args: withValueAt(call.args, arg, value) };
  const before = played({ world, task }, task.reference.calls.slice(0, n));
  const now = before.fork(`${task.id}-otherwise`);
  try {
    before.call(call.tool, structuredClone(call.args));
    now.call(other.tool, structuredClone(other.args));
    if (!now.ledger[n]?.ok) return {};
    const changes = changesAt(n, before, now);
    const words = wordsFor(fact, changes, n, now);
    if (words === undefined || words === fact.words) return {};
    // Rows elsewhere are looked at before the rest is carried out.
    const isText = typeof value === 'string' && value.includes(' ') && PROSE.test(snake(arg.split('.').at(-1) ?? arg));
    const better = isText ? saidElsewhere(changes, now, valueAt(call.args, arg), random) : undefined;
    const replace = changedChecks(task, now, n, changes);
    if (!replace) return {};
    const says = nowSays(fact, words);
    const say = correction(says, requestOf(task, wish), random.stream('words'));
    const tells = [{ ...(task.disclosure.stages.length > 1 ? { stage } : {}), fact: fact.id, words, says }];
    const event: ScenarioEvent = {
      id: task.disclosure.stages.length > 1 ? `new_${stage}_${fact.id}` : `new_${fact.id}`,
      source: 'requirement',
      when,
      guard: [],
      needs: [],
      excludes: [],
      reads: [],
      writes: [],
      effect: { say },
      notify: { to: 'user', text: say, tells },
      checks: { retire: [], replace, add: [] },
      reference: { insert: [other], from: n, drop: 1 },
    };
    return { candidate: { event, answer: task.reference.answer }, better };
  } finally {
    before.drop();
    now.drop();
  }
};

const candidateOf = (
  stage: Stage,
  { fact, stage: node, n, arg }: Omit<Wish, 'when'>,
  random: Rng,
): Candidate | undefined => {
  const { task } = stage;
  const old = valueAt(task.reference.calls[n]?.args, arg);
  const value = newArgument(snake(arg.split('.').at(-1) ?? arg), old, random);
  // Not long before the request that it speaks of.
  const start = callsByStage(task).findLast((end) => end <= n) ?? 0;
  const when = momentBefore(task, n, random, Math.max(0, start - 1))?.when;
  if (value === undefined || !when || !fact.says.includes(fact.words)) return undefined;
  if (isNamedElsewhere(task, { fact, stage: node })) return undefined;
  const wish = { stage: node, fact, n, arg, when };
  const { candidate, better } = asking(stage, wish, value, random);
  if (better === undefined || better === '' || better === value || better === old) return candidate;
  return asking(stage, wish, better, random).candidate ?? candidate;
};

/** The values that the user decides on and a call writes. */
const decidedOn = ({ task, world }: Stage): Omit<Wish, 'when'>[] =>
  task.disclosure.stages.flatMap(({ node, facts }) =>
    facts.flatMap((fact) => {
      if (typeof fact === 'string') return [];
      const feed = fact.feeds.find((one) => 'call' in one && writes(world, task.reference.calls[one.call]));
      return feed && 'call' in feed ? [{ stage: node, fact, n: feed.call, arg: feed.arg }] : [];
    }),
  );

/** One candidate for each of them. */
export const changesOfMind = (stage: Stage, random: Rng): Candidate[] =>
  decidedOn(stage).flatMap((wish) => candidateOf(stage, wish, random.stream(`${wish.stage} ${wish.fact.id}`)) ?? []);

/** The same, of a few drawn ones, with the fact that is another one and the call that writes it. */
export const someChanges = (
  stage: Stage,
  random: Rng,
  most: number,
): { candidate: Candidate; fact: Fact; n: number }[] => {
  const made: { candidate: Candidate; fact: Fact; n: number }[] = [];
  for (const wish of random.shuffle(decidedOn(stage))) {
    if (made.length >= most) break;
    const candidate = candidateOf(stage, wish, random.stream(`${wish.stage} ${wish.fact.id}`));
    if (candidate) made.push({ candidate, fact: wish.fact, n: wish.n });
  }
  return made;
};

const writes = (world: Stage['world'], call: Call | undefined): boolean =>
  call !== undefined && (world.tools.get(call.tool)?.tool.tool.writes.length ?? 0) > 0;
