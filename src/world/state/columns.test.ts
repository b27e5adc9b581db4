import { expect, test } from 'vitest';
import { columnsOf } from './columns.js';

const shown = (sql: string): string => {
  const parsed = columnsOf(sql);
  if (!parsed) return 'without rowid';
  const columns = parsed.columns.map(
    (one) => `${one.name}${one.isRowid ? '=rowid' : ''}${one.isStored ? '' : '=virtual'}`,
  );
  return `${columns.join(' ')} | ${parsed.key ?? ''}`;
};

test.each([
  ['CREATE TABLE t (a, b)', 'a b | '],
  ['CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)', 'a=rowid b | a'],
  ['create table t (a integer primary key desc)', 'a | a'],
  ['CREATE TABLE t (a INT PRIMARY KEY)', 'a | a'],
  ['CREATE TABLE t (a TEXT PRIMARY KEY NOT NULL) STRICT', 'a | a'],
  ['CREATE TABLE t (a INTEGER, b TEXT, PRIMARY KEY (a))', 'a=rowid b | a'],
  ['CREATE TABLE t (a INTEGER, b TEXT, CONSTRAINT k PRIMARY KEY ("A" ))', 'a=rowid b | a'],
  ['CREATE TABLE t (a INTEGER, b TEXT, PRIMARY KEY (a, b))', 'a b | '],
  ['CREATE TABLE t (a TEXT, PRIMARY KEY (a)) WITHOUT ROWID', 'without rowid'],
  ['CREATE TABLE t (a TEXT PRIMARY KEY) STRICT, WITHOUT ROWID', 'without rowid'],
  [`CREATE TABLE t ("a, b" TEXT DEFAULT 'x, (y', [c d] NUMERIC(10, 2), \`e\` CHECK (e IN (1, 2)))`, 'a, b c d e | '],
  ['CREATE TABLE t (a INTEGER, b INTEGER AS (a + 1), c GENERATED ALWAYS AS (a) STORED)', 'a b=virtual c | '],
  ['CREATE TABLE t (-- one, two\n a TEXT /* , z */, "" TEXT, "q""q" TEXT)', 'a  q"q | '],
  ['CREATE TABLE t (größe TEXT REFERENCES u (x) ON DELETE CASCADE, unique_id TEXT UNIQUE)', 'größe unique_id | '],
  [
    'CREATE TABLE t (primary_contact TEXT, "check" TEXT, FOREIGN KEY (primary_contact) REFERENCES c (id))',
    'primary_contact check | ',
  ],
])('%s', (sql, expected) => {
  expect(shown(sql)).toBe(expected);
});
