/** Groups of branches, and whole trajectories: what prefix-preserving sampling is compared with. */
import { beforeAll, describe, expect, it } from 'vitest';
import { Trace } from '../../../src/artifacts/trace.js';
import { referencePolicy } from '../../../src/rollout/agents/reference.js';
import { slippingPolicy, slippingProducer } from '../../../src/rollout/agents/slipping.js';
import { type Group, type GroupPlan, groupIds, sampleGroup } from '../../../src/rollout/sampling/group.js';
import { samplePrefix } from '../../../src/rollout/sampling/prefix.js';
import { sampleWhole, wholeIds } from '../../../src/rollout/sampling/whole.js';
import type { Session } from '../../../src/serve/sessions/session.js';
import { agentic, type Bench, benchOf, flaky, happened, hostOf, planOf, stateOf } from './fixture.js';

let bench: Bench;

beforeAll(async () => {
  bench = await benchOf(5);
}, 240_000);

const grouped = async (plan: GroupPlan): Promise<Group> => {
  const group = await sampleGroup(plan);
  for (const { trace, verdict } of group.branches) {
    expect(Trace.safeParse(trace).error).toBeUndefined();
    expect(verdict.trace).toBe(trace.id);
  }
  return group;
};

describe('a group', () => {
  it('parts before a stage: one history, one state, and each branch its own from there', async () => {
    const [first = '', second = ''] = bench.nodes;
    const begins: string[] = [];
    let parted = 0;
    const plan = planOf(bench, {
      open: () =>
        hostOf(bench.task, bench.open(), (session: Session) => {
          if (session.calls === parted) begins.push(stateOf(session));
        }),
      policyFor: flaky(bench.task, ({ node, attempt }) =>
        node === first && attempt === 1 ? 'wrecks' : node === second && attempt % 2 === 0 ? 'gives_up' : undefined,
      ),
    });
    parted = (await samplePrefix(plan)).kept.trace.dialogue?.stages[0]?.calls ?? 0;
    begins.length = 0;
    const group = await grouped({ ...plan, at: { node: second }, size: 6, until: 'stage' });
    expect(group.branches.map(({ passed }) => passed)).toEqual([true, false, true, false, true, false]);
    expect(group).toMatchObject({ passRate: 0.5, best: 0, cost: { branches: { attempts: 6 } } });
    expect(new Set(begins).size).toBe(1);
    const [one, two, three] = group.branches as [
      (typeof group.branches)[0],
      (typeof group.branches)[0],
      (typeof group.branches)[0],
    ];
    const { messages } = group.shared;
    expect(one.trace.messages.slice(0, messages)).toEqual(two.trace.messages.slice(0, messages));
    expect(happened(one.trace)).toBe(happened(three.trace));
    expect(group.branches.map(({ trace }) => trace.origin)).toEqual(
      group.branches.map((_, index) => ({ kind: 'branch', group: group.id, index, from: messages })),
    );
    expect(group.branches.map(({ trace }) => trace.id)).toEqual(
      groupIds({ ...plan, at: { node: second }, size: 6, until: 'stage' }),
    );
    // A stage's branch ends with its reply: nobody asks for the next stage.
    expect(one.trace.messages.at(-1)?.role).toBe('assistant');
    expect(one.trace.dialogue?.stages.map(({ node }) => node)).toEqual([first, second]);
    expect(one.verdict.milestones).toHaveLength(2);
  });

  it('goes to the end by default, and the best is the one that passed with the fewest calls', async () => {
    const [, second = ''] = bench.nodes;
    const policyFor: GroupPlan['policyFor'] = (attempt) =>
      attempt.attempt === 3
        ? referencePolicy(bench.task)
        : slippingPolicy(
            bench.task,
            attempt.seed,
            { rate: 1, kinds: [attempt.attempt === 2 ? 'malformed_call' : 'gives_up'] },
            referencePolicy(bench.task).producer,
          );
    const trunk: GroupPlan['policyFor'] = (attempt) =>
      attempt.node === second ? policyFor(attempt) : referencePolicy(bench.task);
    const group = await grouped({ ...planOf(bench, { policyFor: trunk }), at: { node: second }, size: 3 });
    expect(group.branches.map(({ passed }) => passed)).toEqual([false, true, true]);
    expect(group.best).toBe(2);
    expect(group.branches[2]?.trace.dialogue?.stages).toHaveLength(bench.nodes.length);
    expect(group.branches[0]?.share).toBeLessThan(1);
  });

  it('parts after a call, with or without a user, and only there', async () => {
    for (const plan of [planOf(bench), agentic(bench)]) {
      const group = await grouped({ ...plan, at: { call: 3 }, size: 2 });
      expect(group.shared.calls).toBe(3);
      expect(group.passRate).toBe(1);
      expect(group.branches.every(({ trace }) => trace.ledger.length === bench.task.reference.calls.length)).toBe(true);
    }
  });

  it('says so when the history cannot be made: it is over too early, or a stage before never passes', async () => {
    const short = await grouped({ ...agentic(bench), at: { call: 500 }, size: 2 });
    expect(short).toMatchObject({ branches: [], passRate: null, ended: { why: 'too_short' } });
    expect(short.best).toBeUndefined();
    const [first = '', second = ''] = bench.nodes;
    const policyFor = flaky(bench.task, ({ node }) => (node === first ? 'gives_up' : undefined));
    const stuck = await grouped({ ...planOf(bench, { policyFor, retries: 1 }), at: { node: second }, size: 2 });
    expect(stuck).toMatchObject({ branches: [], ended: { why: 'never_passed', node: first, attempts: 2 } });
  });

  it.each([
    ['no branch', { size: 0 }, {}],
    ['half a branch', { size: 1.5 }, {}],
    ['a stage that is none', { at: { node: 'nowhere' } }, {}],
    ['no call', { at: { call: 0 } }, {}],
    ['a stage without a user', {}, { user: undefined }],
    ['the end of a stage without a user', { at: { call: 1 }, until: 'stage' as const }, { user: undefined }],
  ])('%s is refused', async (_, wrong, less) => {
    const { user, ...rest } = planOf(bench);
    const plan = {
      ...rest,
      ...('user' in less ? {} : { user }),
      at: { node: bench.nodes[1] ?? '' },
      size: 2,
      ...wrong,
    };
    await expect(sampleGroup(plan as GroupPlan)).rejects.toMatchObject({ code: 'bad_group' });
  });
});

