/** Prefix-preserving sampling: what is kept is bit for bit what a rollout that never failed would be (weft.txt 3.3.1). */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Trace } from '../../../src/artifacts/trace.js';
import { Verdict } from '../../../src/artifacts/verdict.js';
import { TreadleError } from '../../../src/errors.js';
import { nothingPolicy } from '../../../src/rollout/agents/nothing.js';
import { referencePolicy } from '../../../src/rollout/agents/reference.js';
import { slippingPolicy } from '../../../src/rollout/agents/slipping.js';
import { outcomeOf } from '../../../src/rollout/outcome.js';
import { tokensOf } from '../../../src/rollout/sampling/cost.js';
import type { SamplingLimits, SamplingPlan } from '../../../src/rollout/sampling/plan.js';
import { type Sampled, samplePrefix } from '../../../src/rollout/sampling/prefix.js';
import type { Session } from '../../../src/serve/sessions/session.js';
import { agentic, type Bench, benchOf, type Failing, flaky, happened, hostOf, planOf, stateOf } from './fixture.js';

let bench: Bench;
let clean: Sampled;
let cleanState = '';
let cleanAgentic: Sampled;

const sampled = async (plan: SamplingPlan): Promise<{ result: Sampled; state: string }> => {
  let state = '';
  const result = await samplePrefix(plan, (host) => {
    state = stateOf((host as unknown as { session: Session }).session);
  });
  for (const { trace, verdict } of [result.kept, ...result.dropped]) {
    expect(Trace.safeParse(trace).error).toBeUndefined();
    expect(Verdict.safeParse(verdict).error).toBeUndefined();
    expect(verdict.trace).toBe(trace.id);
  }
  return { result, state };
};

beforeAll(async () => {
  bench = await benchOf(8);
  const { result, state } = await sampled(planOf(bench));
  [clean, cleanState] = [result, state];
  cleanAgentic = (await sampled(agentic(bench))).result;
}, 240_000);

/** Fails at the nodes with the first so many attempts. */
const failing = (fails: Record<string, number>, kind: Failing = 'gives_up', more: Partial<SamplingPlan> = {}) =>
  planOf(bench, {
    policyFor: flaky(bench.task, ({ node = '', attempt }) => (attempt <= (fails[node] ?? 0) ? kind : undefined)),
    ...more,
  });

/** The state that a trace's calls alone lead to, each with the same result, on a session of its own. */
const replayed = ({ ledger }: Trace): string => {
  const session = bench.open();
  for (const entry of ledger) {
    // What never reached a tool has left nothing but its line.
    if (entry.error?.code === 'malformed_arguments') continue;
    const { entry: now } = session.call(entry.tool, structuredClone(entry.args));
    expect({ ...now, index: entry.index }).toEqual(entry);
  }
  const state = stateOf(session);
  session.drop();
  return state;
};

describe('a policy that never fails', () => {
  it('is taken through all stages at once, and the whole is verified', () => {
    expect(clean).toMatchObject({ accepted: true, dropped: [], kept: { verdict: { pass: true } } });
    expect(clean.kept.trace.origin).toEqual({
      kind: 'prefix',
      retries: 3,
      stages: bench.nodes.map((node) => ({ node, attempts: 1 })),
    });
    expect(clean.kept.stages?.map(({ pass }) => pass)).toEqual(bench.nodes.map(() => true));
    expect(clean.cost.dropped).toMatchObject({ attempts: 0, calls: 0, turns: 0 });
    expect(clean.cost.kept).toMatchObject({ attempts: bench.nodes.length, calls: bench.task.reference.calls.length });
  });
});

