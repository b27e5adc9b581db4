/** Made-up services on which every entry of the lexicon is compiled and run: rich in all it speaks of, poor, and bare. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { neutralSurface } from '../dialects/neutral.js';
import { type Entry, type Line, lexicon } from './load.js';

const key: Column = { type: 'text', required: true };
const AMOUNTS =
  /amount|total|balance|price|fee|cost|paid|due$|held|captured|refunded|disbursed|salary|discount|authorized|applied|claimed/;
const NUMBERS =
  /count|quantity|on_hand|reserved|level|score|index|attempts|capacity|taken|version$|progress|probability|rank|size|received|shipped|returned|scrapped|delta|minutes|term|number_of|siblings|days/;
const TIMES = /_(at|on|until|deadline|date)$|^(starts|ends|expires|due_date|remind_at|eta|until)$|_end$|terms$/;
const FLAGS = /^(is_|has_)|legal_hold|on_hold$|^(locked|read|public|internal|default|primary|reconciled)$/;

/** A column of a likely type for a name of the lexicon; nullable. */
const columnFor = (name: string): Column => {
  if (name === 'due_date') return { type: 'date' };
  if (TIMES.test(name)) return { type: 'datetime' };
  if (AMOUNTS.test(name) && !/_(id|by)$/.test(name)) return { type: 'money' };
  if (NUMBERS.test(name) && !/_(id|by)$/.test(name)) return { type: 'int' };
  if (FLAGS.test(name)) return { type: 'bool' };
  return { type: 'text' };
};

const names = (text: string, owner: string): string[] =>
  [...text.matchAll(new RegExp(`\\b${owner}\\.(\\w+)`, 'g'))].map((found) => found[1] as string);

/** Status values that give an entry a row to work on, the one it leads to, and one it must refuse. */
const statusOf = (entry: Entry): Column => {
  const { state_classes: classes, state_groups: groups } = lexicon();
  const from = (entry.precondition.from ?? []).flatMap((one) => groups[one] ?? [one]);
  const some = from.map((one) => classes[one]?.[0] ?? one);
  const target = entry.effect.status?.[0];
  const half = entry.effect.partial?.[0];
  const values = ['draft', 'active', 'archived', ...some, ...(target ? [target] : []), ...(half ? [half] : [])];
  return { type: 'text', required: true, enum: [...new Set(values)] };
};

/** A table that has every column an entry names. */
export const richTable = (noun: string, entry: Entry): Table => {
  const { effect, precondition } = entry;
  const said = new Set<string>();
  for (const group of [effect.set, effect.link, effect.change])
    for (const name of Object.keys(group ?? {})) said.add(name);
  for (const name of [...(effect.stamp ?? []), ...(effect.clear ?? [])]) said.add(name);
  const text = JSON.stringify([effect, precondition, entry.side_rows.map((row) => [row.with, row.set, row.where])]);
  for (const name of names(text, 'row')) said.add(name);
  const cols: Record<string, Column> = { id: key, name: { type: 'text', required: true } };
  for (const name of said)
    if (!['id', 'status', 'parent', 'open_children'].includes(name)) cols[name] = columnFor(name);
  for (const name of Object.keys(effect.flag ?? {})) cols[name] = { type: 'bool' };
  cols.status = statusOf(entry);
  return { noun: noun.replaceAll('_', ' '), key: { col: 'id', gen: { style: 'base62' } }, cols, label: 'name' };
};

const sideColumn = (name: string, line: Line | undefined): Column =>
  Array.isArray(line) ? { type: 'text', enum: [...new Set(['other', ...line])] } : columnFor(name);

/** The first table each side row names, with the columns it writes. */
const sideTables = (parent: string, entry: Entry): Record<string, Table> => {
  const out: Record<string, Table> = {};
  for (const row of entry.side_rows) {
    const name = (row.insert ?? row.update ?? row.delete)?.[0] as string;
    if (name.includes(' ') || name === parent) continue;
    const table = out[name] ?? {
      noun: name.replaceAll('_', ' '),
      key: { col: 'id', gen: { style: 'hex' } },
      cols: { id: key, [`${parent}_id`]: { type: 'text', fk: parent } },
    };
    const lines = { ...row.with, ...row.set };
    for (const col of [...Object.keys(lines), ...names(`${row.where} ${JSON.stringify(lines)}`, 'it')])
      if (!['id', 'parent'].includes(col)) table.cols[col] ??= sideColumn(col, lines[col]);
    out[name] = table;
  }
  return out;
};

export const spec = (tables: Record<string, Table>): ServiceSpec => ({
  treadle: 'service/1',
  id: 'made_up',
  title: 'Made up',
  description: '',
  source: { kind: 'manual', ref: 'made_up' },
  tables,
  tools: {},
  surface: neutralSurface('EUR'),
});

export const rich = (noun: string, entry: Entry): Record<string, Table> => ({
  ...sideTables(noun, entry),
  [noun]: richTable(noun, entry),
});

/** Only a status of three values. */
export const poor = (noun: string): Record<string, Table> => ({
  [noun]: {
    noun,
    key: { col: 'id', gen: { style: 'hex' } },
    cols: {
      id: key,
      name: { type: 'text', required: true },
      status: { type: 'text', required: true, enum: ['NEW', 'IN_PROGRESS', 'CANCELED'] },
    },
  },
});

/** Nothing to tell a state by. */
export const bare = (noun: string): Record<string, Table> => ({
  [noun]: {
    noun,
    key: { col: 'id', gen: { style: 'hex' } },
    cols: { id: key, name: { type: 'text', required: true } },
  },
});

/** A canonical JSON value for an argument, as the neutral surface writes it. */
export const argValue = (arg: Arg): unknown => {
  if (arg.enum) return arg.enum[0];
  switch (arg.type) {
    case 'int':
      return Math.max(1, arg.min ?? 1);
    case 'money':
    case 'number':
      return 1;
    case 'bool':
      return true;
    case 'date':
      return '2031-01-01';
    case 'datetime':
      return '2031-01-01T00:00:00Z';
    case 'list':
      return ['x'];
    case 'json':
      return { a: 1 };
    case 'text':
      return 'text';
  }
};
