import { describe, expect, it } from 'vitest';
import type { Verdict } from '../artifacts/verdict.js';
import { TreadleError } from '../errors.js';
import { FLAG_IDS } from './behaviour/registry.js';
import { penaltyOf, Reward, rewardOf } from './reward.js';

const verdict = (passed: readonly boolean[], fault: Verdict['fault'] = 'none'): Verdict => ({
  treadle: 'verdict/1',
  task: 'a'.repeat(64),
  trace: 't',
  pass: passed.every(Boolean),
  milestones: passed.map((pass, n) => ({ id: `m${n}`, pass, checks: [] })),
  broken: [],
  fault,
});
const seen = { truncation: [{ turn: 0, evidence: 'x' }], past_end: [1, 2, 3].map((turn) => ({ turn, evidence: 'y' })) };

describe('a reward', () => {
  it('is all or nothing, or the share of milestones', () => {
    for (const [passed, all, share] of [
      [[true, true, true, true], 1, 1],
      [[true, false, true, true], 0, 0.75],
      [[false], 0, 0],
    ] as const) {
      expect(rewardOf(verdict(passed), {}, 'all', {})).toEqual({ shape: 'all', base: all, penalties: [], total: all });
      expect(rewardOf(verdict(passed), {}, 'milestones', {}).base).toBe(share);
    }
  });
  it('takes no penalty that nobody named, and names each that applied', () => {
    expect(rewardOf(verdict([true]), seen, 'all', {}).total).toBe(1);
    expect(rewardOf(verdict([true]), seen, 'all', { malformed_call: 0.5, truncation: 0 }).penalties).toEqual([]);
    const fined = rewardOf(verdict([true, false]), seen, 'milestones', { truncation: 0.25, past_end: 0.5 });
    expect(fined).toEqual({
      shape: 'milestones',
      base: 0.5,
      penalties: [
        { flag: 'past_end', amount: 0.5 },
        { flag: 'truncation', amount: 0.25 },
      ],
      total: -0.25,
    });
    expect(Reward.parse(fined)).toEqual(fined);
  });
  it('is nothing at all where the verifier broke', () => {
    const { base, total } = rewardOf(verdict([false], 'verifier'), seen, 'all', { truncation: 1 });
    expect([base, total]).toEqual([null, null]);
  });
});

describe('a penalty', () => {
  it('is read', () => {
    for (const flag of FLAG_IDS) expect(penaltyOf(`${flag}=0.1`)).toEqual([flag, 0.1]);
  });
  it('is refused', () => {
    for (const text of [
      '',
      'truncation',
      'truncation=',
      'truncation=-1',
      'truncation=x',
      'truncation=1=1',
      'nope=1',
      '__proto__=1',
      'truncation=11',
      'truncation=NaN',
    ])
      expect(() => penaltyOf(text), text).toThrow(TreadleError);
  });
});
