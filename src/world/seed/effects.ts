/** What a table's verbs do to its rows, read off the tools' own steps, and the way from the first state to each other one. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step, Value } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import { snake } from '../../kit/words.js';
import { toolsOf } from '../tools-of.js';

/** What a verb writes into a column of its own row. */
export type Effect =
  | { kind: 'now' }
  | { kind: 'day' }
  | { kind: 'literal'; value: Value }
  /** An argument or a computed value: the column's own rule makes something of the right sort. */
  | { kind: 'given'; optional: boolean }
  | { kind: 'me' };

export interface VerbEffect {
  verb: string;
  set: Record<string, Effect>;
  /** Status it gives the row behind one of the columns (`deliver` of a fulfilment makes the order delivered). */
  parents: { col: string; table: string; status: string }[];
  /** Status it gives the rows that point here. */
  children: { table: string; col: string; status: string }[];
}

export interface Move {
  verb: string;
  to: string;
}

export interface Life {
  col: string;
  initial: string;
  /** Every state that a move leads from or to, in order of first mention, then other enum values. */
  states: string[];
  /** Number of states that verbs speak of; those come first. */
  spoken: number;
  /** Moves from the initial state, shortest way. */
  paths: ReadonlyMap<string, Move[]>;
  /** States that some move leads out of to a later one. */
  open: ReadonlySet<string>;
}

const TEXT = /^'((?:[^'\\]|\\.)*)'$/;

const effectOf = (value: Value, required: ReadonlySet<string> | undefined): Effect => {
  if (typeof value !== 'string') return { kind: 'literal', value };
  const quoted = TEXT.exec(value);
  if (quoted) return { kind: 'literal', value: quoted[1] ?? '' };
  if (value === '$now' || value === 'now') return { kind: 'now' };
  if (value.startsWith('$me')) return { kind: 'me' };
  if (/^(true|false|null)$/.test(value)) return { kind: 'literal', value: JSON.parse(value) as Value };
  if (/\bnow\b/.test(value)) return { kind: 'day' };
  const arg = /^\$args\.(\w+)$/.exec(value)?.[1];
  return { kind: 'given', optional: arg !== undefined && required !== undefined && !required.has(arg) };
};

const statusText = (value: Value | undefined): string | undefined =>
  typeof value === 'string' ? TEXT.exec(value)?.[1] : undefined;

const readUpdates = (
  spec: ServiceSpec,
  tableName: string,
  steps: readonly Step[],
  out: VerbEffect,
  required: ReadonlySet<string>,
): void => {
  const key = spec.tables[tableName]?.key.col ?? 'id';
  for (const step of steps) {
    if ('if' in step) readUpdates(spec, tableName, step.if.do, out, required);
    if (!('update' in step)) continue;
    const { table, where, set } = step.update;
    const [whereCol = '', whereValue = ''] = Object.entries(where)[0] ?? [];
    if (table === tableName && whereCol === key) {
      for (const [col, value] of Object.entries(set)) out.set[col] = effectOf(value, required);
      continue;
    }
    const other = spec.tables[table];
    const status = other ? statusText(set[other.machine?.col ?? 'status']) : undefined;
    if (!other || status === undefined || typeof whereValue !== 'string') continue;
    const field = whereValue.split('.').at(-1) ?? '';
    if (whereCol === other.key.col && field !== key) out.parents.push({ col: field, table, status });
    else if (field === key) out.children.push({ table, col: whereCol, status });
  }
};

/** Effects by verb of every action tool that works on the table. */
export const verbEffects = (spec: ServiceSpec, tableName: string): Map<string, VerbEffect> => {
  const out = new Map<string, VerbEffect>();
  for (const tool of toolsOf(spec, tableName)) {
    if (tool.op !== 'action' || !tool.steps) continue;
    const verb = tool.id.split('.')[1] ?? tool.id;
    const effect: VerbEffect = { verb, set: {}, parents: [], children: [] };
    const required = new Set(Object.entries(tool.args).flatMap(([name, arg]) => (arg.required ? [name] : [])));
    readUpdates(spec, tableName, tool.steps, effect, required);
    out.set(verb, effect);
  }
  return out;
};

/** Columns that a creator may give: what a create tool of the table takes. */
export const creatable = (spec: ServiceSpec, tableName: string): ReadonlySet<string> => {
  const out = new Set<string>();
  for (const tool of toolsOf(spec, tableName))
    if (tool.op === 'create') for (const [name, arg] of Object.entries(tool.args)) out.add(arg.col ?? name);
  return out;
};

