import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScenarioEvent } from '../artifacts/scenario.js';
import { rng } from '../kit/rng.js';
import { event, needs } from './event.fixture.js';
import { graphOf } from './graph.js';
import { realisableOrders, realisableSubsets } from './realisable.js';

const invoice = (key: string, col?: string) => ({ service: 'billing', table: 'invoice', key, ...(col ? { col } : {}) });
const writes = (...cols: string[]): Partial<ScenarioEvent> => ({ writes: cols.map((col) => invoice('i1', col)) });
const refusal = (events: ScenarioEvent[]): { code: string; value: unknown; message: string } => {
  try {
    graphOf(events);
  } catch (thrown) {
    return thrown as { code: string; value: unknown; message: string };
  }
  throw new Error('nothing was refused');
};

describe('the graph', () => {
  it('puts parents first, ties by id, and tells its depth', () => {
    const graph = graphOf([event('d', needs('b', 'c')), event('c', needs('a')), event('b'), event('a')]);
    expect(graph.order).toEqual(['a', 'b', 'c', 'd']);
    expect(graph.depth).toBe(3);
    expect(graph.isBefore('a', 'd')).toBe(true);
    expect(graph.isBefore('d', 'a')).toBe(false);
  });

  it('refuses a circle, and shows it', () => {
    const circle = [event('a', needs('c')), event('b', needs('a')), event('c', needs('b')), event('x')];
    expect(refusal(circle)).toMatchObject({ code: 'event_cycle', value: 'a -> c -> b -> a' });
    expect(refusal([event('a', needs('a'))])).toMatchObject({ code: 'event_cycle', value: 'a -> a' });
  });

  it.each<[string, ScenarioEvent[], string]>([
    ['two events of one id', [event('a'), event('a')], 'double_event'],
    ['a need for nobody', [event('a', needs('b'))], 'unknown_event'],
    ['an exclusion of nobody', [event('a', { excludes: ['b'] })], 'unknown_event'],
    [
      'parents that exclude one another',
      [event('a', { excludes: ['b'] }), event('b'), event('c', needs('a', 'b'))],
      'impossible_event',
    ],
    [
      'an event that excludes its own parent',
      [event('a'), event('b', { ...needs('a'), excludes: ['a'] })],
      'impossible_event',
    ],
  ])('refuses %s', (_, events, code) => expect(refusal(events).code).toBe(code));

  it.each<[string, ScenarioEvent, ScenarioEvent, RegExp]>([
    ['one column', event('a', writes('due_on')), event('b', writes('due_on')), /both write billing.invoice i1 due_on/],
    ['a row and its column', event('a', { writes: [invoice('i1')] }), event('b', writes('memo')), /both write/],
    [
      'a guard’s column',
      event('a', writes('status')),
      event('b', { guard: [{ path: invoice('i1', 'status'), op: 'eq', value: 'open' }] }),
      /a writes billing.invoice i1 status, which the guard of b reads/,
    ],
    [
      'one check',
      event('a', { checks: { retire: ['c1'], replace: [], add: [] } }),
      event('b', { checks: { retire: ['c1'], replace: [], add: [] } }),
      /both revise the check c1/,
    ],
  ])('refuses two that touch %s, unless one needs or excludes the other', (_, a, b, says) => {
    expect(refusal([a, b])).toMatchObject({
      code: 'event_conflict',
      value: ['a', 'b'],
      message: expect.stringMatching(says),
    });
    expect(graphOf([a, { ...b, ...needs('a') }]).order).toEqual(['a', 'b']);
    expect(graphOf([{ ...a, excludes: ['b'] }, b]).order).toEqual(['a', 'b']);
  });

  it('lets two rows of one table, and two columns of one row, be written by two events', () => {
    expect(graphOf([event('a', writes('memo')), event('b', writes('due_on'))]).depth).toBe(1);
    expect(graphOf([event('a', { writes: [invoice('i1')] }), event('b', { writes: [invoice('i2')] })]).depth).toBe(1);
  });
});

const names = 'abcdefghij'.split('');
/** Events that need earlier ones only, so that there is no circle. */
const someEvents = (most: number) =>
  fc.integer({ min: 1, max: most }).chain((n) =>
    fc
      .tuple(
        ...names.slice(0, n).map((id, at) =>
          fc.record({
            id: fc.constant(id),
            needs: fc.subarray(names.slice(0, at), { maxLength: Math.min(at, 2) }),
            excludes: fc.subarray(names.slice(0, at), { maxLength: Math.min(at, 1) }),
          }),
        ),
      )
      .map((list) => list.map((one) => event(one.id, { ...needs(...one.needs), excludes: one.excludes }))),
  );

const accepted = (events: ScenarioEvent[]) => {
  try {
    return graphOf(events);
  } catch {
    return undefined;
  }
};

describe('what may happen', () => {
  it('of a chain is each beginning of it, in its one order', () => {
    const graph = graphOf([event('a'), event('b', needs('a')), event('c', needs('b'))]);
    const subsets = realisableSubsets(graph, rng(1));
    expect(subsets).toEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']]);
    expect(realisableOrders(graph, ['a', 'b', 'c'], rng(1))).toEqual([['a', 'b', 'c']]);
  });

  it('of three free events is everything', () => {
    const graph = graphOf([event('a'), event('b'), event('c')]);
    expect(realisableSubsets(graph, rng(1))).toHaveLength(8);
    expect(realisableOrders(graph, ['a', 'b', 'c'], rng(1))).toHaveLength(6);
  });

  it('never holds a child without its parents, two that exclude one another, or an order against the needs', () => {
    fc.assert(
      fc.property(someEvents(9), fc.integer(), (events, seed) => {
        const graph = accepted(events);
        if (!graph) return;
        for (const chosen of realisableSubsets(graph, rng(seed), 20)) {
          const set = new Set(chosen);
          for (const id of chosen) {
            for (const need of graph.events.get(id)?.needs ?? []) expect(set.has(need.id)).toBe(true);
            expect(chosen.some((other) => other !== id && graph.excludes(id, other))).toBe(false);
          }
          for (const order of realisableOrders(graph, chosen, rng(seed), 4)) {
            expect([...order].sort()).toEqual([...chosen].sort());
            for (const [n, id] of order.entries())
              expect(order.slice(n).some((later) => graph.isBefore(later, id))).toBe(false);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('of many events is drawn, the same for the same seed', () => {
    const graph = graphOf(names.map((id) => event(id)));
    const drawn = realisableSubsets(graph, rng(7), 30);
    expect(drawn.length).toBeGreaterThan(20);
    expect(drawn[0]).toEqual([]);
    expect(realisableSubsets(graph, rng(7), 30)).toEqual(drawn);
    expect(realisableOrders(graph, names, rng(7), 10).length).toBe(10);
  });
});
