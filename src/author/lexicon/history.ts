/** The history row that every verb leaves where the service keeps a history of the table. */
import type { Value } from '../../artifacts/step.js';
import type { Column, Table } from '../../artifacts/table.js';
import { foreignKey } from './columns.js';
import { callerFor } from './expression.js';
import { lexicon } from './load.js';
import type { MainRow } from './main-row.js';
import { quoted, type Scope } from './scope.js';
import type { Side } from './sides.js';
import { nowFor } from './value.js';

const ACTION = ['action', 'event', 'verb', 'activity_type', 'event_type', 'type', 'kind'];
const ACTOR = [
  'actor',
  'actor_email',
  'actor_id',
  'actor_name',
  'user',
  'user_email',
  'changed_by',
  'created_by',
  'author',
  'author_email',
  'by',
];
const OLD = ['old_status', 'from_status', 'previous_status', 'old_value'];
const NEW = ['new_status', 'to_status', 'status', 'new_value'];
const AT = ['created_at', 'occurred_at', 'changed_at', 'recorded_at', 'happened_at', 'at', 'timestamp'];
const NOTE = ['note', 'comment', 'reason', 'message', 'details'];

const isFree = (col: Column | undefined): boolean =>
  col?.type === 'text' && !col.fk && !col.enum && col.auto === undefined;

/** One inserted history row for a call, if the service has a history table of this table that takes it. */
export const historyOf = (verb: string, row: MainRow, scope: Scope): Side | undefined => {
  const name = lexicon().history_tables.find(
    (one) => scope.tables[one] && foreignKey(scope.tables[one] as Table, scope.tableName),
  );
  const table = name === undefined ? undefined : scope.tables[name];
  if (name === undefined || table === undefined || name === scope.tableName) return undefined;
  const set: Record<string, Value> = { [foreignKey(table, scope.tableName) as string]: `$row.${scope.table.key.col}` };
  const text = (names: readonly string[], value: Value | undefined): void => {
    const col = names.find((one) => isFree(table.cols[one]) && !Object.hasOwn(set, one));
    if (col !== undefined && value !== undefined) set[col] = value;
  };
  text(ACTION, quoted(verb));
  const actor = ACTOR.find((one) => isFree(table.cols[one]));
  if (actor !== undefined) set[actor] = `$${callerFor(actor)}`;
  const { move } = row;
  if (move) {
    const oldCol = OLD.find((one) => isFree(table.cols[one]));
    if (oldCol !== undefined && (!move.nullable || table.cols[oldCol]?.required !== true))
      set[oldCol] = `$row.${move.col}`;
    text(NEW, row.set[move.col]);
  }
  const at = AT.find(
    (one) => table.cols[one] && table.cols[one]?.auto === undefined && nowFor(table.cols[one] as Column) !== undefined,
  );
  if (at !== undefined) set[at] = nowFor(table.cols[at] as Column) as Value;
  const note = [...scope.used].find((one) => NOTE.includes(one) && scope.args.get(one)?.arg.type === 'text');
  if (note !== undefined && NOTE.some((one) => table.cols[one]?.required !== true)) text(NOTE, `$args.${note}`);
  const isComplete = Object.entries(table.cols).every(
    ([col, { required, default: given, auto }]) =>
      Object.hasOwn(set, col) ||
      !required ||
      given !== undefined ||
      auto !== undefined ||
      (col === table.key.col && table.key.gen !== undefined),
  );
  if (!isComplete) return undefined;
  return { steps: [{ insert: { table: name, set } }], reads: [], writes: [{ table: name, insert: true }] };
};