const BAD =
  /cancel|reject|declin|fail|void|denied|deny|expired|refund|lost|abandon|withdrawn|suspend|block|error|dispute|delete|terminat|revoked|written_off|no_show|overdue|hold|pause|return|recall|quarantin|lock|frozen|ground|discontinu|retired|abort|disabled|scrap|damaged|lapse|evict|inactive|left|archived|disqualif|dropped|missed|late/;
const INITIAL =
  /^(draft|new|open|pending|created|requested|planned|queued|scheduled|registered|submitted|todo|active|received|booked)$/;

/** Whether a state is an exception to the usual course. */
export const isBadEnd = (state: string): boolean => BAD.test(snake(state));

const guessed = (values: readonly string[]): { initial: string; paths: Map<string, Move[]> } => {
  const initial = values.find((value) => INITIAL.test(snake(value))) ?? values[0] ?? '';
  const line = values.filter((value) => value === initial || !isBadEnd(value));
  const paths = new Map<string, Move[]>();
  for (const value of values) {
    const at = line.indexOf(value);
    const from = line.indexOf(initial);
    const way =
      at > from && from >= 0 && at - from <= 4 ? line.slice(from + 1, at + 1) : value === initial ? [] : [value];
    paths.set(
      value,
      way.map((to) => ({ verb: snake(to), to })),
    );
  }
  return { initial, paths };
};

/** The way to a state that no verb of the table leads to (another table's does): along the declared order as far as verbs go. */
const elsewhere = (
  state: string,
  states: readonly string[],
  values: readonly string[],
  paths: ReadonlyMap<string, Move[]>,
): Move[] => {
  const list = values.length > 0 ? values : states;
  const at = list.indexOf(state);
  const last: Move = { verb: snake(state), to: state };
  if (isBadEnd(state)) return [last];
  const before = list.slice(0, at).filter((each) => !isBadEnd(each));
  const known = before.findLastIndex((each) => paths.has(each));
  // Of several states one step from the same one, none is on the way: a substituted line is no stage of a fulfilled one.
  const depth = paths.get(before[known] ?? '')?.length ?? 0;
  const siblings = before.filter((each) => paths.get(each)?.length === depth && depth > 0).length;
  if (siblings > 1) return [...(paths.get(before[known] ?? '') ?? []).slice(0, -1), last];
  const between = before.slice(known + 1).map((each) => ({ verb: snake(each), to: each }));
  return [...(paths.get(before[known] ?? '') ?? []), ...between.slice(-2), last];
};

/** The status column's life; undefined when the table has none. `statusCol`: a status enum without a declared machine. */
export const lifeOf = (table: Table, statusCol: string | undefined): Life | undefined => {
  const machine = table.machine;
  const col = machine?.col ?? statusCol;
  const column = col ? table.cols[col] : undefined;
  if (!col || !column) return undefined;
  const values = column.enum ?? [];
  if (!machine) {
    if (values.length === 0) return undefined;
    const { initial, paths } = guessed(values);
    const open = new Set(values.filter((value) => !isBadEnd(value) && value !== values.at(-1)));
    return { col, initial, states: [...values], spoken: values.length, paths, open };
  }
  const spoken: string[] = [machine.initial];
  for (const move of machine.moves)
    for (const state of [...move.from, move.to]) if (!spoken.includes(state)) spoken.push(state);
  const allowed = values.length > 0 ? spoken.filter((state) => values.includes(state)) : spoken;
  const initial = allowed.includes(machine.initial) ? machine.initial : (allowed[0] ?? values[0] ?? machine.initial);
  const paths = new Map<string, Move[]>([[initial, []]]);
  for (const state of paths.keys())
    for (const move of machine.moves)
      if (move.from.includes(state) && !paths.has(move.to) && allowed.includes(move.to))
        paths.set(move.to, [...(paths.get(state) ?? []), { verb: move.verb, to: move.to }]);
  const rest = values.filter((value) => !allowed.includes(value));
  for (const state of [...allowed, ...rest])
    if (!paths.has(state)) paths.set(state, elsewhere(state, [...allowed, ...rest], values, paths));
  const steps = (state: string): number => paths.get(state)?.length ?? 0;
  const open = new Set<string>();
  for (const { from, to } of machine.moves)
    for (const state of from)
      if (steps(to) > steps(state) && (!isBadEnd(to) || /left|returned/.test(to))) open.add(state);
  return { col, initial, states: [...allowed, ...rest], spoken: allowed.length, paths, open };
};
