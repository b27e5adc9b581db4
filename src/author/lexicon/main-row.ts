/** What a verb writes to the row it acts on: rules a to d of the lexicon's header. */
import type { Value } from '../../artifacts/step.js';
import type { Column, Table } from '../../artifacts/table.js';
import { flagColumns, isAutomatic, timeColumn } from './columns.js';
import { callerFor } from './expression.js';
import { type Effect, type Entry, lexicon } from './load.js';
import { participleOf } from './participle.js';
import { quoted, type Scope } from './scope.js';
import { enumValue, type StatusMove, statusColumns, statusMove, valuesIn } from './status.js';
import type { Ground, VerbMatch } from './types.js';
import { nowFor, valueFor, writable } from './value.js';

/** Marks a status column that the lexicon added, which later verbs may extend. */
export const ADDED_STATUS = 'Where it stands, by what has been done with it.';

export interface MainRow {
  set: Record<string, Value>;
  /** Written after the side rows, since they name a row inserted there. */
  later: Record<string, string>;
  move?: StatusMove;
  /** CEL that holds when the row already stands where the verb leads. */
  already?: string;
  /** `already` also compares arguments: the state alone does not tell that the work is done. */
  moreThanState: boolean;
  grounds: Set<Ground>;
}

const put = (row: MainRow, ground: Ground, col: string, value: Value | undefined): boolean => {
  if (value === undefined || Object.hasOwn(row.set, col)) return false;
  row.set[col] = value;
  row.grounds.add(ground);
  return true;
};

/** The move that the table's own machine makes of this verb. */
const machineMove = (
  table: Table,
  verbs: readonly string[],
  partial: readonly string[] | undefined,
): StatusMove | undefined => {
  const { machine } = table;
  const moves = machine?.moves.filter((move) => verbs.includes(move.verb)) ?? [];
  const [first] = moves;
  if (!machine || !first) return undefined;
  const col = table.cols[machine.col] as Column;
  const from = [...new Set(moves.filter((move) => move.to === first.to).flatMap((move) => move.from))];
  const part = partial && col.enum && enumValue(col.enum, partial);
  return { col: machine.col, to: first.to, from, nullable: col.required !== true, ...(part ? { partial: part } : {}) };
};

/** un- + a verb: back to the first value of its `from` classes, out of the value the verb leads to. */
const backMove = (table: Table, move: StatusMove | undefined, from: readonly string[]): StatusMove | undefined => {
  const values = move && table.cols[move.col]?.enum;
  const to = values && valuesIn(values, from).find((value) => value !== move.to);
  return move && to !== undefined ? { col: move.col, to, from: [move.to], nullable: move.nullable } : undefined;
};

export const guardedText = (path: string, nullable: boolean): string =>
  nullable ? `(${path} == null ? '' : ${path})` : path;
const guardedBool = (path: string, col: Column): string =>
  col.required ? path : `(${path} == null ? false : ${path})`;

/** A participle reads as a state: one word, or a phrase the lexicon lists (`checked_in`), not `removed_hold`. */
const isState = (participle: string): boolean =>
  !participle.includes('_') || Object.values(lexicon().state_classes).some((states) => states.includes(participle));

/** Status values by preference: a trade's own, the participle of the word used, the entry's list. */
export const wantedStatus = (match: VerbMatch, effect: Effect): string[] => {
  if (effect.status === undefined && match.status === undefined) return [];
  const participle = participleOf(match.word);
  return [...(match.status ?? []), ...(isState(participle) ? [participle] : []), ...(effect.status ?? [])];
};

const writeStatus = (row: MainRow, entry: Entry, match: VerbMatch, toolVerb: string, scope: Scope): void => {
  const { effect, precondition } = entry;
  const wanted = wantedStatus(match, effect);
  // A status of our own making has room for the verb's own word: a value further down the list would be another verb's.
  const isOwn = scope.table.cols.status?.description === ADDED_STATUS;
  const near = isOwn ? wanted.filter((word) => word === wanted[0] || word === effect.status?.[0]) : wanted;
  const plain = statusMove(scope.table, near, effect.partial, precondition.from);
  const move = match.reversed
    ? backMove(scope.table, plain, precondition.from ?? [])
    : (machineMove(scope.table, [toolVerb, match.word, match.verb], effect.partial) ?? plain);
  if (!move || isAutomatic(scope.table, move.col)) return;
  row.move = move;
  const halfway = move.partial !== undefined && scope.left && scope.amount;
  put(
    row,
    'status',
    move.col,
    halfway ? `left - amount > 0 ? ${quoted(move.partial as string)} : ${quoted(move.to)}` : quoted(move.to),
  );
  row.already = `row.${move.col} == ${quoted(move.to)}`;
};

