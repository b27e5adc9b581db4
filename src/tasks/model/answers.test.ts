/** Counts and lists are only as good as what the call showed: a page is no whole. */
import { describe, expect, it } from 'vitest';
import type { HandRun } from '../by-hand/run.js';
import type { Ground } from '../ground/ground.js';
import { answerBasis, listsIn } from './answers.js';

const rows = [
  { no: 'A', amount: 10 },
  { no: 'B', amount: 2.5 },
];

const basis = (shown: unknown, expected: number | string | string[]): unknown =>
  answerBasis(
    { world: { services: new Map() } } as unknown as Ground,
    'How many are there?',
    { observations: [shown], calls: [] } as unknown as HandRun,
    { asks: 'how many', kind: Array.isArray(expected) ? 'list' : 'number', expected },
    [],
  );

describe('a list in a result', () => {
  it.each([
    [{ data: rows }, false],
    [{ data: rows, total: 2 }, false],
    [{ data: rows, meta: { total: 2, next_cursor: null } }, false],
    [{ data: rows, has_more: false }, false],
    [{ data: rows, total: 9 }, true],
    [{ data: rows, page: { total_count: 9 } }, true],
    [{ data: rows, nextPageToken: 'x' }, true],
    [{ data: rows, paging: { has_more: true } }, true],
  ])('%j: is part of a longer one: %s', (shown, isPart) => {
    expect(listsIn(shown)[0]).toMatchObject({ items: rows, isPart });
  });
});

describe('an answer', () => {
  it('may count, add up, or list what the last call shows', () => {
    expect(basis({ data: rows }, 2)).toBeUndefined();
    expect(basis({ data: rows }, 12.5)).toBeUndefined();
    expect(basis({ data: rows }, ['B', 'A'])).toBeUndefined();
  });
  it.each<[string, unknown, number | string | string[], RegExp]>([
    ['a miscount', { data: rows }, 3, /neither how many/],
    ['a wrong total', { data: rows }, 12, /neither how many/],
    ['the count of a page', { data: rows, total: 9 }, 2, /one page/],
    ['half of a list', { data: rows }, ['A'], /not all of one field/],
    ['a list with one too many', { data: rows }, ['A', 'B', 'C'], /not all of one field/],
    ['a page as the list', { data: rows, next: 'x' }, ['A', 'B'], /one page/],
    ['a number in words', { data: rows }, 'two', /written as a number/],
    ['a count of nothing', null, 0, /neither how many/],
  ])('that is %s is refused', (_, shown, expected, says) => {
    expect(basis(shown, expected)).toMatch(says);
  });
});
