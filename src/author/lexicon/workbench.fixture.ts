/** A service with one tool of the lexicon on filled tables, every call from the same state. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import { callTool } from '../../world/program/call.js';
import { compileService } from '../../world/program/compile.js';
import { derivedContract } from '../../world/program/contract.js';
import type { ToolOutcome } from '../../world/program/types.js';
import type { Engine } from '../../world/state/engine.js';
import { State } from '../../world/state/state.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { Workspace } from '../../world/workspace/workspace.js';
import { withAdded } from './added.js';
import { compileVerb } from './compile.js';
import { argValue, spec } from './made-up.fixture.js';
import type { CompileRequest, VerbMatch } from './types.js';

export const NOW = 1_750_000_000;
export const ME = { id: 'u1', name: 'Ada', email: 'ada@brk.example' };

/** Numbers of a row on which little has happened, and of one with plenty of everything but debts. */
const LITTLE =
  /paid|refunded|captured|received|shipped|returned|reserved|held|taken|(?<!siblings_)count|applied|disbursed|attempts|fee/;
const NOTHING_OPEN =
  /paid|refunded|captured|received|shipped|returned|reserved|^held|taken|(?<!siblings_)count|attempts|due$|pinned|fee|difference/;

const filled = (name: string, col: Column, table: string, n: number, plenty: boolean): SqlValue => {
  if (name === 'id') return `${table}-${n}`;
  if (col.fk) return `${col.fk}-0`;
  if (col.enum) return col.enum[0]!;
  switch (col.type) {
    case 'json':
      return '{}';
    case 'bool':
      return 0;
    case 'int':
    case 'money':
    case 'number':
      return (plenty ? NOTHING_OPEN : LITTLE).test(name) ? 0 : plenty ? 500 : 20;
    case 'date':
      return Math.floor(NOW / 86_400) * 86_400 + 5 * 86_400;
    case 'datetime':
      return /deadline|ends|expires|until|purge/.test(name) ? NOW + 40 * 86_400 : NOW - 3 * 86_400;
    default:
      return col.required || plenty ? `${name} ${n}` : null;
  }
};

const rowsOf = (name: string, table: Table, main: boolean): Row[] => {
  const states = main ? (table.cols.status?.enum ?? ['']) : [''];
  return [...states, ...states].map((state, n) =>
    Object.fromEntries(
      Object.entries(table.cols).map(([col, column]) => {
        if (main && col === 'status' && column.enum) return [col, state];
        const isStamp = column.type === 'datetime' && /ed_at$|_at$/.test(col) && !/starts|ends|expires|sched/.test(col);
        return [col, isStamp && !column.required ? null : filled(col, column, name, n, n >= states.length)];
      }),
    ),
  );
};

/** One session on the filled service: calls build on one another. */
export interface Bench {
  call(args: Record<string, unknown>): ToolOutcome;
  all(table: string): Row[];
  hash(): string;
}

export interface World {
  /** A new session, from the first state. */
  bench(): Bench;
  rows: Row[];
  made: NonNullable<ReturnType<typeof compileVerb>>;
  derived: ReturnType<typeof derivedContract>;
}

export interface Setting {
  match: VerbMatch;
  noun: string;
  tables: Record<string, Table>;
  /** In place of the made-up rows. */
  rows?: Record<string, Row[]>;
  request?: Partial<CompileRequest>;
}

/** Compiles the verb, adds what it asks for, fills the tables; undefined when the verb compiles to nothing. */
export const worldOf = (
  engine: Engine,
  { match, noun, tables: given, rows: own, request }: Setting,
): World | undefined => {
  const made = compileVerb(match, {
    tables: given,
    table: noun,
    toolId: `${noun}.${match.word}`,
    keyArg: { name: `${noun}_id` },
    ...request,
  });
  if (!made) return undefined;
  const tables = withAdded(given, made.addedColumns);
  const service: ServiceSpec = { ...spec(tables), tools: { act: made.tool } };
  const program = compileService(service);
  const rowsIn = (name: string, table: Table): Row[] => (own ? (own[name] ?? []) : rowsOf(name, table, name === noun));
  const base = engine.build(program.ddl, (conn) => {
    for (const [name, table] of Object.entries(tables))
      for (const row of rowsIn(name, table)) {
        const cols = Object.keys(row).map((col) => `"${col}"`);
        conn
          .prepare(`INSERT INTO "${name}" (${cols.join()}) VALUES (${cols.map(() => '?').join()})`)
          .run(Object.values(row));
      }
  });
  const conn = engine.connection(program.ddlKey);
  const start = State.open(base);
  conn.bind(start);
  return {
    rows: rowsIn(noun, tables[noun] as Table),
    made,
    derived: derivedContract(program, 'act', conn),
    bench: () => {
      const state = start.fork();
      return {
        call: (args) => {
          conn.bind(state);
          return callTool(program, 'act', conn, args, { now: NOW, me: ME, seed: 's', workspace: new Workspace() });
        },
        all: (table) => {
          conn.bind(state);
          return conn.prepare(`SELECT * FROM "${table}" ORDER BY 1`).all();
        },
        hash: () => state.hash(),
      };
    },
  };
};

/** Arguments for a call on row `id`: all that must be given, and those with an enum or a time. */
export const argsFor = (world: World, id: SqlValue): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(world.made.tool.args).flatMap(([name, arg]) =>
      arg.role === 'key'
        ? [[name, id]]
        : arg.required || arg.enum || arg.type === 'datetime'
          ? [[name, arg.ref ? `${arg.ref}-${id === `${arg.ref}-0` ? 1 : 0}` : argValue(arg)]]
          : [],
    ),
  );
