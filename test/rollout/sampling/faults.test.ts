/** A user who is at fault costs the policy nothing: what it spoilt is made once more, and said to be the user's where it persists. */
import { beforeAll, expect, it } from 'vitest';
import { outcomeOf } from '../../../src/rollout/outcome.js';
import { samplePrefix } from '../../../src/rollout/sampling/prefix.js';
import { sampleWhole } from '../../../src/rollout/sampling/whole.js';
import type { Speaker } from '../../../src/rollout/users/speaker.js';
import { spokenUser } from '../../../src/rollout/users/user.js';
import { type Bench, benchOf, flaky, happened, planOf } from './fixture.js';

let bench: Bench;

beforeAll(async () => {
  bench = await benchOf(5);
}, 240_000);

/** Tells the answer with the requests of a stage, so many times. */
const blabbing = (node: string, times: number): Speaker => {
  let left = times;
  return {
    name: 'blabbing',
    by: 'script',
    say: ({ known, state, said, secret }) => {
      const isThere = known.stages[state.stage]?.node === node && said.act === 'requests';
      const answer = secret.find((words) => words.length > 3 && !said.text.includes(words));
      return isThere && answer !== undefined && left-- > 0 ? `${said.text} It should be ${answer}.` : said.text;
    },
  };
};

const withUser = (speaker: Speaker) => planOf(bench, { user: () => spokenUser(bench.task, 'full', speaker, true) });

it('a request that gives something away is made once more, and nothing of it is left', async () => {
  const [, second = ''] = bench.nodes;
  const clean = await samplePrefix(withUser(blabbing(second, 0)));
  const once = await samplePrefix(withUser(blabbing(second, 1)));
  expect(clean.accepted).toBe(true);
  expect(once.accepted).toBe(true);
  expect(once.kept.trace.problem).toBeUndefined();
  expect(happened(once.kept.trace)).toBe(happened(clean.kept.trace));
});

it('where the user does it again the sampling ends, and it is the user’s fault', async () => {
  const [, second = ''] = bench.nodes;
  const result = await samplePrefix(withUser(blabbing(second, 99)));
  expect(result).toMatchObject({ accepted: false, dropped: [], ended: { why: 'user', node: second } });
  expect(outcomeOf(result.kept.trace, result.kept.verdict)).toEqual({ outcome: 'fault', fault: 'user' });
});

it('a whole trajectory that the user spoilt is made once more, too', async () => {
  const [, second = ''] = bench.nodes;
  const spoilt = await sampleWhole({ ...withUser(blabbing(second, 1)), retries: 0 });
  expect(spoilt).toMatchObject({ accepted: true, cost: { dropped: { attempts: 1 } } });
  const always = await sampleWhole({ ...withUser(blabbing(second, 99)), retries: 2 });
  expect(always).toMatchObject({ accepted: false, ended: { why: 'user', attempts: 1 } });
});

it('money is bounded over kept and dropped attempts, counted where the endpoint counted', async () => {
  const counting = flaky(bench.task, ({ node, attempt }) =>
    node === bench.nodes[1] && attempt < 4 ? 'wrecks' : undefined,
  );
  const policyFor: typeof counting = (attempt) => {
    const policy = counting(attempt);
    return {
      ...policy,
      next: async (view) => ({ ...(await policy.next(view)), usage: { promptTokens: 1000, completionTokens: 100 } }),
    };
  };
  const prices = { prompt: 1, completion: 10 };
  const free = await samplePrefix(planOf(bench, { policyFor, limits: { prices } }));
  expect(free.accepted).toBe(true);
  const { turns } = free.cost.kept;
  expect(free.kept.trace.usage.cost).toBeCloseTo(turns * 0.002, 9);
  const spent = 0.002 * (turns + free.cost.dropped.turns);
  const enough = await samplePrefix(planOf(bench, { policyFor, limits: { prices, cost: spent + 0.001 } }));
  expect(enough.accepted).toBe(true);
  const tight = await samplePrefix(planOf(bench, { policyFor, limits: { prices, cost: spent - 0.003 } }));
  expect(tight).toMatchObject({ accepted: false, ended: { why: 'budget' } });
  expect(tight.kept.trace).toMatchObject({ finish: 'budget', problem: { code: 'cost_budget' } });
  const purse = { limit: 0.004, spent: 0 };
  const shared = await samplePrefix(planOf(bench, { policyFor, limits: { prices, purse } }));
  expect(shared).toMatchObject({ accepted: false, ended: { why: 'budget' } });
  expect(purse.spent).toBeCloseTo(0.004, 9);
  await expect(samplePrefix(planOf(bench, { limits: { cost: 1 } }))).rejects.toMatchObject({ code: 'bad_budget' });
});
