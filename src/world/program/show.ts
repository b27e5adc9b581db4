/** Messages that an agent can act on: placeholders filled in, values in the form of the surface. */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { Column } from '../../artifacts/table.js';
import { spaced } from '../../kit/words.js';
import { styled } from '../surface/naming.js';
import { columnCodec } from '../surface/values.js';
import { pathOf, readsOf } from './ast.js';
import { resolvePath } from './paths.js';
import type { Bound, Run } from './run.js';
import { defect, type Scope } from './scope.js';

export type Message = (run: Run) => string;

/** An argument's name as the agent writes it; a name that is no argument stays. */
export const shownArg = (scope: Scope, name: string): string => scope.site.args.get(name)?.path.join('.') ?? name;

const plain = (value: Bound): string => {
  if (value === undefined) return 'not given';
  if (value === null) return 'empty';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** A bound value as the surface shows it. */
const shown = (scope: Scope, column: Column | undefined, value: Bound): string => {
  if (!column || value === null || value === undefined || typeof value === 'object') return plain(value);
  const encoded = columnCodec(scope.site.spec, column).encode(typeof value === 'boolean' ? Number(value) : value);
  return typeof encoded === 'string' ? encoded : plain(encoded as Bound);
};

const showPath = (scope: Scope, path: string): Message => {
  const { read, column, arg } = resolvePath(scope, path);
  if (arg !== undefined) {
    const codec = scope.site.args.get(arg)?.codec;
    return (run) => {
      const value = read(run);
      if (!codec || value === null || value === undefined || typeof value === 'object') return plain(value);
      const encoded = codec.encode(value as string | number);
      return typeof encoded === 'string' ? encoded : plain(encoded as Bound);
    };
  }
  return (run) => shown(scope, column, read(run));
};

/** A message with `{args.x}` and `{row.status}` in it. Throws `bad_steps` for a placeholder that leads nowhere. */
export const compileMessage = (scope: Scope, message: string): Message => {
  const parts = message.split(/\{([a-z][\w.]*)\}/);
  const shows = parts.map((part, i): Message => (i % 2 === 1 ? showPath(scope, part) : () => part));
  return shows.length === 1 ? () => message : (run) => shows.map((show) => show(run)).join('');
};

/** A path in the words of the surface: an argument's own name, `payment status` for a column. */
const wordsFor = (scope: Scope, path: string): string => {
  const [root = '', field] = path.split('.');
  if (root === 'args' && field !== undefined) return shownArg(scope, field);
  const kind = scope.names.get(root)?.kind;
  if (kind?.is !== 'row' || field === undefined) return spaced(root);
  const table = scope.site.spec.tables[kind.table];
  return `${table?.noun ?? root} ${table?.cols[field]?.field ?? styled(scope.site.spec.surface.fields, field)}`;
};

interface Choice {
  path: string;
  values: Bound[];
  allowed: boolean;
}

/** `row.status in ['open', 'draft']`, `row.status == 'open' || ...`, `row.status != 'void'`. */
const choiceOf = (node: ASTNode): Choice | undefined => {
  if (node.op === '||') {
    const [a, b] = [choiceOf(node.args[0]), choiceOf(node.args[1])];
    if (!a?.allowed || !b?.allowed || a.path !== b.path) return undefined;
    return { ...a, values: [...a.values, ...b.values] };
  }
  if (node.op === '!_') {
    const inner = choiceOf(node.args);
    return inner && { ...inner, allowed: !inner.allowed };
  }
  if (node.op !== '==' && node.op !== '!=' && node.op !== 'in') return undefined;
  const [left, right] = node.args;
  const path = pathOf(left);
  const items = node.op === 'in' ? (right.op === 'list' ? right.args : undefined) : [right];
  if (path === undefined || !items || items.length === 0) return undefined;
  const values = items.map((item) => (item.op === 'value' && typeof item.args === 'string' ? item.args : undefined));
  return values.includes(undefined) ? undefined : { path, values: values as Bound[], allowed: node.op !== '!=' };
};

/** The message of a requirement that has none: what is, and what it must be. */
export const requirementMessage = (scope: Scope, ast: ASTNode, text: string): Message => {
  const choice = choiceOf(ast);
  if (choice) {
    const { column } = resolvePath(scope, choice.path);
    const what = wordsFor(scope, choice.path);
    const show = showPath(scope, choice.path);
    const values = choice.values.map((value) => shown(scope, column, value)).join(', ');
    const rule = choice.allowed ? `this is possible only from ${values}` : `it must not be ${values}`;
    return (run) => `The ${what} is ${show(run)}; ${rule}`;
  }
  const paths = [...readsOf(ast)].flatMap(([root, fields]) =>
    [...fields].map((field) => (field === '*' ? root : `${root}.${field}`)),
  );
  const known = paths.filter((path) => scope.names.has(path.split('.')[0] as string) || path.startsWith('args.'));
  const shows = known.map((path) => ({ what: wordsFor(scope, path), show: showPath(scope, path) }));
  let rule = text;
  for (const path of [...known].sort((a, b) => b.length - a.length))
    rule = rule.replaceAll(path, wordsFor(scope, path));
  return (run) => {
    const values = shows.map(({ what, show }) => `${what} is ${show(run)}`).join(', ');
    return `This needs ${rule}${values ? `, but ${values}` : ''}`;
  };
};

/** The `field` of a refusal as the agent sees it: an argument of the tool, or a column of its table that stands in the way. */
export const refusalField = (scope: Scope, field: string | undefined): string | undefined => {
  if (field === undefined) return undefined;
  if (scope.site.args.has(field)) return shownArg(scope, field);
  const col = scope.site.spec.tables[scope.site.tool.table]?.cols[field];
  if (col) return col.field ?? styled(scope.site.spec.surface.fields, field);
  throw defect(scope, 'unknown_argument', `the error names ${field}, which is no argument and no column`);
};
