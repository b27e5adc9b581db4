import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rng } from '../../kit/rng.js';
import { type ListedTask, textDiversity, toolDiversity } from './diversity.js';
import { neighboursOf } from './neighbours.js';
import { cosine, meanPairwise, vectorsOf } from './vectors.js';

/** The same figures by comparing every pair of dense vectors. */
const slowly = (texts: string[]): { nearest: number[]; mean: number; twins: number } => {
  const bags = texts.map((text) => text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []);
  const words = [...new Set(bags.flat())];
  const df = new Map(words.map((word) => [word, bags.filter((bag) => (bag as string[]).includes(word)).length]));
  const rows = bags.map((bag) => {
    const row = words.map((word) => {
      const count = bag.filter((each) => each === word).length;
      return count * (Math.log((1 + texts.length) / (1 + (df.get(word) ?? 0))) + 1);
    });
    const length = Math.sqrt(row.reduce((sum, w) => sum + w * w, 0)) || 1;
    return row.map((w) => w / length);
  });
  const dot = (a: number[], b: number[]): number => a.reduce((sum, w, i) => sum + w * (b[i] ?? 0), 0);
  let [sum, twins] = [0, 0];
  const nearest = rows.map(() => 0);
  for (let i = 0; i < rows.length; i++)
    for (let j = 0; j < rows.length; j++) {
      if (i === j) continue;
      const near = dot(rows[i] as number[], rows[j] as number[]);
      sum += near;
      if (i < j && near >= 0.99) twins++;
      nearest[i] = Math.max(nearest[i] ?? 0, near);
    }
  return { nearest, mean: rows.length < 2 ? 0 : sum / (rows.length * (rows.length - 1)), twins };
};

const text = fc
  .array(fc.constantFrom('invoice', 'order', 'the', 'refund', 'Lyon', 'x', 'größe', '注文', '42', '', '--', 'THE'), {
    maxLength: 8,
  })
  .map((words) => words.join(' '));

it('finds what comparing every pair finds', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
      const vectors = vectorsOf(texts);
      const { nearest, twins, isCut } = neighboursOf(vectors, 0.99);
      const slow = slowly(texts);
      expect(nearest.length).toBe(texts.length);
      for (const [i, near] of slow.nearest.entries()) expect(nearest[i]).toBeCloseTo(near, 4);
      expect(meanPairwise(vectors)).toBeCloseTo(slow.mean, 4);
      expect([twins.length, isCut]).toEqual([slow.twins, false]);
    }),
    { numRuns: 300 },
  );
});

it('asked for some rows only, finds the same for them, each pair once', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 20 }), fc.integer({ min: 1, max: 19 }), (texts, n) => {
      const vectors = vectorsOf(texts);
      const asked = texts.map((_, i) => i).slice(0, n);
      const some = neighboursOf(vectors, 0.99, asked);
      const all = neighboursOf(vectors, 0.99);
      expect([...some.nearest]).toEqual([...all.nearest].slice(0, n));
      const keys = some.twins.map(([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`);
      expect(new Set(keys).size).toBe(keys.length);
      const wanted = all.twins
        .filter(([a, b]) => a < n || b < n)
        .map(([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`);
      expect(keys.sort()).toEqual(wanted.sort());
    }),
    { numRuns: 200 },
  );
});

it('a text is as long as one and next to itself', () => {
  const vectors = vectorsOf(['pay the invoice', 'pay the invoice', '', 'nothing shared']);
  expect(cosine(vectors, 0, 0)).toBeCloseTo(1, 5);
  expect(cosine(vectors, 0, 1)).toBeCloseTo(1, 5);
  expect(cosine(vectors, 2, 2)).toBe(0);
  expect(cosine(vectors, 0, 3)).toBe(0);
});

const listed = (world: string, brief: string, chain: string[] = [], tables: string[] = []): ListedTask => ({
  world,
  brief,
  masked: brief.replace(/\p{Lu}\p{Ll}+/gu, '#'),
  chain,
  tables,
});

describe('figures', () => {
  it('of nothing and of one task are zeros', () => {
    for (const tasks of [[], [listed('a', 'pay it')]])
      expect(textDiversity(tasks)).toMatchObject({ mean_pairwise: 0, median_nearest: 0, near_twin_share: 0 });
    expect(toolDiversity([])).toEqual({ tasks: 0, same_chain_share: 0, masked_share: 0, both_share: 0 });
  });

  it('tell twins of one world from those of several', () => {
    const tasks = [
      listed('a', 'close till two'),
      listed('a', 'close till two'),
      listed('b', 'close till two'),
      listed('b', 'who approves leave for nurses'),
    ];
    expect(textDiversity(tasks)).toMatchObject({
      near_twin_share: 0.75,
      near_twin_pairs: 3,
      pairs_within_a_world: 0.3333,
    });
  });

  it('are strict about tasks of three calls and more only', () => {
    const chain = ['a.list', 'a.get', 'b.send'];
    const tasks = [
      listed('a', 'tell Anna of the order', chain, ['a.order']),
      listed('b', 'tell Berta of the order', chain, ['a.order']),
      listed('c', 'tell Cleo of the refund', chain, ['a.refund']),
      listed('d', 'tell Anna of the order', chain.slice(1), ['a.order']),
    ];
    expect(toolDiversity(tasks)).toEqual({
      tasks: 3,
      same_chain_share: 0.6667,
      masked_share: 0.6667,
      both_share: 0.6667,
    });
  });
});

it('takes a thousand times the same text, and long ones', () => {
  const { nearest, twins } = neighboursOf(vectorsOf(Array.from({ length: 1000 }, () => 'pay the invoice now')), 0.99);
  expect(Math.min(...nearest)).toBeGreaterThan(0.99);
  expect(twins.length).toBe((1000 * 999) / 2);
  const draw = rng('long');
  const long = Array.from({ length: 20 }, () => Array.from({ length: 5000 }, () => `w${draw.int(0, 900)}`).join(' '));
  expect(neighboursOf(vectorsOf(long), 0.99).nearest.every((near) => near > 0.5)).toBe(true);
});