describe('a failed attempt', () => {
  it.each<Failing>(['gives_up', 'skipped_step', 'wrecks'])('leaves nothing behind: %s', async (kind) => {
    const begins = new Map<number, Set<string>>();
    const watch = (session: Session): void => {
      const before = begins.get(session.calls) ?? new Set();
      begins.set(session.calls, before.add(stateOf(session)));
    };
    const [first, , third] = bench.nodes as [string, string, string];
    const plan = failing({ [first]: 2, [third]: 3 }, kind);
    const { result, state } = await sampled({ ...plan, open: () => hostOf(bench.task, bench.open(), watch) });
    expect(result.accepted).toBe(true);
    expect(happened(result.kept.trace)).toBe(happened(clean.kept.trace));
    expect(state).toBe(cleanState);
    // Whatever was tried from a point, that point stayed as it was.
    expect([...begins.values()].every((states) => states.size === 1)).toBe(true);
  });

  it('is kept as a negative: the history before it as in the kept trajectory, its own verdict, its cost apart', async () => {
    const [, second = ''] = bench.nodes;
    const { result } = await sampled(failing({ [second]: 2 }));
    expect(result.dropped).toHaveLength(2);
    const ids = new Set([result.kept.trace.id, ...result.dropped.map(({ trace }) => trace.id)]);
    expect(ids.size).toBe(3);
    for (const [n, { trace, verdict, stages }] of result.dropped.entries()) {
      expect(trace.origin).toMatchObject({
        kind: 'negative',
        rollout: result.kept.trace.id,
        node: second,
        attempt: n + 1,
      });
      const { from } = trace.origin as { from: number };
      expect(trace.messages.slice(0, from)).toEqual(result.kept.trace.messages.slice(0, from));
      expect(trace.messages[from - 1]?.role).toBe('user');
      expect(trace.messages[from]?.role).toBe('assistant');
      expect(verdict.pass).toBe(false);
      expect(stages?.map(({ pass }) => pass)).toEqual([true, false]);
    }
    expect(result.cost.dropped.attempts).toBe(2);
    expect(tokensOf(result.cost.dropped)).toBeGreaterThan(0);
    expect(result.kept.trace.origin).toMatchObject({ stages: expect.arrayContaining([{ node: second, attempts: 3 }]) });
  });

  it('with a random pattern of failures, all within the retries, changes no bit of what is kept', async () => {
    const kinds = fc.constantFrom<Failing>('gives_up', 'wrecks');
    const pattern = fc.array(fc.array(kinds, { maxLength: 3 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pattern, async (fails) => {
        const policyFor = flaky(
          bench.task,
          ({ node = '', attempt }) => fails[bench.nodes.indexOf(node)]?.[attempt - 1],
        );
        const { result, state } = await sampled(planOf(bench, { policyFor }));
        expect(result.kept.trace.origin).toMatchObject({
          stages: bench.nodes.map((node, n) => ({ node, attempts: (fails[n]?.length ?? 0) + 1 })),
        });
        expect(result.dropped).toHaveLength(fails.flat().length);
        expect(happened(result.kept.trace)).toBe(happened(clean.kept.trace));
        expect(state).toBe(cleanState);
      }),
      { numRuns: 12, seed: 6 },
    );
  });

  it('with slips of every kind: what is accepted is right as a whole, and its calls alone lead to its state', async () => {
    const random = fc.record({
      seed: fc.string({ minLength: 1, maxLength: 8 }),
      rate: fc.double({ min: 0.1, max: 0.6, noNaN: true }),
    });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(random, async ({ seed, rate }) => {
        const { producer } = referencePolicy(bench.task);
        const policyFor: SamplingPlan['policyFor'] = (attempt) =>
          slippingPolicy(bench.task, `${seed}${attempt.seed}`, { rate }, producer);
        const { result, state } = await sampled(planOf(bench, { policyFor }));
        expect(result.kept.verdict.pass).toBe(result.accepted);
        expect(result.dropped.every(({ verdict }) => !verdict.pass)).toBe(true);
        expect(replayed(result.kept.trace)).toBe(state);
        if (result.accepted) accepted++;
      }),
      { numRuns: 12, seed: 6 },
    );
    expect(accepted).toBeGreaterThan(2);
  });

  it('is replayed by nobody: the kept calls alone, on a fresh session, lead to the same state and results', async () => {
    const [first = '', , third = ''] = bench.nodes;
    const { result, state } = await sampled(failing({ [first]: 3, [third]: 1 }, 'wrecks'));
    expect(replayed(result.kept.trace)).toBe(state);
  });
});