describe('whole trajectories', () => {
  const slipping = { rate: 0.5, kinds: ['gives_up' as const] };
  const policyFor: GroupPlan['policyFor'] = ({ seed }) =>
    slippingPolicy(bench.task, seed, slipping, slippingProducer(slipping, 's'));

  it('are tried until one passes, the others kept beside it with what they cost', async () => {
    const plan = planOf(bench, { policyFor, retries: 200 });
    const { accepted, kept, dropped, cost } = await sampleWhole(plan);
    expect(accepted).toBe(true);
    expect(kept.verdict.pass).toBe(true);
    expect(kept.trace.origin).toBeUndefined();
    expect(dropped.length).toBeGreaterThan(0);
    expect(dropped.every(({ verdict }) => !verdict.pass)).toBe(true);
    expect(cost.dropped.attempts).toBe(dropped.length);
    expect(cost.kept.calls).toBe(bench.task.reference.calls.length);
    const ids = [...dropped, kept].map(({ trace }) => trace.id);
    expect(ids).toEqual(wholeIds(plan).slice(0, ids.length));
    const clean = await samplePrefix(planOf(bench));
    expect(happened(kept.trace)).toBe(happened(clean.kept.trace));
  });

  it('that never pass end with the last one, and cost all that was spent', async () => {
    const never = flaky(bench.task, () => 'gives_up');
    for (const retries of [0, 2]) {
      const { accepted, kept, dropped, cost, ended } = await sampleWhole(agentic(bench, { policyFor: never, retries }));
      expect(accepted).toBe(false);
      expect(ended).toMatchObject({ why: 'never_passed', attempts: retries + 1 });
      expect([...dropped, kept]).toHaveLength(retries + 1);
      expect(cost.kept.attempts).toBe(0);
      expect(cost.dropped.attempts).toBe(retries + 1);
    }
  });

  it('may be sampled where a stage has no milestone', async () => {
    const { task } = bench;
    const judged = { ...task, milestones: task.milestones.filter((_, n) => n !== 1) };
    await expect(samplePrefix(planOf({ ...bench, task: judged }))).rejects.toMatchObject({ code: 'unjudged_stage' });
    const { kept } = await sampleWhole(planOf({ ...bench, task: judged }));
    expect(kept.verdict.milestones).toHaveLength(judged.milestones.length);
    expect(kept.trace.finish).toBe('answered');
  });
});
