/** The filter against its definition (weft.txt 3.1.2), on chains of a small alphabet where much is contained in much. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coveredBy, isSubsequence, orthogonal } from './orthogonality.js';

const chain = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 5 });
const tasks = fc.array(chain, { maxLength: 14 }).map((chains) => chains.map((of, i) => ({ id: `t${i}`, chain: of })));

/** By its definition: some choice of positions spells it. */
const isContained = (short: readonly string[], long: readonly string[]): boolean =>
  short.length === 0 || long.some((tool, i) => tool === short[0] && isContained(short.slice(1), long.slice(i + 1)));

describe('subsequences', () => {
  it('are what some choice of positions spells', () => {
    fc.assert(fc.property(chain, chain, (one, other) => isSubsequence(one, other) === isContained(one, other)));
  });
  it('keep the order and need not be together', () => {
    expect(isSubsequence(['list', 'pay'], ['list', 'get', 'pay'])).toBe(true);
    expect(isSubsequence(['pay', 'list'], ['list', 'get', 'pay'])).toBe(false);
    expect(isSubsequence(['list', 'list'], ['list'])).toBe(false);
    expect(isSubsequence([], ['list'])).toBe(true);
  });
});

describe('the orthogonality filter', () => {
  it('keeps a task exactly when no longer chain and no earlier equal one holds its own', () => {
    fc.assert(
      fc.property(tasks, (all) => {
        const kept = new Set(orthogonal(all).retained);
        for (const [i, task] of all.entries()) {
          const isHeld = all.some(
            (other, j) =>
              i !== j && isContained(task.chain, other.chain) && (other.chain.length > task.chain.length || j < i),
          );
          expect(kept.has(task)).toBe(!isHeld);
        }
      }),
    );
  });
  it('accounts for every task, and for what goes by a retained one that holds it', () => {
    fc.assert(
      fc.property(tasks, (all) => {
        const { retained, redundant } = orthogonal(all);
        const byId = new Map(retained.map((task) => [task.id, task]));
        expect([...byId.keys(), ...redundant.map(({ id }) => id)].sort()).toEqual(all.map(({ id }) => id).sort());
        for (const { id, with: holder } of redundant) {
          const gone = all.find((task) => task.id === id);
          expect(isSubsequence(gone?.chain ?? ['?'], byId.get(holder)?.chain ?? [])).toBe(true);
        }
      }),
    );
  });
  it('costs no tool, changes nothing when applied again, and keeps the order', () => {
    fc.assert(
      fc.property(tasks, (all) => {
        const { retained } = orthogonal(all);
        const tools = ['a', 'b', 'c', 'd'];
        expect(coveredBy(retained, tools)).toEqual(coveredBy(all, tools));
        expect(orthogonal(retained)).toEqual({ retained, redundant: [] });
        expect(retained).toEqual(all.filter((task) => retained.includes(task)));
      }),
    );
  });
  it('keeps the earlier of two equal chains, and both of two that only share tools', () => {
    const all = [
      { id: 'first', chain: ['list', 'pay'] },
      { id: 'second', chain: ['list', 'pay'] },
      { id: 'other', chain: ['pay', 'list'] },
    ];
    const { retained, redundant } = orthogonal(all);
    expect(retained.map(({ id }) => id)).toEqual(['first', 'other']);
    expect(redundant).toEqual([{ id: 'second', with: 'first' }]);
  });
});
