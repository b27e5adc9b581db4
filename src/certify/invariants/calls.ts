/** Calls that may break an invariant or mend it: its own tools on the rows nearest to it, then every other tool that writes there. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import type { LoadedWorld, WorldTool } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import type { CallArgs } from '../arguments.js';
import { argsOf, donorsOf } from '../search.js';
import type { Source } from '../values.js';
import type { Situation } from './situation.js';
import { granted, type Wish, wishesOf } from './wishes.js';

export interface ToolCall {
  /** Full tool name. */
  tool: string;
  args: CallArgs;
}

export interface Field {
  world: LoadedWorld;
  situation: Situation;
  random: Rng;
  /** All rows of a table in the initial state. */
  rows(service: string, table: string): readonly Row[];
}

export type Aim = 'break' | 'mend';
type Side = 't' | 'x';
/** A row to act on and the values that its columns should be given. */
interface Plan {
  donor: Row | undefined;
  set: Record<string, SqlValue>;
}

const FILLINGS: readonly { source: Source; withOptional: boolean }[] = [
  { source: 'own', withOptional: false },
  { source: 'made', withOptional: false },
  { source: 'own', withOptional: true },
  { source: 'made', withOptional: true },
  { source: 'other', withOptional: true },
  { source: 'less', withOptional: true },
];
/** Plans of one tool: the invariant's own is tried longer than the others. */
const MOST_OWN = 14;
const MOST_OTHER = 5;
/** Partners of one row, the one that asks the most among them. */
const MOST_TIED = 6;
/** Rows of the other side whose keys or values are written into a call. */
const PARTNERS = 4;

const place = ({ situation: { invariant } }: Field, side: Side) =>
  side === 't'
    ? { ...invariant.trigger, key: invariant.key.trigger }
    : { ...invariant.target, key: invariant.key.target };

const tableOf = (field: Field, side: Side): Table | undefined => {
  const { service, table } = place(field, side);
  return field.world.services.get(service)?.spec.tables[table];
};

const wishes = (field: Field, session: Session, side: Side, other: Row | undefined): Wish[] => {
  const table = tableOf(field, side);
  return table ? wishesOf(place(field, side).where, side, table, other, session.clock) : [];
};

const anyRows = (field: Field, side: Side): Row[] => {
  const { service, table } = place(field, side);
  const spec = tableOf(field, side);
  return spec ? donorsOf(spec, field.rows(service, table), field.random.stream(`${service}.${table}`)) : [];
};

/** Rows of the other side whose keys are worth writing: those that break with the row, or those that mend. */
function* partnerPlans(field: Field, session: Session, side: Side, aim: Aim, donors: readonly Row[]): Iterable<Plan> {
  const { situation } = field;
  const [mine, theirs] = [place(field, side).key, place(field, side === 't' ? 'x' : 't').key];
  const { expect } = situation.invariant.target;
  const meet = (expect === 'none') === (aim === 'break');
  const partners =
    side === 'x'
      ? aim === 'break' || expect !== 'none'
        ? situation.triggers(session, aim === 'mend')
        : situation.idle(session)
      : meet
        ? situation.meeting(session)
        : anyRows(field, 'x');
  for (const [i, partner] of partners.slice(0, PARTNERS).entries()) {
    const value = partner[theirs] ?? null;
    if (value === null) continue;
    const asked = wishes(field, session, side, partner);
    const set = granted(asked, side === 't' ? aim === 'break' : meet);
    for (const donor of donors.slice(i, i + 2)) yield { donor, set: { ...set, [mine]: value } };
  }
}

/** Rows that the session has touched come first: what the last call made is what the next one is for. */
const recentFirst = (field: Field, session: Session, side: Side, rows: readonly Row[]): Row[] => {
  const { service, table } = place(field, side);
  const key = tableOf(field, side)?.key.col ?? '';
  const touched = new Set(
    session.ledger.flatMap((entry) =>
      entry.touched.filter((touch) => touch.service === service && touch.table === table).map((touch) => touch.key),
    ),
  );
  if (touched.size === 0) return [...rows];
  const isTouched = (row: Row): boolean => touched.has(row[key] as string | number);
  return [...rows.filter(isTouched), ...rows.filter((row) => !isTouched(row))];
};

