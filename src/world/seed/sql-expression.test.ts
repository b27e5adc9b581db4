import { describe, expect, it } from 'vitest';
import { compileSql, holdsCheck, selects } from './sql-expression.js';

const row = { a: 3, b: 5, status: 'open', note: null, name: "O'Brien" };
const value = (sql: string): boolean =>
  selects(compileSql(sql)!, (of, name) => (of === ':' ? 100 : row[name as keyof typeof row]));

describe('SQL conditions in memory', () => {
  it.each([
    ['a <= b', true],
    ['a > b', false],
    ['a + 2 = b and not (a = b)', true],
    ["status in ('draft', 'open')", true],
    ["status not in ('draft', 'open')", false],
    ["t.status = 'open' and t.a < :now", true],
    ['note is null', true],
    ['note is not null', false],
    ['note = 1', false],
    ['note <> 1 or a = 3', true],
    ['a between 1 and 3', true],
    ['a not between 1 and 3', false],
    ["name = 'O''Brien'", true],
    ["name like 'o%'", true],
    ['coalesce(note, 7) = 7', true],
    ['7 / 2 = 3 and 7 % 2 = 1', true],
    ["lower(status) = 'open'", true],
    ['"a" * 2 - 1 >= b', true],
    ['-a < 0', true],
  ])('%s is %s', (sql, expected) => {
    expect(value(sql)).toBe(expected);
  });

  it('a CHECK that is null passes, a WHERE that is null selects nothing', () => {
    const sql = compileSql('note > 1')!;
    expect(holdsCheck(sql, row)).toBe(true);
    expect(selects(sql, (_of, name) => row[name as keyof typeof row])).toBe(false);
  });

  it.each(['select 1', 'a =', 'a in (', 'CASE WHEN a THEN 1 END', "'open", 'strange(a) = 1', 'a ; drop', ''])(
    '%s is left alone',
    (sql) => {
      expect(compileSql(sql)).toBeUndefined();
    },
  );
});
