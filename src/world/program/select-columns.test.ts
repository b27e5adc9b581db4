import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../../../test/fixtures/services.js';
import { selectColumns } from './select-columns.js';

const types = (query: string): Record<string, string> =>
  Object.fromEntries([...selectColumns(serviceFixture('billing'), query)].map(([name, { type }]) => [name, type]));

describe('selectColumns', () => {
  it.each([
    ['SELECT COUNT(*) AS n, COALESCE(SUM(total - amount_paid), 0) AS owed FROM invoice', { owed: 'money' }],
    [
      'select id, due_on as due, max(created_at) AS newest from invoice',
      { id: 'text', due: 'date', newest: 'datetime' },
    ],
    [
      'SELECT i.total, (SELECT SUM(amount) FROM payment WHERE x = 1) AS paid FROM invoice i',
      { total: 'money', paid: 'money' },
    ],
    ['SELECT total / 2 AS half, AVG(total) AS mean, SUM(total) / COUNT(*) AS each_one FROM invoice', {}],
    ["SELECT 'a, total' AS word, total + created_at AS odd FROM invoice", {}],
    ['SELECT status FROM invoice JOIN payment', {}],
    ['WITH a AS (SELECT 1) SELECT total FROM invoice', {}],
    [
      "SELECT json_object('a', total) AS one, (SELECT json_group_array(id ORDER BY id) FROM payment) AS all_of, json('[]') AS none FROM invoice",
      { one: 'json', all_of: 'json', none: 'json' },
    ],
    [
      "SELECT json_array_length('[]') AS n, json_object('a', total) ->> '$.a' AS text, 'json(' AS word FROM invoice",
      {},
    ],
    ['SELECT', {}],
  ])('%s', (query, expected) => expect(types(query)).toEqual(expected));
});
