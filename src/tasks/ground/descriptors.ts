/**
 * Descriptors: what a person says so that one row, and only one, is meant. Never a key: an agent has to find that itself
 * (certify.md, "determined").
 */
import type { Literal, Table } from '../../artifacts/table.js';
import { DAY, startOfDay } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { isSayable, isSpeakable } from '../words/sayable.js';
import { currencyOf, sayLabel, sayValue } from './say.js';

export interface Descriptor {
  col: string;
  value: Literal;
  /** As the brief says it. */
  words: string;
  /** The row behind a foreign key, when the words name that row. */
  parent?: Parent;
}

/** A row that the words name, of the same service or, through a shared key, of another. */
export interface Parent {
  service: LoadedService;
  table: string;
  row: Row;
}

/** What is known of a world: the rows of every service, and which column speaks of which other service. */
export interface Known {
  rows(service: LoadedService): TableRows;
  linked(
    service: string,
    table: string,
    col: string,
  ): { service: LoadedService; table: string; col: string } | undefined;
  /** Tools, by full name, that a plan takes where several would do: those that no task calls yet. */
  prefers?: ReadonlySet<string>;
}

/** Columns nobody would name a thing by. */
const UNSAID =
  /^(_|.*_by$|.*url$|.*notes?$|.*description$|body|metadata|.*_json|password|token|secret|version|timezone|locale|latitude|longitude|currency|updated|.*_limit$|.*_days$|.*reason$)/;

const matches = (service: LoadedService, table: string, descriptor: Descriptor, row: Row): boolean => {
  const column = service.spec.tables[table]?.cols[descriptor.col];
  const value = row[descriptor.col];
  if (column?.type === 'datetime' && typeof value === 'number')
    return startOfDay(value) === startOfDay(Number(descriptor.value));
  if (typeof value === 'string' && typeof descriptor.value === 'string')
    return value.toLowerCase() === descriptor.value.toLowerCase();
  return value === descriptor.value;
};

/** Rows of `rows` that all descriptors fit. */
export const fitting = (
  service: LoadedService,
  table: string,
  descriptors: readonly Descriptor[],
  rows: readonly Row[],
): Row[] => rows.filter((row) => descriptors.every((descriptor) => matches(service, table, descriptor, row)));

/** The row behind a foreign key or a shared key, when a person could name it. */
const parentOf = (
  known: Known,
  service: LoadedService,
  table: string,
  col: string,
  value: SqlValue,
): Parent | undefined => {
  const fk = service.spec.tables[table]?.cols[col]?.fk;
  const link = fk ? undefined : known.linked(service.id, table, col);
  const target = fk ? { service, table: fk, col: service.keys[fk] as string } : link;
  if (!target) return undefined;
  const rows = known
    .rows(target.service)(target.table)
    .filter((row) => row[target.col] === value);
  return rows.length === 1 && rows[0] ? { service: target.service, table: target.table, row: rows[0] } : undefined;
};

/** All rows of a table in the initial state. */
export type TableRows = (table: string) => readonly Row[];

/** Everything about a row that a person could say, one descriptor a column. */
export const sayable = (known: Known, service: LoadedService, table: string, row: Row): Descriptor[] => {
  const spec = service.spec.tables[table];
  if (!spec) return [];
  const out: Descriptor[] = [];
  for (const [col, column] of Object.entries(spec.cols)) {
    const value = row[col];
    if (value === null || value === undefined || column.hidden || UNSAID.test(col) || col === spec.key.col) continue;
    const parent = parentOf(known, service, table, col, value);
    const parentSpec = parent?.service.spec.tables[parent.table];
    if (parent && parentSpec) {
      const words = sayLabel(parentSpec, parent.row);
      if (words && !(parent.service === service && parent.table === table)) out.push({ col, value, words, parent });
      continue;
    }
    if (column.fk) continue;
    if (
      column.type === 'text' &&
      !column.enum &&
      col !== spec.label &&
      !/(name|number|_no|code|email|title|subject|city|sku)$/.test(col)
    )
      continue;
    if (
      column.type === 'text' &&
      (String(value).length > 80 || (col !== spec.label && !column.enum && !isSayable(col, value)))
    )
      continue;
    if (!isSpeakable(col)) continue;
    const words = sayValue(column, value, currencyOf(service.spec, spec, row));
    if (words) out.push({ col, value, words });
  }
  return out;
};

