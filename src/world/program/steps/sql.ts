/** sql: one read-only SELECT with parameters; anything else is refused when the spec is compiled. */
import type { PlainStep } from '../../../artifacts/step.js';
import type { SqlValue } from '../../state/types.js';
import { storedIn } from '../convert.js';
import type { CompiledStep } from '../run.js';
import { bind, defect, type Scope } from '../scope.js';
import { selectColumns } from '../select-columns.js';
import { compileValue } from '../value.js';

export type SqlStep = Extract<PlainStep, { sql: unknown }>;

const FORBIDDEN =
  /\b(insert|update|delete|drop|create|alter|attach|detach|pragma|vacuum|reindex|begin|commit|rollback|savepoint|release|analyze)\b/i;
const anything = storedIn({ type: 'number' });

/** The query without its literals, quoted names and comments: what its keywords are. */
const bare = (query: string): string =>
  query.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\[[^\]]*\]|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ~ ');

/** Tables after FROM and JOIN that are neither the service's nor the query's own. */
const strangers = (words: string, tables: readonly string[]): string[] => {
  const own = [...words.matchAll(/\b([a-z_]\w*)\s+as\s*\(/gi)].map((found) => (found[1] as string).toLowerCase());
  const named = [...words.matchAll(/\b(?:from|join)\s+([a-z_]\w*)/gi)].map((found) =>
    (found[1] as string).toLowerCase(),
  );
  return named.filter((name) => !tables.includes(name) && !own.includes(name) && name !== 'json_each');
};

const refuseBadSql = (scope: Scope, query: string, params: number): void => {
  const words = bare(query).trim();
  const bad = (reason: string): never => {
    throw defect(scope, 'bad_steps', `sql: ${reason}`);
  };
  if (!/^(select|with)\b/i.test(words) || words.includes(';') || FORBIDDEN.test(words)) bad('must be one SELECT');
  if (/_treadle|sqlite_/i.test(query)) bad('internal tables cannot be read');
  const marks = words.match(/\?/g)?.length ?? 0;
  if (marks !== params) bad(`has ${marks} placeholders and ${params} parameters`);
  const [stranger] = strangers(words, Object.keys(scope.site.spec.tables));
  if (stranger !== undefined) throw defect(scope, 'unknown_table', `sql: there is no table ${stranger}`);
};

export const compileSql = (scope: Scope, { sql }: SqlStep): [CompiledStep, Scope] => {
  const params = (sql.params ?? []).map((value) => compileValue(scope, value));
  refuseBadSql(scope, sql.query, params.length);
  const [after, slot] = bind(scope, sql.as, { is: 'free', columns: selectColumns(scope.site.spec, sql.query) });
  return [
    {
      run: (run) => {
        const values: SqlValue[] = params.map((param) => anything(param.get(run)));
        const statement = run.conn.prepare(sql.query);
        run.slots[slot] = sql.one ? (statement.get(values) ?? null) : statement.all(values);
      },
      plans: [{ sql: sql.query }],
    },
    after,
  ];
};
