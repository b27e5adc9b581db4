/** Sets of rows that a list tool can select, and how a person says them. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import { plural, wordsOf } from '../../kit/words.js';
import type { Row } from '../../world/state/types.js';
import { type Descriptor, singleOut } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import type { NamedTool, PlannedArg } from '../ground/plan.js';
import { sayLabel } from '../ground/say.js';
import { nounOf, sayColumn, sayMany } from '../words/names.js';
import { isAdjective, sayRow } from '../words/rows.js';
import { isSpeakable } from '../words/sayable.js';
import { startsWith } from '../words/verbs.js';

export interface Group {
  rows: Row[];
  /** `open invoices of customer Brinkhof Interiors` */
  words: string;
  facts: string[];
  args: PlannedArg[];
  parent?: { table: string; row: Row; descriptors?: Descriptor[] };
}

const filterArg = (tool: NamedTool, col: string): [string, boolean] | undefined => {
  const found = Object.entries(tool.tool.tool.args).find(
    ([, arg]) => arg.role === 'filter' && arg.col === col && ['eq', 'in'].includes(arg.op ?? 'eq'),
  );
  return found ? [found[0], found[1].op === 'in'] : undefined;
};

/** Columns that the tool does not list without. */
const neededBy = ({ tool: { tool } }: NamedTool): string[] =>
  Object.entries(tool.args).flatMap(([name, arg]) => (arg.required && arg.role === 'filter' ? [arg.col ?? name] : []));

/** Rows that share the column's value with another. */
const siblings = (rows: readonly Row[], col: string): readonly Row[] => {
  const counts = new Map<unknown, number>();
  for (const row of rows) counts.set(row[col], (counts.get(row[col]) ?? 0) + 1);
  return rows.filter((row) => row[col] !== null && row[col] !== undefined && (counts.get(row[col]) ?? 0) > 1);
};

/** What a tool of its own kind lists, where that is not simply the table: `direct reports`, `replies`. */
const sayListed = ({ tool: { tool } }: NamedTool, spec: Table): string | undefined => {
  const noun = wordsOf(tool.id.split('.')[0] ?? '').join(' ');
  return noun === '' || noun === nounOf(spec) || noun === tool.table.replaceAll('_', ' ') ? undefined : plural(noun);
};

/** A set of rows that the list tool can select: whose they are, in which state, or both. */
export const groupOf = (ground: Ground, tool: NamedTool, random: Rng): Group | undefined => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const all = ground.rows(service);
  const rows = all(table);
  const states = Object.entries(spec.cols).filter(
    ([col, column]) => column.enum && isSpeakable(col) && filterArg(tool, col),
  );
  const needed = neededBy(tool);
  const owners = Object.entries(spec.cols).filter(
    ([col, column]) => column.fk && (column.fk !== table || needed.includes(col)) && filterArg(tool, col),
  );
  const must = owners.filter(([col]) => needed.includes(col));
  const seeds = must[0] ? siblings(rows, must[0][0]) : rows;
  if (seeds.length === 0) return undefined;
  const seed = random.pick(seeds);
  const withOwner = must.length > 0 || (owners.length > 0 && random.chance(0.75));
  const withState = states.length > 0 && (!withOwner || random.chance(0.5));
  if (!withOwner && !withState) return undefined;
  let behind = '';
  const group: Group = { rows: [...rows], words: sayMany(spec), facts: [], args: [] };
  if (withState) {
    const [col, column] = random.pick(states);
    const value = seed[col];
    if (value === null || value === undefined || !column.enum) return undefined;
    const words = wordsOf(String(value)).join(' ');
    group.rows = group.rows.filter((row) => row[col] === value);
    if (/^(status|state)$/.test(col) && isAdjective(words)) group.words = `${words} ${group.words}`;
    else behind = ` ${/^(kind|type|category)$/.test(col) ? 'of' : 'with'} ${sayColumn(col)} ${words}`;
    group.facts.push(words);
    const [name, many] = filterArg(tool, col) as [string, boolean];
    group.args.push({ name, value: many ? [value] : value, origin: { brief: words } });
  }
  if (withOwner) {
    const [col, column] = random.pick(must.length > 0 ? must : owners);
    const parentTable = column.fk as string;
    const parentSpec = service.spec.tables[parentTable] as Table;
    const parent = all(parentTable).find((row) => row[parentSpec.key.col] === seed[col]);
    const label = parent ? sayLabel(parentSpec, parent) : undefined;
    if (!parent) return undefined;
    if (!label && must.length === 0) return undefined;
    // What has no name is told by what is around it.
    const around = label ? undefined : singleOut(ground, service, parentTable, parent, random, 'around');
    if (!label && !around) return undefined;
    group.rows = group.rows.filter((row) => row[col] === seed[col]);
    const whose = label
      ? startsWith(label, nounOf(parentSpec))
        ? label
        : `${nounOf(parentSpec)} ${label}`
      : sayRow(service, parentTable, parent, around as Descriptor[]);
    const many = must.length > 0 ? sayListed(tool, spec) : undefined;
    if (many) group.words = group.words.replace(sayMany(spec), many);
    const behindOf = /(customer|patient|member|student|tenant|client|employee)/.test(nounOf(parentSpec));
    group.words += ` ${/^(replies|reactions)$/.test(many ?? '') ? 'to' : behindOf || many ? 'of' : 'for'} ${whose}`;
    group.facts.push(label ?? whose);
    group.parent = { table: parentTable, row: parent, ...(around ? { descriptors: around } : {}) };
    const [name, isList] = filterArg(tool, col) as [string, boolean];
    group.args.push({
      name,
      value: isList ? [seed[col] ?? null] : (seed[col] ?? null),
      origin: { observed: true },
    } as PlannedArg);
  }
  group.words += behind;
  return group;
};
