import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../../test/fixtures/services.js';
import type { Arg, Tool } from '../artifacts/tool.js';
import { Engine } from '../world/state/engine.js';
import { State } from '../world/state/state.js';
import type { Row, SqlValue } from '../world/state/types.js';
import { ask, type Condition, compareValues, type Query } from './query.js';

const spec = serviceFixture('billing');
const list = spec.tools.list_invoices as Tool;
const search = spec.tools.search_customers as Tool;

const row = (id: string, more: Row = {}): Row => ({ id, memo: null, total: 0, created_at: 0, ...more });
const by = (col: string, op: NonNullable<Arg['op']>, value: SqlValue | SqlValue[]): Condition => ({
  name: col,
  arg: { type: 'text', role: 'filter', col, op },
  value,
});
const ids = (rows: readonly Row[], query: Partial<Query>, tool: Tool = list): unknown[] =>
  ask(spec, tool, rows, { conditions: [], ...query }).map(({ id }) => id);

describe('filters', () => {
  const rows = [row('a', { memo: 'Äpfel 5%', total: 3 }), row('b', { memo: 'pears', total: 7 }), row('c')];
  it.each([
    ['eq', 'pears', ['b']],
    ['ne', 'pears', ['a', 'c']],
    ['contains', 'PEA', ['b']],
    ['contains', '5%', ['a']],
    ['contains', 'p%s', []],
    ['prefix', 'Pe', ['b']],
    ['prefix', 'ears', []],
  ] as const)('%s %s over empty cells and wildcards', (op, value, found) => {
    expect(ids(rows, { conditions: [by('memo', op, value)] })).toEqual(found);
  });
  it.each([
    ['lt', 3, ['c']],
    ['lte', 3, ['a', 'c']],
    ['gt', 3, ['b']],
    ['gte', 3, ['a', 'b']],
  ] as const)('%s %i', (op, value, found) => {
    expect(ids(rows, { conditions: [by('total', op, value)] })).toEqual(found);
  });
  it('take any of a list, and all of several', () => {
    expect(ids(rows, { conditions: [by('total', 'in', [7, 0])] })).toEqual(['b', 'c']);
    expect(ids(rows, { conditions: [by('total', 'gte', 1), by('memo', 'contains', 'a')] })).toEqual(['b']);
    expect(ids(rows, { conditions: [by('total', 'in', [])] })).toEqual([]);
  });
  it('narrow by a default that the caller does not overrule', () => {
    const status: Arg = { type: 'text', role: 'filter', col: 'memo', default: 'pears' };
    const tool = { ...list, args: { status } };
    expect(ids(rows, {}, tool)).toEqual(['b']);
    expect(ids(rows, { conditions: [{ name: 'status', arg: status, value: 'Äpfel 5%' }] }, tool)).toEqual(['a']);
  });
});

describe('words', () => {
  const people = [
    { id: '1', name: 'Zoë Ångström', email: 'zoe@x.example' },
    { id: '2', name: 'Ana Bo', email: 'bo@y.example' },
    { id: '3', name: 'Bo Ana', email: 'x@y.example' },
  ];
  it.each([
    ['bo', ['2', '3']],
    ['ana  BO', ['2', '3']],
    ['bo x@', ['3']],
    ['ångström', ['1']],
    ['%_', []],
    ['', ['2', '3', '1']],
  ])('%j', (words, found) => {
    expect(ids(people, { text: { name: 'query', words } }, search)).toEqual(found);
  });
});

describe('order', () => {
  it('is the declared one; the key decides between equals', () => {
    const rows = [row('b', { created_at: 1 }), row('c', { created_at: 2 }), row('a', { created_at: 1 })];
    expect(ids(rows, {})).toEqual(['c', 'a', 'b']);
    expect(ids(rows, { sort: 'created_at' })).toEqual(['a', 'b', 'c']);
    expect(ids(rows, { sort: '-created_at' })).toEqual(['c', 'a', 'b']);
  });
  it('is that of SQLite for every pair of values', async () => {
    const engine = await Engine.start();
    const state = State.open(engine.build(['CREATE TABLE one (id TEXT PRIMARY KEY NOT NULL) STRICT'], () => undefined));
    const connection = engine.connection('query-test');
    connection.bind(state);
    const statement = connection.prepare('SELECT x FROM (SELECT ? AS x UNION ALL SELECT ?) ORDER BY x');
    const text = fc.string({ unit: fc.constantFrom('a', 'B', 'ä', 'ｱ', '😀', '\ue000', '_') });
    const value = fc.oneof(fc.constant(null), fc.integer(), text, fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(value, value, (a, b) => {
        const sorted = statement.all([a, b]).map(({ x }) => x ?? null);
        const mine = [a, b].sort(compareValues);
        expect(mine.every((item, at) => compareValues(item, sorted[at] as SqlValue) === 0)).toBe(true);
      }),
      { numRuns: 300 },
    );
    engine.close();
  });
});
