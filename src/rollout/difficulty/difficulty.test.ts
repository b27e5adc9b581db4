/** Slips that are drawn once and hold at every higher rate; rows that nearly fit. */
import { describe, expect, it } from 'vitest';
import { toyHost, toyTask } from '../../../test/rollout/toy.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { rolloutTask } from '../rollout.js';
import { carelessPolicy, planSlips } from './slips.js';
import { isNearly } from './structure.js';

const RATES = [0, 0.05, 0.1, 0.2, 0.5, 1];
const SEEDS = Array.from({ length: 200 }, (_, n) => `s/${n}`);

describe('slips', () => {
  it('are none at 0 and one a step at 1, the answer included', () => {
    for (const seed of SEEDS) {
      expect(planSlips(toyTask(), 0, seed)).toEqual([]);
      expect(planSlips(toyTask(), 1, seed).map(({ step }) => step)).toEqual([0, 1, 2, 3]);
    }
  });
  it('stay where the rate rises, so that nobody gets better by being more careless', () => {
    for (const seed of SEEDS) {
      const plans = RATES.map((rate) => planSlips(toyTask(), rate, seed));
      for (const [n, plan] of plans.entries()) expect(plans[n + 1] ?? plan).toEqual(expect.arrayContaining(plan));
    }
  });
  it('come up about as often as they should, every kind of them', () => {
    const plans = SEEDS.flatMap((seed) => planSlips(toyTask(), 0.2, seed));
    // 800 steps at 0.2: 160, and five deviations are 57.
    expect(Math.abs(plans.length - 160)).toBeLessThan(57);
    expect([...new Set(SEEDS.flatMap((seed) => planSlips(toyTask(), 1, seed).map(({ kind }) => kind)))].sort()).toEqual(
      ['extra_write', 'malformed_call', 'repeated_call', 'shotgun_answer', 'skipped_step', 'wrong_entity'],
    );
  });
  it('pick no wrong entity where there is none to pick, and no shotgun without candidates', () => {
    const plain = { ...toyTask(), answer: undefined, reference: { ...toyTask().reference, sources: [] } };
    const kinds = SEEDS.flatMap((seed) => planSlips(plain, 1, seed).map(({ kind }) => kind));
    expect(kinds).not.toContain('wrong_entity');
    expect(kinds).not.toContain('shotgun_answer');
  });
  it('make the same run from the same seed', async () => {
    const run = async (): Promise<string> => {
      const task = toyTask();
      const trace = await rolloutTask({ host: toyHost(), task, policy: carelessPolicy(task, 0.5, 's/7') });
      return canonicalJson(trace as unknown as Json);
    };
    expect(await run()).toBe(await run());
  });
  it('leave the reference alone at 0', async () => {
    const task = toyTask();
    const trace = await rolloutTask({ host: toyHost(), task, policy: carelessPolicy(task, 0, 's') });
    expect(trace).toMatchObject({ answer: '2000', producer: { policy: 'scripted', name: 'none' } });
  });
});

describe('nearly', () => {
  it('is half of the words in common, or two letters', () => {
    for (const [a, b] of [
      ['SO-1042', 'SO-1043'],
      ['Müller Bau', 'Muller Bau'],
      ['Trade discount January', 'trade discount December'],
    ] as const) {
      expect(isNearly(a, b), `${a} ${b}`).toBe(true);
      expect(isNearly(a, b)).toBe(isNearly(b, a));
    }
  });
  it('is not another name, a short code, or nothing', () => {
    for (const [a, b] of [
      ['Brandt GmbH', 'Acme Holding'],
      ['A1', 'B2'],
      ['', ''],
      ['Adelphe Sanchez', 'Chloé Leroux'],
    ] as const)
      expect(isNearly(a, b), `${a} ${b}`).toBe(false);
  });
});