/** Wishes on other columns than the one that the tools move: a row that grants them needs one call less. */
const lacking = (field: Field, side: Side, asked: readonly Wish[], row: Row): number => {
  const status = tableOf(field, side)?.machine?.col ?? 'status';
  return asked.filter(({ col, yes }) => col !== status && yes.length > 0 && !yes.includes(row[col] ?? null)).length;
};

/** What to do with rows of one side so that the aim is reached, the likeliest first. */
function* plansFor(field: Field, session: Session, side: Side, aim: Aim): Iterable<Plan> {
  const { situation } = field;
  const { expect } = situation.invariant.target;
  if (side === 't') {
    const near = aim === 'break' ? situation.almostTriggers(session) : situation.triggers(session, true);
    const spec = tableOf(field, 't');
    const mixed = spec ? donorsOf(spec, near, field.random.stream('near')) : near;
    const asked = wishes(field, session, 't', undefined);
    const lack = new Map(mixed.map((row) => [row, aim === 'break' ? lacking(field, 't', asked, row) : 0]));
    mixed.sort((a, b) => (lack.get(a) ?? 0) - (lack.get(b) ?? 0));
    const donors = recentFirst(field, session, 't', mixed);
    for (const donor of donors) yield { donor, set: granted(asked, aim === 'break') };
    yield* partnerPlans(field, session, 't', aim, aim === 'mend' ? near : anyRows(field, 't'));
    return;
  }
  const found = aim === 'break' ? situation.keepers(session) : situation.culprits(session);
  const near = recentFirst(field, session, 'x', found);
  const meet = (expect === 'none') === (aim === 'break');
  const partners = situation.triggers(session, aim === 'mend');
  const { key } = situation.invariant;
  for (const [turn, donor] of near.entries()) {
    const tied = partners.filter((partner) => partner[key.trigger] === donor[key.target]).slice(0, MOST_TIED);
    for (const partner of tied.length > 0 ? tied : [undefined])
      yield { donor, set: granted(wishes(field, session, 'x', partner), meet, Math.floor(turn / 4)) };
  }
  const others =
    aim === 'mend' && expect !== 'at_least_one' ? near : [...situation.meeting(session), ...anyRows(field, 'x')];
  yield* partnerPlans(field, session, 'x', aim, others);
}

/** A tool that makes rows takes the partner's key first: the rows that are there are of no use to it. */
function* creating(field: Field, session: Session, side: Side, aim: Aim): Iterable<Plan> {
  // A row that lacks its partner is made with a key that nobody has.
  if (side === 't' && aim === 'break' && field.situation.invariant.target.expect === 'at_least_one') {
    const set = granted(wishes(field, session, 't', undefined), true);
    for (const donor of anyRows(field, 't').slice(0, 2)) yield { donor, set };
  }
  yield* partnerPlans(field, session, side, aim, anyRows(field, side));
  yield* plansFor(field, session, side, aim);
}

/** Rows of the tool's own table that hang on the rows of the side, where the two differ. */
const hanging = (field: Field, tool: WorldTool, side: Side, focus: Row): Row[] => {
  const { service, table } = place(field, side);
  const spec = tool.service.spec.tables[tool.tool.tool.table] as Table;
  const up = Object.keys(spec.cols).find((col) => spec.cols[col]?.fk === table);
  const own = tableOf(field, side) as Table;
  const rows = field.rows(service, tool.tool.tool.table);
  if (up !== undefined) return rows.filter((row) => row[up] === focus[own.key.col]).slice(0, 2);
  const down = Object.keys(own.cols).find((col) => own.cols[col]?.fk === tool.tool.tool.table);
  return down === undefined ? [] : rows.filter((row) => row[spec.key.col] === focus[down]).slice(0, 1);
};

