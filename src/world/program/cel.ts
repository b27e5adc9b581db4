/**
 * The CEL that steps are written in: every int is a bigint inside and a safe number outside, int and double mix, `minute`,
 * `hour`, `day` and `week` are seconds.
 */
import { Environment } from '@marcbachmann/cel-js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column } from '../../artifacts/table.js';
import { addressOf } from '../../kit/hash.js';
import { type ArgShape, argShape } from '../surface/args.js';
import { type Kind, type Scalar, type Scope, scalarOf } from './scope.js';

type Int = bigint;
type Maker = new () => Record<string, unknown>;

const DOUBLE: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

const baseEnvironment = (): Environment => {
  const env = new Environment({ limits: { maxAstNodes: 400, maxDepth: 32, maxListElements: 200, maxMapEntries: 50 } });
  for (const [op, work] of Object.entries(DOUBLE)) {
    env.registerOperator(`int ${op} double: double`, (a: Int, b: number) => work(Number(a), b));
    env.registerOperator(`double ${op} int: double`, (a: number, b: Int) => work(a, Number(b)));
  }
  env.registerOperator('int == double', (a: Int, b: number) => Number(a) === b);
  for (const type of ['string', 'int', 'double', 'bool']) env.registerOperator(`${type} == null`, () => false);
  env.registerFunction('min(int, int): int', (a: Int, b: Int) => (a < b ? a : b));
  env.registerFunction('max(int, int): int', (a: Int, b: Int) => (a > b ? a : b));
  env.registerFunction('min(double, double): double', (a: number, b: number) => Math.min(a, b));
  env.registerFunction('max(double, double): double', (a: number, b: number) => Math.max(a, b));
  env.registerFunction('abs(int): int', (a: Int) => (a < 0n ? -a : a));
  env.registerFunction('abs(double): double', (a: number) => Math.abs(a));
  env.registerFunction('round(double): int', (a: number) => BigInt(Math.round(a)));
  env.registerFunction('floor(double): int', (a: number) => BigInt(Math.floor(a)));
  env.registerFunction('ceil(double): int', (a: number) => BigInt(Math.ceil(a)));
  env.registerFunction('day_of(int): int', (a: Int) => a - (((a % 86_400n) + 86_400n) % 86_400n));
  env.registerConstant('minute', 'int', 60n);
  env.registerConstant('hour', 'int', 3_600n);
  env.registerConstant('day', 'int', 86_400n);
  env.registerConstant('week', 'int', 604_800n);
  return env;
};
let base: Environment | undefined;

/** Its type in an expression: what may be null or is JSON is `dyn`. */
export const celType = (scalar: Scalar, nullable: boolean): string => (nullable || scalar === 'json' ? 'dyn' : scalar);

export const rowType = (table: string): string => `Row_${table}`;

const maker = (): Maker => class {} as Maker;

const columnTypes = (cols: Record<string, Column>, key: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cols).map(([name, col]) => [name, celType(scalarOf(col.type), !col.required && name !== key)]),
  );

/** The type of a tool's arguments. */
const ARGS = 'Args';

/** What CEL needs of a service: its row types and their constructors, and more of it as tools are compiled. */
export interface Environments {
  env: Environment;
  rows: ReadonlyMap<string, Maker>;
  Caller: Maker;
  /** By tool: its arguments' type, which is dear to register and so is known to that tool alone. */
  tools: Map<string, { env: Environment; Args: Maker }>;
  /** Environments of scopes, by the names and types in them. */
  scopes: Map<string, Environment>;
}

type Fields = Record<string, string>;

const registered = (rowFields: Record<string, Fields>): Environments => {
  base ??= baseEnvironment();
  const env = base.clone();
  const made = (type: string, fields: Fields): Maker => {
    const ctor = maker();
    env.registerType(type, { ctor, fields });
    return ctor;
  };
  const Caller = made('Caller', { id: 'string', name: 'string', email: 'string' });
  const rows = new Map(Object.entries(rowFields).map(([name, fields]) => [name, made(rowType(name), fields)]));
  env.registerVariable('now', 'int');
  env.registerVariable('today', 'int');
  env.registerVariable('me', 'Caller');
  return { env, rows, Caller, tools: new Map(), scopes: new Map() };
};

const MOST_SHARED = 256;
const shared = new Map<string, Environments>();

/**
 * An environment that knows the row types of a service. Services of one archetype differ in how they look and not in their
 * tables, so worlds share it with everything that is compiled in it.
 */
export const serviceEnvironment = (spec: ServiceSpec): Environments => {
  const rowFields = Object.fromEntries(
    Object.entries(spec.tables).map(([name, table]) => [name, columnTypes(table.cols, table.key.col)]),
  );
  const key = addressOf(rowFields);
  const known = shared.get(key) ?? registered(rowFields);
  shared.delete(key);
  shared.set(key, known);
  if (shared.size > MOST_SHARED) shared.delete(shared.keys().next().value as string);
  return known;
};

/** The environment that knows a tool's arguments, and their constructor. */
export const toolEnvironment = ({ site }: Scope): { env: Environment; Args: Maker; key: string } => {
  const { environments, tool, spec } = site;
  const fields = Object.fromEntries(
    Object.keys(tool.args).map((name) => [name, kindType(argKind(argShape(spec, tool, name)))]),
  );
  const key = `${tool.id} ${JSON.stringify(fields)}`;
  const known = environments.tools.get(key);
  if (known) return { ...known, key };
  const env = environments.env.clone();
  const Args = maker();
  env.registerType(ARGS, { ctor: Args, fields });
  env.registerVariable('args', ARGS);
  environments.tools.set(key, { env, Args });
  return { env, Args, key };
};

export const argKind = ({ arg, list, nullable }: ArgShape): Kind => {
  if (list) return { is: 'list', items: scalarOf(arg.items ?? 'text') };
  const scalar =
    arg.role === 'cursor' || arg.role === 'page' ? 'int' : scalarOf(arg.type === 'list' ? 'text' : arg.type);
  return { is: 'scalar', scalar, nullable };
};

const kindType = (kind: Kind): string => {
  switch (kind.is) {
    case 'row':
      return kind.maybe ? 'dyn' : rowType(kind.table);
    case 'rows':
      return `list<${rowType(kind.table)}>`;
    case 'list':
      return `list<${celType(kind.items, false)}>`;
    case 'scalar':
      return celType(kind.scalar, kind.nullable);
    case 'free':
      return 'dyn';
  }
};

/** The environment in which an expression of this scope is checked. */
export const scopeEnvironment = (scope: Scope): Environment => {
  if (scope.cel) return scope.cel;
  const { scopes } = scope.site.environments;
  const names = [...scope.names].map(([name, { kind }]) => [name, kindType(kind)] as const);
  const tool = toolEnvironment(scope);
  const key = `${tool.key} ${JSON.stringify(names)}`;
  const env = scopes.get(key) ?? tool.env.clone();
  if (!scopes.has(key)) {
    for (const [name, type] of names) env.registerVariable(name, type);
    scopes.set(key, env);
  }
  scope.cel = env;
  return env;
};
