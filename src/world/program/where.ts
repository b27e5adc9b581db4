/** Equality conditions of get, update and delete, and the compatibility of values with columns. */
import type { Value } from '../../artifacts/step.js';
import type { Column } from '../../artifacts/table.js';
import { quoted } from '../ddl.js';
import type { SqlValue } from '../state/types.js';
import { storedIn } from './convert.js';
import type { Run } from './run.js';
import { defect, type Scalar, type Scope, scalarOf, stepColumn } from './scope.js';
import { type CompiledValue, compileValue } from './value.js';

/** A value bound to a column's SQL parameter. */
export interface Target {
  name: string;
  column: Column;
  value: CompiledValue;
  /** Undefined when the argument is absent. */
  read(run: Run): SqlValue | undefined;
}

/** What an outcome of each kind may be stored as. */
const FITS: Record<Scalar, readonly Scalar[]> = {
  string: ['string', 'json'],
  int: ['int', 'double', 'string', 'json'],
  double: ['double', 'int', 'string', 'json'],
  bool: ['bool', 'json'],
  json: ['json', 'string'],
  dyn: ['string', 'int', 'double', 'bool', 'json'],
};

const scalarIn = ({ kind }: CompiledValue): Scalar | undefined => {
  if (kind.is === 'scalar') return kind.scalar;
  if (kind.is === 'list') return 'json';
  return kind.is === 'free' ? 'dyn' : undefined;
};

/** Compiles a value for a column; throws `bad_steps` when they cannot go together. */
export const compileTarget = (scope: Scope, table: string, name: string, value: Value): Target => {
  const column = stepColumn(scope, table, name);
  const compiled = compileValue(scope, value);
  const scalar = scalarIn(compiled);
  const wanted = scalarOf(column.type);
  if (scalar === undefined || !FITS[scalar].includes(wanted))
    throw defect(
      scope,
      'bad_steps',
      `${table}.${name} (${column.type}) cannot hold ${String(value)} (${scalar ?? compiled.kind.is})`,
    );
  const stray =
    column.enum && compiled.literals?.find((item) => typeof item === 'string' && !column.enum?.includes(item));
  if (stray !== undefined)
    throw defect(
      scope,
      'bad_steps',
      `${String(stray)} is no ${table}.${name}`,
      `Its values: ${column.enum?.join(', ')}.`,
    );
  const stored = storedIn(column);
  return {
    name,
    column,
    value: compiled,
    read: (run) => {
      const found = compiled.get(run);
      return found === undefined ? undefined : stored(found);
    },
  };
};

export interface Where {
  /** `"id" = ? AND "status" IS NULL`, never empty. */
  sql: string;
  params(run: Run): SqlValue[];
  targets: readonly Target[];
}

/** All columns equal; an absent argument equals nothing. Throws `bad_steps` for an empty one. */
export const compileWhere = (scope: Scope, table: string, where: Record<string, Value>): Where => {
  const all = Object.entries(where).map(([name, value]) => compileTarget(scope, table, name, value));
  if (all.length === 0) throw defect(scope, 'bad_steps', `a where of ${table} needs at least one column`);
  const isNull = ({ value }: Target): boolean => value.literals?.length === 1 && value.literals[0] === null;
  const targets = all.filter((target) => !isNull(target));
  const sql = all.map((target) => `${quoted(target.name)} ${isNull(target) ? 'IS NULL' : '= ?'}`).join(' AND ');
  return { sql, targets, params: (run) => targets.map((target) => target.read(run) ?? null) };
};