describe('a stage that never passes', () => {
  it('ends the sampling with its reason, and what passed before is kept', async () => {
    const [, , third = ''] = bench.nodes;
    const { result } = await sampled(failing({ [third]: 99 }));
    expect(result).toMatchObject({ accepted: false, ended: { why: 'never_passed', node: third, attempts: 4 } });
    expect(result.dropped).toHaveLength(4);
    const { trace, verdict } = result.kept;
    expect(trace.origin).toMatchObject({ stages: bench.nodes.slice(0, 2).map((node) => ({ node, attempts: 1 })) });
    expect(trace).toMatchObject({ finish: 'error', problem: { code: 'stage_never_passed', fault: 'policy' } });
    expect(trace.problem?.message).toMatch(new RegExp(`${third} failed all 4 attempts, all of them alike; the last: `));
    expect(outcomeOf(trace, verdict)).toEqual({ outcome: 'failed' });
    const kept = clean.kept.trace.messages.slice(0, trace.messages.length);
    expect(trace.messages).toEqual(kept);
    expect(trace.ledger).toEqual(clean.kept.trace.ledger.slice(0, trace.ledger.length));
  });

  it('without retries has one attempt', async () => {
    const [first = ''] = bench.nodes;
    const { result } = await sampled(failing({ [first]: 1 }, 'gives_up', { retries: 0 }));
    expect(result).toMatchObject({ accepted: false, ended: { attempts: 1 }, dropped: [{}] });
    expect(result.ended?.message).toContain('failed its only attempt');
    expect((await sampled(planOf(bench, { retries: 0 }))).result.accepted).toBe(true);
  });

  it.each([-1, 0.5, Number.NaN])('retries of %s are refused', async (retries) => {
    await expect(samplePrefix(planOf(bench, { retries }))).rejects.toMatchObject({ code: 'bad_retries' });
  });

  it('the policy that does nothing gets nowhere', async () => {
    const { result } = await sampled(planOf(bench, { policyFor: () => nothingPolicy(), retries: 1 }));
    expect(result).toMatchObject({ accepted: false, ended: { why: 'never_passed', node: bench.nodes[0] } });
  });
});

describe('the user', () => {
  it('who leaves in one attempt is there again in the next, as patient as before', async () => {
    const [, second = ''] = bench.nodes;
    const policyFor: SamplingPlan['policyFor'] = ({ node, attempt }) =>
      node === second && attempt <= 2
        ? { ...referencePolicy(bench.task), next: () => ({ text: 'What is the colour of the moon?', calls: [] }) }
        : referencePolicy(bench.task);
    const { result, state } = await sampled(planOf(bench, { policyFor }));
    expect(result.accepted).toBe(true);
    expect(result.dropped.map(({ trace }) => trace.finish)).toEqual(['user_left', 'user_left']);
    expect(result.dropped[0]?.trace.dialogue?.turns).toEqual(result.dropped[1]?.trace.dialogue?.turns);
    expect(happened(result.kept.trace)).toBe(happened(clean.kept.trace));
    expect(state).toBe(cleanState);
  });

  it('who is a model asks once a stage, however many attempts it takes', async () => {
    const asked: string[] = [];
    const { simulatedUser } = await import('../../../src/rollout/users/user.js');
    const client = {
      model: 'voice',
      chat: async ({ messages }: { messages: { content: string }[] }) => {
        asked.push(messages.at(-1)?.content ?? '');
        return { content: '', calls: [], finish: 'stop' as const };
      },
    };
    const [, second = ''] = bench.nodes;
    const user = () => simulatedUser(bench.task, 'full', client as never);
    const { result } = await sampled(failing({ [second]: 3 }, 'gives_up', { user }));
    expect(result.accepted).toBe(true);
    expect(asked).toHaveLength(bench.nodes.length);
  });
});