const writeFlags = (row: MainRow, effect: Effect, match: VerbMatch, scope: Scope): void => {
  for (const [flag, wanted] of Object.entries(effect.flag ?? {})) {
    for (const { col, negated } of flagColumns(scope.table, flag)) {
      if (isAutomatic(scope.table, col)) continue;
      const path = guardedBool(`row.${col}`, scope.table.cols[col] as Column);
      // The one entry with an expression here flips each flag it finds.
      if (typeof wanted === 'string') {
        put(row, 'flag', col, `!${path}`);
        continue;
      }
      const value = (wanted !== negated) !== (match.reversed === true);
      if (put(row, 'flag', col, value)) row.already ??= `${path} == ${value}`;
    }
  }
};

const writeStamps = (row: MainRow, effect: Effect, match: VerbMatch, scope: Scope): void => {
  const { table } = scope;
  const names = [
    ...(match.stamp ?? []),
    ...(effect.stamp?.length ? [`${participleOf(match.word)}_at`] : []),
    ...(effect.stamp ?? []),
  ];
  const found = names
    .map((name) => timeColumn(table, name))
    .find((col) => col !== undefined && !isAutomatic(table, col));
  if (found === undefined) return;
  const col = table.cols[found] as Column;
  if (match.reversed) {
    if (col.required !== true) put(row, 'stamp', found, null);
    return;
  }
  if (!put(row, 'stamp', found, nowFor(col))) return;
  if (col.required !== true) row.already ??= `row.${found} != null`;
  const by = `${found.replace(/_(at|on|date)$/, '')}_by`;
  const companion = [by, `${by}_email`, `${by}_name`].find((name) => table.cols[name]?.type === 'text');
  const free =
    companion && !table.cols[companion]?.fk && !table.cols[companion]?.enum && !isAutomatic(table, companion);
  if (free) put(row, 'stamp', companion, `$${callerFor(companion)}`);
};

const writeLines = (row: MainRow, effect: Effect, scope: Scope): void => {
  const groups = [
    ['set', effect.link],
    ['set', effect.set],
    ['change', effect.change],
  ] as const;
  for (const [ground, lines] of groups) {
    for (const [role, line] of Object.entries(lines ?? {})) {
      const col = writable(scope.table, role);
      if (col === undefined || Object.hasOwn(row.set, col)) continue;
      if (typeof line === 'string' && /\bnew\./.test(line)) row.later[col] = line;
      else put(row, ground, col, valueFor(line, col, scope.table, scope));
    }
  }
  for (const role of effect.clear ?? []) {
    const col = writable(scope.table, role);
    const isState = col !== undefined && statusColumns(scope.table).includes(col);
    if (col !== undefined && !isState && scope.table.cols[col]?.required !== true) put(row, 'clear', col, null);
  }
};

/** What the caller must say (whom to assign) has to stand in the row too, before the work counts as done. */
const alreadyWithArguments = (row: MainRow, scope: Scope): void => {
  if (row.already === undefined) return;
  for (const [col, value] of Object.entries(row.set)) {
    const name = typeof value === 'string' ? /^\$args\.(\w+)$/.exec(value)?.[1] : undefined;
    const column = scope.table.cols[col] as Column;
    const isGiven = [...scope.args.values()].some((one) => one.name === name && one.arg.required);
    if (!isGiven || column.type === 'json') continue;
    row.already = `${row.already} && row.${col} == args.${name}`;
    row.moreThanState = true;
  }
};

/** The row's own writes, none of them beyond the columns the table has. */
export const mainRow = (entry: Entry, match: VerbMatch, toolVerb: string, scope: Scope): MainRow => {
  const row: MainRow = { set: {}, later: {}, moreThanState: false, grounds: new Set() };
  writeStatus(row, entry, match, toolVerb, scope);
  writeFlags(row, entry.effect, match, scope);
  writeStamps(row, entry.effect, match, scope);
  // Undoing a verb undoes what can be read off the row; amounts and links it once moved are not known any more.
  if (!match.reversed) writeLines(row, entry.effect, scope);
  alreadyWithArguments(row, scope);
  return row;
};