/** A parent's label must itself be unambiguous, or "the customer Brandt" means two rows. */
export const parentIsClear = (known: Known, { parent }: Descriptor): boolean => {
  if (!parent) return true;
  const label = parent.service.spec.tables[parent.table]?.label;
  if (label === undefined) return false;
  const own = String(parent.row[label]).toLowerCase();
  return (
    known
      .rows(parent.service)(parent.table)
      .filter((other) => String(other[label]).toLowerCase() === own).length === 1
  );
};

/** Things that go by a name are called by it; what has only a number or a title is as often meant by what is around it. */
export const modeFor = (spec: Table, random: Rng): 'label' | 'around' => {
  if (spec.label && /(name|email|sku|code)$/.test(spec.label)) return 'label';
  return random.chance(spec.label && /(title|subject)$/.test(spec.label) ? 0.5 : 0.3) ? 'label' : 'around';
};

/** How telling a kind of descriptor is for a person: the lower, the sooner it is said. */
const weight = (service: LoadedService, table: string, descriptor: Descriptor): number => {
  const column = service.spec.tables[table]?.cols[descriptor.col];
  if (descriptor.parent) return 0;
  if (column?.type === 'date' || column?.type === 'datetime') return /^(created|updated)/.test(descriptor.col) ? 4 : 1;
  if (column?.type === 'money') return /^(amount|total|price|value|fee|cost)$/.test(descriptor.col) ? 1.5 : 3;
  if (column?.enum) return 2;
  if (column?.type === 'text') return 1;
  return 3;
};

/**
 * The fewest descriptors that fit this row alone, or undefined when the row cannot be told apart. `mode` label: by its name or
 * number; around: by what surrounds it (whose it is, when, how much), which makes an agent search. `must` columns are always
 * said: no look-up works without them.
 */
export const singleOut = (
  known: Known,
  service: LoadedService,
  table: string,
  row: Row,
  random: Rng,
  mode: 'label' | 'around',
  must: readonly string[] = [],
): Descriptor[] | undefined => {
  const spec = service.spec.tables[table];
  if (!spec) return undefined;
  const clear = sayable(known, service, table, row).filter((descriptor) => parentIsClear(known, descriptor));
  const label = clear.find((descriptor) => descriptor.col === spec.label);
  const rows = known.rows(service)(table);
  if (mode === 'label') {
    if (!label) return undefined;
    if (must.length === 0 && fitting(service, table, [label], rows).length === 1) return [label];
  }
  const needed = must.map((col) => clear.find((descriptor) => descriptor.col === col));
  if (needed.some((descriptor) => descriptor === undefined)) return undefined;
  const start = [...(needed as Descriptor[]), ...(mode === 'label' && label ? [label] : [])];
  const others = clear.filter(({ col }) => col !== spec.label && !must.includes(col) && !spec.cols[col]?.unique);
  const ordered = random.shuffle(others).sort((a, b) => weight(service, table, a) - weight(service, table, b));
  const chosen = [...start];
  let left = fitting(service, table, chosen, rows);
  for (const descriptor of ordered) {
    if (left.length === 1 && chosen.length > 0) break;
    if (chosen.length >= 4) return undefined;
    const narrowed = fitting(service, table, [descriptor], left);
    if (narrowed.length < left.length) {
      chosen.push(descriptor);
      left = narrowed;
    }
  }
  return left.length === 1 && chosen.length > 0 ? chosen : undefined;
};

/** Days as a range, for list filters: [from, to] in unix seconds. */
export const dayOf = (seconds: number): [number, number] => [startOfDay(seconds), startOfDay(seconds) + DAY - 1];
