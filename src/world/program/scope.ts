/** Names in scope while steps are compiled: their kinds, their slots, and the CEL environment that knows them. */
import type { Environment } from '@marcbachmann/cel-js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, ColumnType, Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import { TreadleError } from '../../errors.js';
import type { ArgSpec } from '../surface/args.js';
import type { Environments } from './cel.js';

/** How a scalar looks inside CEL. */
export type Scalar = 'string' | 'int' | 'double' | 'bool' | 'json' | 'dyn';

export type Kind =
  | { is: 'row'; table: string; maybe: boolean }
  | { is: 'rows'; table: string }
  | { is: 'scalar'; scalar: Scalar; nullable: boolean; column?: Column }
  | { is: 'list'; items: Scalar }
  /** Rows or a row of a free SELECT: types unknown; `columns` says what its results are like, for showing them. */
  | { is: 'free'; columns?: ReadonlyMap<string, Column> };

export interface Binding {
  slot: number;
  kind: Kind;
  /** Columns that are read of it by name; `*`, or no set, where all of it is. Grows while the tool is compiled. */
  reads?: Set<string>;
}

const SCALARS: Record<ColumnType, Scalar> = {
  text: 'string',
  int: 'int',
  number: 'double',
  bool: 'bool',
  date: 'int',
  datetime: 'int',
  money: 'int',
  json: 'json',
};
export const scalarOf = (type: ColumnType): Scalar => SCALARS[type];

/** What every scope of a tool shares. */
export interface Site {
  spec: ServiceSpec;
  toolName: string;
  tool: Tool;
  args: ReadonlyMap<string, ArgSpec>;
  environments: Environments;
  slots: { count: number };
  /** What reads the bound values is all compiled here, so that a row needs only the columns that are read of it. */
  knowsReaders?: boolean;
}

/** Names that steps may not bind. */
export const RESERVED_NAMES = ['args', 'now', 'today', 'me', 'minute', 'hour', 'day', 'week', 'cel'];

export interface Scope {
  site: Site;
  /** `steps[2].if[0]`: where an error is. */
  at: string;
  names: ReadonlyMap<string, Binding>;
  /** Paths known to be there and not null here (`row.due`, `has:args.note`). */
  facts: ReadonlySet<string>;
  /** The environment with the names, made when first asked for. */
  cel?: Environment;
}

/** A defect of the spec at a step; `value` is `tool.step`. */
export const defect = (scope: Scope, code: string, message: string, next?: string): TreadleError =>
  new TreadleError({
    code,
    message: `${scope.site.spec.id}: ${scope.site.toolName} ${scope.at}: ${message}`,
    value: `${scope.site.toolName}.${scope.at}`,
    fault: 'world',
    ...(next && { next }),
  });

export const stepTable = (scope: Scope, name: string): Table => {
  const { tables } = scope.site.spec;
  const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
  if (table) return table;
  throw defect(scope, 'unknown_table', `there is no table ${name}`, `Tables: ${Object.keys(tables).join(', ')}.`);
};

export const stepColumn = (scope: Scope, tableName: string, name: string): Column => {
  const { cols } = stepTable(scope, tableName);
  const col = Object.hasOwn(cols, name) ? cols[name] : undefined;
  if (col) return col;
  const next = `Columns: ${Object.keys(cols).join(', ')}.`;
  throw defect(scope, 'unknown_column', `table ${tableName} has no column ${name}`, next);
};

/** The scope with one more name. A name may be bound again, with another kind. */
export const bind = (scope: Scope, name: string, kind: Kind): [Scope, number] => {
  if (RESERVED_NAMES.includes(name)) throw defect(scope, 'bad_steps', `the name ${name} cannot be bound`);
  const slot = scope.site.slots.count++;
  const names = new Map(scope.names).set(name, { slot, kind, reads: new Set() });
  const facts = new Set([...scope.facts].filter((fact) => fact !== name && !fact.startsWith(`${name}.`)));
  return [{ site: scope.site, at: scope.at, names, facts }, slot];
};

/** The scope in which more is known. */
export const knowing = (scope: Scope, facts: ReadonlySet<string>): Scope =>
  facts.size === 0 ? scope : { ...scope, facts: new Set([...scope.facts, ...facts]) };

export const inStep = (scope: Scope, at: string): Scope => ({ ...scope, at });
