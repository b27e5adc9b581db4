/** Budgets of a rollout and of a run: the turn that spends the rest counts, the next one is not asked for. */
import { describe, expect, it } from 'vitest';
import { toyHost, toyTask } from '../../test/rollout/toy.js';
import { referencePolicy } from './agents/reference.js';
import { checkLimits, DEFAULT_LIMITS, type Limits } from './limits.js';
import { outcomeOf } from './outcome.js';
import type { Action, Policy } from './policy.js';
import { rolloutTask } from './rollout.js';

/** The reference, each message counted as so many tokens; without a count it goes by length. */
const counted = (usage?: Action['usage']): Policy & { left: (number | undefined)[] } => {
  const policy = referencePolicy(toyTask());
  const left: (number | undefined)[] = [];
  return {
    left,
    producer: { policy: 'model', name: 'm' },
    next: async (view) => {
      left.push(view.tokensLeft);
      return { ...(await policy.next(view)), isModel: true, ...(usage ? { usage } : {}) };
    },
  };
};
const roll = (policy: Policy, limits: Partial<Limits>) =>
  rolloutTask({ host: toyHost(), task: toyTask(), policy, limits: { ...DEFAULT_LIMITS, ...limits } });
const usage = { promptTokens: 900, completionTokens: 100 };
const prices = { prompt: 1, completion: 10 };

describe('tokens', () => {
  it('end the rollout once they are spent, and the policy is told what is left', async () => {
    const policy = counted(usage);
    const trace = await roll(policy, { tokens: 1500 });
    expect(trace).toMatchObject({ finish: 'budget', problem: { code: 'token_budget' }, usage: { turns: 2, calls: 2 } });
    expect(policy.left).toEqual([1500, 500]);
    expect(outcomeOf(trace, { pass: true, fault: 'none' })).toEqual({ outcome: 'cut' });
  });
  it('that suffice change nothing', async () => {
    const trace = await roll(counted(usage), { tokens: 4001 });
    expect(trace).toMatchObject({ finish: 'answered', usage: { turns: 4, promptTokens: 3600 } });
  });
  it('that nobody counts go by length, so that the budget still ends', async () => {
    const trace = await roll(counted(), { tokens: 300 });
    expect(trace).toMatchObject({ finish: 'budget', problem: { code: 'token_budget' } });
    expect(trace.usage).not.toHaveProperty('promptTokens');
  });
});

describe('money', () => {
  it('is reckoned from the prices and kept in the trace', async () => {
    const trace = await roll(counted(usage), { prices });
    expect(trace.finish).toBe('answered');
    expect(trace.usage.cost).toBeCloseTo((4 * (900 * 1 + 100 * 10)) / 1e6, 12);
  });
  it('ends a rollout', async () => {
    const trace = await roll(counted(usage), { prices, cost: 0.003 });
    expect(trace).toMatchObject({ finish: 'budget', problem: { code: 'cost_budget' }, usage: { turns: 2 } });
  });
  it('of the run is shared: whoever comes when it is gone does not begin', async () => {
    const purse = { limit: 0.01, spent: 0 };
    const turns: number[] = [];
    for (let n = 0; n < 3; n++) turns.push((await roll(counted(usage), { prices, purse })).usage.turns);
    expect(turns).toEqual([4, 2, 0]);
    expect((await roll(counted(usage), { prices, purse })).problem).toMatchObject({ code: 'run_budget' });
  });
  it('is nothing to a policy that uses no model', async () => {
    const policy = referencePolicy(toyTask());
    expect(await roll(policy, { prices, cost: 1e-9, tokens: 1 })).toMatchObject({ finish: 'answered' });
  });
});

it.each<[string, Partial<Limits>]>([
  ['a cost without prices', { cost: 1 }],
  ['a purse without prices', { purse: { limit: 1, spent: 0 } }],
  ['no money', { cost: 0, prices }],
  ['no tokens', { tokens: 0 }],
  ['no number of tokens', { tokens: Number.NaN }],
])('%s is refused', (_, limits) => {
  expect(() => checkLimits({ ...DEFAULT_LIMITS, ...limits })).toThrow(expect.objectContaining({ code: 'bad_budget' }));
});
