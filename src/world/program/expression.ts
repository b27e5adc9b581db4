/** Compiles a CEL expression against a scope: checked once, then run on the few values it reads. */
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { TreadleError } from '../../errors.js';
import { startOfDay } from '../../kit/calendar.js';
import type { Row } from '../state/types.js';
import { type Reads, readsOf, refusedIn, withoutRowHas } from './ast.js';
import { argKind, scopeEnvironment, toolEnvironment } from './cel.js';
import { intoCel, rowIntoCel } from './convert.js';
import { resultMayBeNull, unguarded, whenTrue } from './guards.js';
import { nullness } from './nullness.js';
import type { Bound, Run } from './run.js';
import { type Binding, defect, type Scalar, type Scope } from './scope.js';

export interface Expression {
  /** The CEL value: bigint, number, text, boolean, null, list or map. */
  evaluate(run: Run): unknown;
  /** As CEL names it. */
  type: string;
  nullable: boolean;
  /** What is known after it came out true. */
  facts: ReadonlySet<string>;
  ast: ASTNode;
  text: string;
}

type Filler = (run: Run, context: Record<string, unknown>) => void;

const argsFiller = (scope: Scope, fields: readonly string[]): Filler => {
  const { Args } = toolEnvironment(scope);
  const parts = fields.map((name) => {
    const spec = scope.site.args.get(name);
    const kind = spec && argKind(spec);
    const scalar: Scalar = kind?.is === 'list' ? kind.items : kind?.is === 'scalar' ? kind.scalar : 'dyn';
    return { name, into: intoCel(scalar) };
  });
  return (run, context) => {
    const args = new Args();
    for (const { name, into } of parts) {
      const value = run.args[name];
      if (value !== undefined) args[name] = Array.isArray(value) ? value.map(into) : into(value);
    }
    context.args = args;
  };
};

const boundFiller = (scope: Scope, name: string, { slot, kind }: Binding, fields: ReadonlySet<string>): Filler => {
  switch (kind.is) {
    case 'row': {
      const into = rowIntoCel(scope, kind.table, fields);
      return (run, context) => {
        const row = run.slots[slot] as Row | null;
        context[name] = row === null ? null : into(row);
      };
    }
    case 'rows': {
      const into = rowIntoCel(scope, kind.table, new Set(['*']));
      return (run, context) => {
        context[name] = (run.slots[slot] as Row[]).map(into);
      };
    }
    case 'list': {
      const into = intoCel(kind.items);
      return (run, context) => {
        context[name] = (run.slots[slot] as Bound[]).map(into);
      };
    }
    default: {
      const into = intoCel(kind.is === 'scalar' ? kind.scalar : 'dyn');
      return (run, context) => {
        context[name] = into(run.slots[slot]);
      };
    }
  }
};

const fillerOf = (scope: Scope, name: string, fields: ReadonlySet<string>): Filler => {
  const bound = scope.names.get(name);
  if (bound) {
    for (const field of fields) bound.reads?.add(field);
    return boundFiller(scope, name, bound, fields);
  }
  switch (name) {
    case 'args':
      if (fields.has('*')) throw defect(scope, 'bad_expression', 'args can only be read by name, as args.x');
      return argsFiller(scope, [...fields]);
    case 'now':
      return (run, context) => {
        context.now = BigInt(run.ctx.now);
      };
    case 'today':
      return (run, context) => {
        context.today = BigInt(startOfDay(run.ctx.now));
      };
    case 'me': {
      const { Caller } = scope.site.environments;
      return (run, context) => {
        context.me = Object.assign(new Caller(), run.ctx.me);
      };
    }
    default:
      return () => {};
  }
};

const fillers = (scope: Scope, reads: Reads): Filler[] =>
  [...reads].map(([name, fields]) => fillerOf(scope, name, fields));

const firstLine = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown);

/** What a failed evaluation means: an overflow comes from the caller's numbers, anything else is a defect of the spec. */
const failure = (thrown: unknown, text: string): TreadleError => {
  const code = (thrown as { code?: unknown } | null)?.code;
  if (code === 'numeric_overflow')
    return new TreadleError({
      code: 'invalid_argument',
      message: 'A number in this call is too large',
      fault: 'agent',
    });
  return new TreadleError({
    code: 'internal_error',
    message: `${text}: ${firstLine(thrown)}`,
    value: text,
    fault: 'world',
    cause: thrown,
  });
};

type Parsed = ReturnType<Environment['parse']>;

/** By environment, which the tools of one archetype share, and text. */
const parsedIn = new WeakMap<Environment, Map<string, Parsed>>();

const parseIn = (env: Environment, text: string): Parsed => {
  const known = parsedIn.get(env) ?? new Map<string, Parsed>();
  parsedIn.set(env, known);
  const parsed = known.get(text) ?? env.parse(text);
  known.set(text, parsed);
  return parsed;
};

/** Compiles `text`. Throws `bad_expression` for what does not parse, type-check, or guard its nulls, and for what is refused. */
export const compileExpression = (scope: Scope, text: string): Expression => {
  const env = scopeEnvironment(scope);
  const bad = (reason: string): TreadleError => defect(scope, 'bad_expression', `${text}: ${reason}`);
  const parse = (source: string): Parsed => {
    try {
      return parseIn(env, source);
    } catch (thrown) {
      throw bad(firstLine(thrown));
    }
  };
  const isRow = (name: string): boolean => scope.names.get(name)?.kind.is === 'row';
  const source = withoutRowHas(text, parse(text).ast, isRow);
  const parsed = parse(source);
  const refused = refusedIn(parsed.ast);
  if (refused) throw bad(refused);
  const checked = parsed.check();
  if (!checked.valid) throw bad(firstLine(checked.error));
  const names = nullness(scope);
  const hole = unguarded(parsed.ast, scope.facts, names);
  if (hole) throw bad(hole);
  const fill = fillers(scope, readsOf(parsed.ast));
  return {
    text,
    ast: parsed.ast,
    type: checked.type ?? 'dyn',
    nullable: resultMayBeNull(parsed.ast, scope.facts, names),
    facts: whenTrue(parsed.ast),
    evaluate: (run) => {
      const context: Record<string, unknown> = {};
      for (const part of fill) part(run, context);
      try {
        return parsed(context) as unknown;
      } catch (thrown) {
        throw failure(thrown, text);
      }
    },
  };
};

/** Compiles a condition; throws `bad_expression` when it is no bool. */
export const compileCondition = (scope: Scope, text: string): Expression & { holds(run: Run): boolean } => {
  const expression = compileExpression(scope, text);
  if (expression.type !== 'bool' && expression.type !== 'dyn')
    throw defect(scope, 'bad_expression', `${text}: must be true or false, not ${expression.type}`);
  return { ...expression, holds: (run) => expression.evaluate(run) === true };
};