describe('what is not the policy’s', () => {
  const broken = new TreadleError({ code: 'endpoint_down', message: 'No answer', fault: 'infrastructure' });
  const breaking = (times: number): SamplingPlan['policyFor'] => {
    let left = times;
    return ({ node }) => ({
      ...referencePolicy(bench.task),
      next: (view) => {
        if (node === bench.nodes[1] && left-- > 0) throw broken;
        return referencePolicy(bench.task).next(view);
      },
    });
  };

  it('is tried a second time from the same point, and is no attempt of the policy', async () => {
    const { result, state } = await sampled(planOf(bench, { policyFor: breaking(1), retries: 0 }));
    expect(result).toMatchObject({ accepted: true, dropped: [], cost: { dropped: { attempts: 1 } } });
    expect(happened(result.kept.trace)).toBe(happened(clean.kept.trace));
    expect(state).toBe(cleanState);
  });

  it('ends the sampling when it happens again; the prefix is kept and says whose fault it was', async () => {
    const { result } = await sampled(planOf(bench, { policyFor: breaking(9) }));
    expect(result).toMatchObject({
      accepted: false,
      dropped: [],
      ended: { why: 'infrastructure', message: 'No answer' },
    });
    expect(outcomeOf(result.kept.trace, result.kept.verdict)).toEqual({ outcome: 'fault', fault: 'infrastructure' });
  });

  it('a verifier that breaks is no failed attempt', async () => {
    const { task } = bench;
    const milestones = task.milestones.map((milestone, n) =>
      n === 1
        ? {
            ...milestone,
            checks: [
              ...milestone.checks,
              { id: 'c_bad', kind: 'exists' as const, footprint: [], service: 'nowhere', table: 'none', where: {} },
            ],
          }
        : milestone,
    );
    const { result } = await sampled(planOf({ ...bench, task: { ...task, milestones } }));
    expect(result).toMatchObject({ accepted: false, dropped: [], ended: { why: 'verifier', node: bench.nodes[1] } });
    expect(outcomeOf(result.kept.trace, result.kept.verdict)).toEqual({ outcome: 'fault', fault: 'verifier' });
  });

  it.each([
    ['calls', { calls: 5 }],
    ['tokens', { tokens: 2000 }],
  ] as [string, SamplingLimits][])('a budget of %s holds for kept and dropped attempts together', async (_, limits) => {
    const [first = ''] = bench.nodes;
    const { result } = await sampled(failing({ [first]: 3 }, 'repeated_call', { limits }));
    expect(result).toMatchObject({ accepted: false, ended: { why: 'budget' } });
    expect(outcomeOf(result.kept.trace, result.kept.verdict)).toEqual({ outcome: 'cut' });
    if (limits.calls) expect(result.cost.kept.calls + result.cost.dropped.calls).toBeLessThanOrEqual(limits.calls);
  });

  it('called off, it ends at once', async () => {
    const stop = new AbortController();
    const policyFor = (): ReturnType<SamplingPlan['policyFor']> => ({
      ...referencePolicy(bench.task),
      next: () => {
        stop.abort();
        return new Promise<never>(() => undefined);
      },
    });
    const { result } = await sampled(planOf(bench, { policyFor, signal: stop.signal }));
    expect(result).toMatchObject({ accepted: false, ended: { why: 'cut' }, kept: { trace: { finish: 'cut' } } });
  });

  it('a host of which something cannot be copied is refused before anything runs', async () => {
    let calls = 0;
    const open = () => {
      const host = hostOf(bench.task, bench.open());
      const call: typeof host.call = (name, args) => {
        calls++;
        return host.call(name, args);
      };
      return { ...host, unforkable: ['payments'], call };
    };
    await expect(samplePrefix(planOf(bench, { open }))).rejects.toMatchObject({
      code: 'not_forkable',
      value: 'payments',
    });
    expect(calls).toBe(0);
  });

  it('a stage that nothing judges is refused', async () => {
    const { task } = bench;
    const milestones = task.milestones.filter((_, n) => n !== 2);
    await expect(samplePrefix(planOf({ ...bench, task: { ...task, milestones } }))).rejects.toMatchObject({
      code: 'unjudged_stage',
      value: bench.nodes[2],
    });
  });
});

