/** A step's Value: a `$path`, a CEL expression, or a literal. */

import type { ASTNode } from '@marcbachmann/cel-js';
import type { Value } from '../../artifacts/step.js';
import type { Column } from '../../artifacts/table.js';
import { children, pathOf } from './ast.js';
import { fromCel } from './convert.js';
import { compileExpression, type Expression } from './expression.js';
import { type Path, resolvePath } from './paths.js';
import type { Bound, Run } from './run.js';
import { defect, type Kind, type Scalar, type Scope } from './scope.js';

export interface CompiledValue {
  /** Undefined when it is a path to an absent argument. */
  get(run: Run): Bound;
  kind: Kind;
  column?: Column | undefined;
  arg?: string | undefined;
  mayBeAbsent: boolean;
  nullable: boolean;
  /** Literal outcomes, where they are all known at compile time. */
  literals?: Bound[] | undefined;
}

const PATH = /^\$[a-z][a-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;

const literal = (value: number | boolean | null): CompiledValue => {
  const scalar: Scalar =
    typeof value === 'boolean' ? 'bool' : Number.isInteger(value) ? 'int' : value === null ? 'dyn' : 'double';
  return {
    get: () => value,
    kind: { is: 'scalar', scalar, nullable: value === null },
    mayBeAbsent: false,
    nullable: value === null,
    literals: [value],
  };
};

const CEL_SCALARS: Record<string, Scalar> = { string: 'string', int: 'int', double: 'double', bool: 'bool' };

const kindOf = ({ type, nullable }: Expression, column: Column | undefined): Kind => {
  const row = /^Row_(\w+)$/.exec(type)?.[1];
  if (row !== undefined) return { is: 'row', table: row, maybe: false };
  const rows = /^list<Row_(\w+)>$/.exec(type)?.[1];
  if (rows !== undefined) return { is: 'rows', table: rows };
  const items = /^list<(\w+)>$/.exec(type)?.[1];
  if (items !== undefined) return { is: 'list', items: CEL_SCALARS[items] ?? 'dyn' };
  if (type === 'list' || type.startsWith('map')) return { is: 'free' };
  return { is: 'scalar', scalar: CEL_SCALARS[type] ?? 'dyn', nullable, ...(column && { column }) };
};

/** Leaves that an expression's outcome is made of; conditions of `?:` are not. */
const leaves = (node: ASTNode): ASTNode[] => {
  if (pathOf(node) !== undefined || node.op === 'value') return [node];
  return (node.op === '?:' ? node.args.slice(1) : children(node)).flatMap(leaves);
};

const literalsOf = (root: ASTNode): Bound[] | undefined => {
  if (root.op === 'value') return [fromCel(root.args)];
  if (root.op !== '?:') return undefined;
  const yes = literalsOf(root.args[1]);
  const no = literalsOf(root.args[2]);
  return yes && no ? [...yes, ...no] : undefined;
};

const SUMS = new Set(['+', '-', '*', '/', '?:', '-_', 'call']);

/** The column whose values an outcome is like: sums of amounts are amounts, a choice between columns is like them. */
const columnLike = (scope: Scope, { ast, type }: Expression): Column | undefined => {
  const columns = leaves(ast)
    .filter((node) => node.op !== 'value')
    .map((node) => {
      const path = pathOf(node) as string;
      const [root = ''] = path.split('.');
      return scope.names.has(root) || root === 'args' || root === 'now' ? resolvePath(scope, path).column : undefined;
    });
  const first = columns[0];
  if (pathOf(ast) !== undefined) return first;
  if (ast.op === '?:' && first && columns.every((column) => column?.type === first.type)) return first;
  const money = columns.find((column) => column?.type === 'money');
  const numbers = columns.every((column) => column === undefined || column.type === 'money' || column.type === 'int');
  return type === 'int' && SUMS.has(ast.op) && money && numbers ? { type: 'money' } : undefined;
};

const fromPath = (path: Path): CompiledValue => ({ ...path, get: path.read });

const fromExpression = (scope: Scope, text: string): CompiledValue => {
  const expression = compileExpression(scope, text);
  const column = columnLike(scope, expression);
  const kind = kindOf(expression, column);
  if (kind.is === 'row' || kind.is === 'rows')
    throw defect(scope, 'bad_expression', `${text}: use a $path for whole rows`);
  return {
    get: (run) => fromCel(expression.evaluate(run)),
    kind,
    column,
    mayBeAbsent: false,
    nullable: expression.nullable,
    literals: literalsOf(expression.ast),
  };
};

/** Compiles a Value. Throws `bad_expression`, `bad_steps`, `unknown_column` or `unknown_argument`. */
export const compileValue = (scope: Scope, value: Value): CompiledValue => {
  if (typeof value !== 'string') return literal(value);
  if (!value.startsWith('$')) return fromExpression(scope, value);
  if (!PATH.test(value)) throw defect(scope, 'bad_steps', `${value} is no path`);
  return fromPath(resolvePath(scope, value.slice(1)));
};
