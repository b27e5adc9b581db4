/** Turns a constraint that a tool ran into, into an error the agent can act on. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { TreadleError } from '../../errors.js';
import { plural, withArticle } from '../../kit/words.js';
import { quoted } from '../ddl.js';
import { surfacePath } from '../surface/naming.js';
import { AgentError } from '../surface/value.js';
import { columnCodec } from '../surface/values.js';
import type { Run } from './run.js';
import type { Runnable } from './runnable.js';

/** `UNIQUE constraint failed: invoice.number, invoice.year` -> [['invoice', 'number'], ...] */
const columnsIn = (message: string): [string, string][] =>
  [...message.matchAll(/([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*)/g)].map((found) => [
    found[1] as string,
    found[2] as string,
  ]);

/** The argument that gave a column its value, as the agent writes it; else the column's field. */
const nameOf = (spec: ServiceSpec, tool: Runnable, table: string, col: string): string => {
  const arg = [...tool.args.values()].find((one) => tool.tool.table === table && (one.arg.col ?? one.name) === col);
  return (arg?.path ?? surfacePath(spec.surface.fields, col, spec.tables[table]?.cols[col]?.field)).join('.');
};

const unique = (spec: ServiceSpec, tool: Runnable, message: string): AgentError => {
  const cols = columnsIn(message);
  const [first] = cols;
  if (!first) return new AgentError('conflict', 'Another row has the same values');
  const names = cols.map(([table, col]) => nameOf(spec, tool, table, col));
  return new AgentError(
    'conflict',
    `There is already ${withArticle(spec.tables[first[0]]?.noun ?? first[0])} with this ${names.join(' and ')}`,
    names[0],
  );
};
const notNull = (spec: ServiceSpec, tool: Runnable, message: string): AgentError => {
  const [place] = columnsIn(message);
  const name = place ? nameOf(spec, tool, ...place) : 'A value';
  return new AgentError('invalid_argument', `${name} must not be empty`, place ? name : undefined);
};

const check = (spec: ServiceSpec, tool: Runnable, message: string): AgentError => {
  const rule = message.replace(/^.*?CHECK constraint failed:\s*/, '');
  const home = Object.keys(spec.tables).find((name) => spec.tables[name]?.check?.includes(rule)) ?? tool.tool.table;
  const cols = spec.tables[home]?.cols ?? {};
  let field: string | undefined;
  const words = rule.replaceAll(/'[^']*'|"?\b([a-z][a-z0-9_]*)\b"?/g, (word: string, col: string | undefined) => {
    if (col === undefined || !Object.hasOwn(cols, col)) return word;
    const name = nameOf(spec, tool, home, col);
    field ??= name;
    return name;
  });
  return new AgentError('invalid_argument', `The values break a rule: ${words}`, field);
};

/** A reference among the arguments whose row is not there. */
const danglingArg = (spec: ServiceSpec, tool: Runnable, run: Run): AgentError | undefined => {
  for (const one of tool.args.values()) {
    const target = one.arg.ref ?? spec.tables[tool.tool.table]?.cols[one.arg.col ?? one.name]?.fk;
    const parent = target === undefined ? undefined : spec.tables[target];
    if (!parent) continue;
    for (const value of [run.args[one.name]].flat()) {
      if (value === null || value === undefined) continue;
      const sql = `SELECT 1 AS "found" FROM ${quoted(target as string)} WHERE ${quoted(parent.key.col)} = ?`;
      if (run.conn.prepare(sql).get([value])) continue;
      const shown = one.codec.encode(value);
      const name = one.path.join('.');
      return new AgentError('invalid_reference', `${name}: there is no ${parent.noun} ${JSON.stringify(shown)}`, name);
    }
  }
  return undefined;
};

/** A row that others still refer to cannot go. */
const stillUsed = (spec: ServiceSpec, tool: Runnable, run: Run, deleted: string): AgentError | undefined => {
  const target = spec.tables[deleted];
  const keyArg = [...tool.args.values()].find((one) => one.arg.role === 'key' || one.arg.ref === deleted);
  const key = keyArg && run.args[keyArg.name];
  for (const [name, table] of Object.entries(spec.tables)) {
    for (const [col, { fk }] of Object.entries(table.cols)) {
      if (fk !== deleted || typeof key === 'object' || key === undefined) continue;
      const sql = `SELECT COUNT(*) AS "n" FROM ${quoted(name)} WHERE ${quoted(col)} = ?`;
      const n = run.conn.prepare(sql).get([key])?.n as number;
      if (n === 0) continue;
      const keyCol = target?.cols[target.key.col];
      const shown = keyCol ? columnCodec(spec, keyCol).encode(key) : key;
      const noun = n === 1 ? table.noun : (table.plural ?? plural(table.noun));
      return new AgentError(
        'conflict',
        `The ${target?.noun ?? deleted} ${JSON.stringify(shown)} is still used by ${n} ${noun}`,
      );
    }
  }
  return undefined;
};

/** Looks again at the rows to say which reference it was; call it before the transaction is rolled back. */
const foreignKey = (spec: ServiceSpec, tool: Runnable, run: Run, sql: string): AgentError => {
  const deleted = /^DELETE FROM "([^"]+)"/.exec(sql)?.[1];
  if (deleted !== undefined)
    return stillUsed(spec, tool, run, deleted) ?? new AgentError('conflict', 'Other rows still refer to this one');
  return (
    danglingArg(spec, tool, run) ?? new AgentError('invalid_reference', 'A row that this refers to does not exist')
  );
};

/** `conflict` for unique, `invalid_reference` for a foreign key (`conflict` on delete), else `invalid_argument`. */
export const constraintError = (spec: ServiceSpec, tool: Runnable, run: Run, thrown: TreadleError): AgentError => {
  const { message } = thrown;
  if (/UNIQUE|PRIMARY KEY/i.test(message)) return unique(spec, tool, message);
  if (/FOREIGN KEY/i.test(message)) return foreignKey(spec, tool, run, String(thrown.value));
  if (/NOT NULL/i.test(message)) return notNull(spec, tool, message);
  return check(spec, tool, message);
};