describe('the whole brief at once', () => {
  it('is taken part by part, and the kept history holds none of the pointers', async () => {
    const { kept, accepted } = cleanAgentic;
    expect(accepted).toBe(true);
    expect(kept.verdict.pass).toBe(true);
    expect(kept.trace).toMatchObject({ user: 'none', finish: 'answered' });
    expect(kept.trace.answer).toBe(bench.task.reference.answer);
    expect(kept.trace.messages.filter(({ role }) => role === 'user')).toEqual([
      { role: 'user', content: bench.task.brief },
    ]);
    const silent = kept.trace.messages.filter(({ role, toolCalls }) => role === 'assistant' && !toolCalls);
    expect(silent).toHaveLength(1);
  });

  it('a failed part leaves nothing behind, and its negative holds no pointer either', async () => {
    const [first = '', , third = ''] = bench.nodes;
    const policyFor = flaky(bench.task, ({ node, attempt }) =>
      (node === first || node === third) && attempt === 1 ? 'gives_up' : undefined,
    );
    const { result } = await sampled(agentic(bench, { policyFor }));
    expect(result.accepted).toBe(true);
    expect(happened(result.kept.trace)).toBe(happened(cleanAgentic.kept.trace));
    expect(result.dropped).toHaveLength(2);
    for (const { trace } of result.dropped) {
      const { from } = trace.origin as { from: number };
      expect(trace.messages.slice(0, from)).toEqual(result.kept.trace.messages.slice(0, from));
      expect(trace.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
      expect(trace.messages).toHaveLength(from + 1);
    }
  });
});

describe('tokens', () => {
  /** Ids that follow from what was said, as a server's tokenizer would have them. */
  const ids = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0) % 97);
  const speaking =
    (fails: (node: string, attempt: number) => boolean): SamplingPlan['policyFor'] =>
    ({ node = '', attempt }) => {
      const policy = flaky(bench.task, () => (fails(node, attempt) ? 'gives_up' : undefined))({
        node,
        attempt,
        seed: 's',
      });
      return {
        ...policy,
        next: async (view) => {
          const action = await policy.next(view);
          const said = ({ content, toolCalls }: { content: string; toolCalls?: { name: string }[] }): string =>
            `${content}${(toolCalls ?? []).map(({ name }) => name).join()}|`;
          const prompt = ids(view.messages.map(said).join(''));
          const output = ids(`${action.text}${action.calls.map(({ name }) => name).join()}`);
          return { ...action, tokens: { prompt, output, logprobs: output.map(() => -0.5) } };
        },
      };
    };

  it('of a failed attempt are taken back: the kept sequence is that of a rollout that never failed', async () => {
    const never = await sampled(planOf(bench, { policyFor: speaking(() => false) }));
    const often = await sampled(planOf(bench, { policyFor: speaking((node, n) => node !== bench.nodes[0] && n <= 2) }));
    expect(never.result.kept.trace.tokens?.inputIds.length).toBeGreaterThan(100);
    expect(often.result.kept.trace.tokens).toEqual(never.result.kept.trace.tokens);
    expect(often.result.dropped.length).toBeGreaterThan(4);
    for (const { trace } of often.result.dropped) expect(trace.tokens).toBeDefined();
  });
});
