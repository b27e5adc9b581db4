/** A code tool touches what it declares and nothing else. */
import { TreadleError } from '../../errors.js';
import type { Site } from '../program/scope.js';
import type { Connection } from '../state/connection.js';

const undeclared = (site: Site, what: string, next: string): TreadleError =>
  new TreadleError({
    code: 'code_undeclared',
    message: `${site.spec.id}: ${site.toolName} ${what}, which it does not declare`,
    value: site.toolName,
    next,
    fault: 'world',
  });

const assertRead = (site: Site, table: string): void => {
  if (!site.tool.reads.includes(table)) throw undeclared(site, `reads ${table}`, `Add ${table} to its reads.`);
};

/** Throws `code_undeclared` (fault world) when a question of `db` goes beyond the tool's reads and writes. */
export const assertDeclared = (site: Site, what: string, table: string, shape: { set?: object }): void => {
  const writes = site.tool.writes.filter((write) => write.table === table);
  const refuse = (does: string): never => {
    throw undeclared(site, does, 'Add it to its writes.');
  };
  if (what === 'insert') {
    if (!writes.some(({ insert }) => insert)) refuse(`inserts into ${table}`);
    return;
  }
  // A row that is changed, deleted or handed back is also read.
  assertRead(site, table);
  if (what === 'delete' && !writes.some((write) => write.delete)) refuse(`deletes from ${table}`);
  if (what !== 'update') return;
  const touched = Object.entries(site.spec.tables[table]?.cols ?? {}).flatMap(([name, { auto }]) =>
    auto === 'touch' ? [name] : [],
  );
  const allowed = writes.flatMap(({ cols }) => cols ?? []);
  for (const name of [...Object.keys(shape.set ?? {}), ...touched])
    if (!allowed.includes(name)) refuse(`writes ${table}.${name}`);
};

/** Throws `code_undeclared` (fault world) when a SELECT reads a table beyond the tool's reads. */
export const assertReads = (site: Site, conn: Connection, sql: string): void => {
  const names = new Map(Object.keys(site.spec.tables).map((name) => [name.toLowerCase(), name]));
  // Not conn.access, which keeps every text: code may make a new one each time.
  for (const { table } of conn.ready().access(sql, { main: names }).reads)
    if (names.has(table.toLowerCase())) assertRead(site, table);
};
