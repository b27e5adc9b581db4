/** Compiles the tables of an archetype: columns, keys, stamps, status machines. */
import type { Column, Machine, Table } from '../../artifacts/table.js';
import { plural, spaced } from '../../kit/words.js';
import type { DraftTable, DraftVerb } from './archetype.js';
import { type DraftColumn, type Reference, readColumn } from './column.js';

export interface CompiledTable {
  name: string;
  table: Table;
  draft: DraftTable;
  /** Notation of every column, by name; absent for the key and the automatic stamps. */
  cols: Record<string, DraftColumn>;
  statusCol: string | undefined;
}

const LABELS = ['name', 'title', 'subject', 'full_name', 'description'];

const machineOf = (draft: DraftTable, statusCol: string, values: string[]): Machine => ({
  col: statusCol,
  initial: values[0] ?? '',
  moves: Object.entries(draft.verbs ?? {}).flatMap(([verb, spec]) => {
    const to = spec.to ?? spec.may;
    return to && !spec.new ? [{ verb, from: spec.from ?? values.filter((value) => value !== to), to }] : [];
  }),
});

/** Columns whose target service is absent fall away when they are optional; `present` holds the services of the world. */
const kept = (draft: DraftColumn, present: ReadonlySet<string> | undefined): boolean =>
  draft.refs.length === 0 || draft.mandatory || !present || draft.refs.some((ref) => present.has(ref.service));

const mentions = (what: unknown, col: string): boolean => new RegExp(`\\b${col}\\b`).test(JSON.stringify(what));

/** What speaks of a column that fell away falls away with it: verbs, checks, unique sets, searched columns. */
const trimmed = (draft: DraftTable, dropped: string[]): DraftTable => {
  if (dropped.length === 0) return draft;
  const speaks = (what: unknown): boolean => dropped.some((col) => mentions(what, col));
  const verbs = Object.entries(draft.verbs ?? {}).filter(
    ([, verb]: [string, DraftVerb]) => !speaks({ ...verb, put: undefined, says: undefined }),
  );
  const { search, check, unique, label, ...rest } = draft;
  return {
    ...rest,
    verbs: Object.fromEntries(verbs),
    ...(search ? { search: search.filter((col) => !dropped.includes(col)) } : {}),
    ...(check ? { check: check.filter((text) => !speaks(text)) } : {}),
    ...(unique ? { unique: unique.filter((cols) => !cols.some((col) => dropped.includes(col))) } : {}),
    ...(label && !dropped.includes(label) ? { label } : {}),
  };
};

/** One table; `present` undefined keeps every column. Throws `bad_column`. */
export const compileTable = (
  name: string,
  whole: DraftTable,
  present: ReadonlySet<string> | undefined,
): CompiledTable => {
  const cols: Record<string, DraftColumn> = {};
  const dropped: string[] = [];
  for (const [col, text] of Object.entries(whole.cols)) {
    const read = readColumn(text);
    if (kept(read, present)) cols[col] = read;
    else dropped.push(col);
  }
  const draft = trimmed(whole, dropped);
  const statusCol = draft.status ? (draft.machine ?? 'status') : undefined;
  if (statusCol) {
    const status = readColumn(`one ${draft.status}`);
    cols[statusCol] = { ...status, managed: true, mandatory: false };
  }
  for (const verb of Object.values(draft.verbs ?? {}))
    if (verb.stamp && !cols[verb.stamp])
      cols[verb.stamp] = { column: { type: 'datetime' }, managed: true, fixed: false, mandatory: false, refs: [] };
  const entries = Object.entries(cols);
  const number = entries.find(([, { column }]) => column.auto === 'number')?.[0];
  const label = draft.label ?? LABELS.find((col) => cols[col]) ?? number;
  const columns: Record<string, Column> = { id: { type: 'text', required: true } };
  for (const [col, { column }] of entries) columns[col] = column;
  columns.created_at ??= { type: 'datetime', required: true, auto: 'now' };
  columns.updated_at ??= { type: 'datetime', required: true, auto: 'touch' };
  const noun = draft.noun ?? spaced(name);
  const table: Table = {
    noun,
    plural: draft.plural ?? plural(noun),
    ...(draft.about ? { description: draft.about } : {}),
    key: { col: 'id', gen: { style: 'base62', prefix: `${name.slice(0, 3)}_`, length: 12 } },
    cols: columns,
    ...(label ? { label } : {}),
    ...(draft.unique ? { unique: draft.unique } : {}),
    ...(draft.check ? { check: draft.check } : {}),
    ...(statusCol ? { machine: machineOf(draft, statusCol, cols[statusCol]?.column.enum ?? []) } : {}),
    ...(draft.rows !== undefined ? { rows: draft.rows } : {}),
  };
  return { name, table, draft, cols, statusCol };
};

/** References of a table's columns that the world can meet, best first. */
export const referencesOf = (
  compiled: CompiledTable,
  present: ReadonlySet<string>,
): { col: string; ref: Reference }[] =>
  Object.entries(compiled.cols).flatMap(([col, draft]) => {
    const ref = draft.refs.find((candidate) => present.has(candidate.service));
    return ref ? [{ col, ref }] : [];
  });