/** What is left of an amount: the differences of the row's own columns that an argument may be meant to use up. */
const leftOver = (tool: WorldTool, donor: Row | undefined): Record<string, SqlValue>[] => {
  const { cols } = tool.service.spec.tables[tool.tool.tool.table] as Table;
  const amounts = Object.entries(tool.tool.tool.args).filter(
    ([, { role, type }]) => role === 'input' && (type === 'money' || type === 'int' || type === 'number'),
  );
  const [first] = amounts;
  if (!donor || !first) return [];
  const [name, arg] = first;
  const numbers = Object.keys(cols).filter((col) => cols[col]?.type === arg.type && typeof donor[col] === 'number');
  const lefts = numbers.flatMap((a) => numbers.map((b) => Number(donor[a]) - (a === b ? 0 : Number(donor[b]))));
  return [...new Set(lefts)]
    .filter((left) => left > 0)
    .slice(0, 4)
    .map((left) => ({ [name]: left }));
};

const givenTo = (tool: WorldTool, isOwn: boolean, set: Plan['set']): Record<string, SqlValue> => {
  const out: Record<string, SqlValue> = {};
  for (const [name, arg] of Object.entries(tool.tool.tool.args)) {
    if (arg.role !== 'set' && arg.role !== 'input') continue;
    const value = isOwn || Object.hasOwn(set, name) ? set[arg.col ?? name] : undefined;
    if (value !== undefined && (arg.enum === undefined || arg.enum.includes(String(value)))) out[name] = value;
  }
  return out;
};

function* callsOfTool(
  field: Field,
  session: Session,
  name: string,
  side: Side,
  aim: Aim,
  most: number,
): Iterable<ToolCall> {
  const tool = field.world.tools.get(name) as WorldTool;
  const { table, op } = tool.tool.tool;
  const isOwn = table === place(field, side).table;
  const plans = op === 'create' ? creating(field, session, side, aim) : plansFor(field, session, side, aim);
  const taken: Plan[] = [];
  for (const plan of plans) {
    if (taken.length >= most) break;
    if (isOwn) taken.push(plan);
    else if (plan.donor) for (const donor of hanging(field, tool, side, plan.donor)) taken.push({ ...plan, donor });
  }
  const seen = new Set<string>();
  for (const [turn, { source, withOptional }] of FILLINGS.slice(0, most === MOST_OWN ? FILLINGS.length : 3).entries())
    for (const [i, { donor, set }] of taken.entries()) {
      const serial = 700 + session.calls * 40 + turn * 8 + i;
      const search = {
        service: tool.service,
        tool,
        rows: (of: string) => field.rows(tool.service.id, of),
        donor,
        source,
        clock: session.clock,
        random: field.random.stream(`${name} ${serial}`),
        serial,
      };
      const given = givenTo(tool, isOwn, set);
      for (const more of turn === 0 ? [{}, ...leftOver(tool, donor)] : [{}]) {
        const args = argsOf(search, withOptional, { ...given, ...more });
        const text = JSON.stringify(args);
        if (args === undefined || seen.has(text)) continue;
        seen.add(text);
        yield { tool: name, args };
      }
    }
}

interface Reach {
  name: string;
  side: Side;
  rank: number;
}

const RANK = { action: 1, update: 2, delete: 3, create: 4 } as const;

/** Tools that write one of the two tables, the invariant's own first. */
const toolsFor = (field: Field, aim: Aim): Reach[] => {
  const { invariant } = field.situation;
  const hint = aim === 'break' ? invariant.violatedBy : invariant.repairedBy;
  const out: Reach[] = [];
  for (const [name, { service, tool }] of field.world.tools) {
    if (tool.readOnly) continue;
    const isHint = `${service.id}.${tool.tool.id}` === hint;
    for (const side of aim === 'break' ? (['t', 'x'] as const) : (['x', 't'] as const)) {
      const { service: at, table } = place(field, side);
      if (service.id !== at) continue;
      const direct = tool.tool.table === table;
      if (!direct && !tool.tool.writes.some((write) => write.table === table)) continue;
      const rank = isHint ? 0 : (RANK[tool.tool.op as keyof typeof RANK] ?? 5) + (direct ? 0 : 4);
      out.push({ name, side, rank });
    }
  }
  return out.sort((a, b) => a.rank - b.rank);
};

/** Calls worth trying from where the session stands, the likeliest first. */
export function* callsTowards(field: Field, session: Session, aim: Aim): Iterable<ToolCall> {
  for (const { name, side, rank } of toolsFor(field, aim))
    yield* callsOfTool(field, session, name, side, aim, rank === 0 ? MOST_OWN : MOST_OTHER);
}
