import { expect, it } from 'vitest';
import type { Json } from './hash.js';
import { valueAt, withValueAt } from './json-path.js';

const rows: Json = { rows: [{ id: 'a', due: { gte: 1 } }, { id: 'b' }] };

it.each<[string, Json | undefined]>([
  ['rows[1].id', 'b'],
  ['$.rows[0].due.gte', 1],
  ['rows', rows.rows as Json],
  ['', rows],
  ['rows[7].id', undefined],
  ['rows.id', undefined],
  ['nothing.at.all', undefined],
  ['constructor', undefined],
  ['__proto__.x', undefined],
])('%j is found, or nothing', (path, value) => expect(valueAt(rows, path)).toEqual(value));

it('a value is put into a copy, and what is not there on the way is made', () => {
  const before = JSON.stringify(rows);
  expect(withValueAt(rows as Record<string, Json>, 'rows[1].id', 'c')).toEqual({
    rows: [(rows.rows as Json[])[0], { id: 'c' }],
  });
  expect(withValueAt({}, 'due.gte', 2)).toEqual({ due: { gte: 2 } });
  expect(JSON.stringify(rows)).toBe(before);
});
