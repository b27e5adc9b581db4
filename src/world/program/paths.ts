/** Paths to bound values (`$row.status`, `args.amount`, `now`): how to read one and what kind it is. */
import type { Column } from '../../artifacts/table.js';
import { startOfDay } from '../../kit/calendar.js';
import type { Row } from '../state/types.js';
import { argKind } from './cel.js';
import { nullness } from './nullness.js';
import type { Bound, Run } from './run.js';
import { defect, type Kind, type Scope, scalarOf, stepColumn } from './scope.js';

export interface Path {
  /** Undefined when the argument is absent. */
  read(run: Run): Bound;
  kind: Kind;
  /** The column whose values it holds, where one is known: how it is shown. */
  column?: Column | undefined;
  /** Set when it leads to an argument. */
  arg?: string;
  mayBeAbsent: boolean;
  nullable: boolean;
}

const text: Kind = { is: 'scalar', scalar: 'string', nullable: false };
const time: Kind = { is: 'scalar', scalar: 'int', nullable: false };

const argPath = (scope: Scope, name: string, rest: readonly string[]): Path => {
  const spec = scope.site.args.get(name);
  if (!spec || rest.length > 0) {
    const next = `Arguments: ${[...scope.site.args.keys()].join(', ')}.`;
    throw defect(scope, 'unknown_argument', `there is no argument ${[name, ...rest].join('.')}`, next);
  }
  const names = nullness(scope);
  const path = `args.${name}`;
  const table = scope.site.spec.tables[scope.site.tool.table];
  return {
    read: (run) => run.args[name],
    kind: argKind(spec),
    column: table?.cols[spec.arg.col ?? name] ?? moneyLike(spec.arg.type),
    arg: name,
    mayBeAbsent: names.mayBeAbsent(path) && !scope.facts.has(`has:${path}`),
    nullable: spec.nullable && !scope.facts.has(path),
  };
};

/** An argument without a column is shown by its own type. */
const moneyLike = (type: string): Column | undefined =>
  type === 'list' ? undefined : { type: type as Column['type'] };

const builtin = (scope: Scope, name: string, rest: readonly string[]): Path | undefined => {
  const sure = { mayBeAbsent: false, nullable: false };
  if (name === 'args') return argPath(scope, rest[0] ?? '', rest.slice(1));
  if (name === 'now' && rest.length === 0)
    return { read: (run) => run.ctx.now, kind: time, column: { type: 'datetime' }, ...sure };
  if (name === 'today' && rest.length === 0)
    return { read: (run) => startOfDay(run.ctx.now), kind: time, column: { type: 'date' }, ...sure };
  const [field] = rest;
  if (name === 'me' && rest.length === 1 && (field === 'id' || field === 'name' || field === 'email'))
    return { read: (run) => run.ctx.me[field], kind: text, ...sure };
  return undefined;
};

const deep = (value: unknown, rest: readonly string[]): Bound => {
  let at = value;
  for (const key of rest)
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : null;
  return (at ?? null) as Bound;
};

/** Resolves `name.field`; throws `bad_steps`, `unknown_column` or `unknown_argument`. */
export const resolvePath = (scope: Scope, path: string): Path => {
  const [name = '', ...rest] = path.split('.');
  const known = builtin(scope, name, rest);
  if (known) return known;
  const bound = scope.names.get(name);
  if (!bound) {
    const next = `Bound: ${[...scope.names.keys(), 'args', 'now', 'today', 'me.id', 'me.name', 'me.email'].join(', ')}.`;
    throw defect(scope, 'bad_steps', `nothing is bound to ${path}`, next);
  }
  const { slot, kind, reads } = bound;
  reads?.add(rest[0] ?? '*');
  const names = nullness(scope);
  if (rest.length === 0)
    return {
      read: (run) => run.slots[slot],
      kind,
      column: kind.is === 'scalar' ? kind.column : undefined,
      mayBeAbsent: false,
      nullable: names.mayBeNull(path) && !scope.facts.has(path),
    };
  if (kind.is === 'free')
    return {
      read: (run) => deep(run.slots[slot], rest),
      kind: { is: 'free' },
      column: rest.length === 1 ? kind.columns?.get(rest[0] as string) : undefined,
      mayBeAbsent: false,
      nullable: false,
    };
  if (kind.is !== 'row' || rest.length > 1) throw defect(scope, 'bad_steps', `${path} leads nowhere`);
  const [field = ''] = rest;
  const column = stepColumn(scope, kind.table, field);
  const rowMayMiss = kind.maybe && !scope.facts.has(name);
  const nullable = rowMayMiss || (names.mayBeNull(path) && !scope.facts.has(path));
  return {
    read: (run) => (run.slots[slot] as Row | null)?.[field] ?? null,
    kind: { is: 'scalar', scalar: scalarOf(column.type), nullable, column },
    column,
    mayBeAbsent: false,
    nullable,
  };
};
