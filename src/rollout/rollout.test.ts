import { describe, expect, it } from 'vitest';
import { type ToyHost, toyHost, toyTask } from '../../test/rollout/toy.js';
import { Trace } from '../artifacts/trace.js';
import { TreadleError } from '../errors.js';
import { canonicalJson, type Json } from '../kit/hash.js';
import { nothingPolicy } from './agents/nothing.js';
import { referencePolicy } from './agents/reference.js';
import type { Action, Policy } from './policy.js';
import { proposed } from './policy.js';
import { type Rollout, rolloutTask } from './rollout.js';

const acting = (...actions: (Action | Error)[]): Policy => ({
  producer: { policy: 'model', name: 'fake' },
  next: ({ turn }) => {
    const action = actions[Math.min(turn, actions.length - 1)] as Action | Error;
    if (action instanceof Error) throw action;
    return action;
  },
});
const calling = (...calls: [string, Record<string, Json>][]): Action => ({
  text: '',
  calls: calls.map(([name, args], n) => proposed(`c${n}`, name, args)),
});
const saying = (text: string): Action => ({ text, calls: [] });
const roll = async (policy: Policy, more: Partial<Rollout> = {}): Promise<{ trace: Trace; host: ToyHost }> => {
  const host = toyHost();
  const trace = await rolloutTask({ host, task: toyTask(), policy, ...more });
  expect(Trace.safeParse(trace).error).toBeUndefined();
  return { trace, host };
};

describe('the reference', () => {
  it('replays the solution with the ids of this session, then answers', async () => {
    const { trace, host } = await roll(referencePolicy(toyTask()));
    expect(trace).toMatchObject({
      finish: 'answered',
      answer: '2000',
      producer: { policy: 'reference' },
      usage: { turns: 4, calls: 3 },
    });
    expect(host.rows[1]).toMatchObject({ customer: 'Brandt', status: 'void' });
    expect(trace.ledger.map(({ tool, args }) => [tool, args])).toEqual([
      ['list_invoices', {}],
      ['get_invoice', { id: 'inv_2x' }],
      ['void_invoice', { id: 'inv_2x', reason: 'asked' }],
    ]);
    expect(trace.messages.map(({ role }) => role).join(' ')).toBe(
      'system user assistant tool assistant tool assistant tool assistant',
    );
  });

  it('goes on from the middle of a history, and submits where the tool is offered', async () => {
    const { trace } = await roll(referencePolicy(toyTask()), { prompt: { submitTool: true } });
    expect(trace).toMatchObject({ finish: 'answered', answer: '2000' });
    expect(trace.messages.at(-1)).toMatchObject({ role: 'tool', name: 'submit_answer' });
    expect(trace.ledger).toHaveLength(3);
    const policy = referencePolicy(toyTask());
    const messages = trace.messages.slice(0, 4);
    const view = { messages, tools: toyHost().tools(), task: toyTask(), turn: 1, signal: new AbortController().signal };
    expect(await policy.next(view)).toMatchObject({
      calls: [{ name: 'get_invoice', args: { args: { id: 'inv_2x' } } }],
    });
  });

  it('makes the same bytes twice, and another id for another sample', async () => {
    const first = await roll(referencePolicy(toyTask()), { sample: { seed: 's', index: 1 } });
    const second = await roll(referencePolicy(toyTask()), { sample: { seed: 's', index: 1 } });
    const third = await roll(referencePolicy(toyTask()), { sample: { seed: 's', index: 2 } });
    expect(canonicalJson(first.trace)).toBe(canonicalJson(second.trace));
    expect(third.trace.id).not.toBe(first.trace.id);
  });
});

describe('what an agent is told', () => {
  it('names the user, the day, the policies and the request, and never the reference or the answer', async () => {
    const { trace } = await roll(nothingPolicy(), {
      prompt: { company: 'Toy Ltd', policies: ['Voids need a reason.'] },
    });
    const [system, user] = trace.messages;
    expect(system?.content).toMatch(
      /Ada Berg \(Accountant, ada@toy.example\) at Toy Ltd\. Today is Tuesday, 5 March 2024\./,
    );
    expect(system?.content).toContain('- Voids need a reason.');
    expect(user?.content).toBe(toyTask().brief);
    expect(JSON.stringify([system, user])).not.toMatch(/2000|recorded-id/);
    const vague = await roll(nothingPolicy(), { prompt: { detail: 'vague', system: 'Own words.' } });
    expect(vague.trace).toMatchObject({
      detail: 'vague',
      messages: [{ content: 'Own words.' }, { content: toyTask().brief }, {}],
    });
  });

  it('a policy sees neither the answer nor the reference', async () => {
    let seen: unknown;
    await roll({
      producer: { policy: 'model', name: 'spy' },
      next: (view) => {
        seen = view.task;
        return saying('');
      },
    });
    expect(Object.keys(seen as object).sort()).toEqual(['actor', 'clock', 'id', 'services']);
  });
});

describe('what goes wrong is an observation or a finish', () => {
  it('doing nothing is an empty answer', async () => {
    expect((await roll(nothingPolicy())).trace).toMatchObject({
      finish: 'answered',
      answer: '',
      ledger: [],
      producer: { policy: 'none' },
    });
  });

  it('tool errors, unknown tools and malformed arguments come back as results', async () => {
    const bad: Action = {
      text: 'hm',
      calls: [
        { id: 'c0', name: 'get_invoice', args: { ok: false, raw: '{"id": ', why: 'the arguments are not JSON' } },
        proposed('c1', 'no_such_tool', {}),
        proposed('c2', 'get_invoice', { id: 'inv_9x' }),
      ],
    };
    const { trace, host } = await roll(acting(bad, saying('done')));
    expect(trace.finish).toBe('answered');
    expect(trace.ledger.map(({ index, ok, error }) => [index, ok, error?.code])).toEqual([
      [0, false, 'malformed_arguments'],
      [1, false, 'not_found'],
      [2, false, 'not_found'],
    ]);
    expect(trace.ledger[0]).toMatchObject({ args: '{"id": ', service: 'billing', error: { fault: 'agent' } });
    expect(trace.messages[2]).toMatchObject({
      content: 'hm',
      toolCalls: [{ malformed: '{"id": ', arguments: {} }, {}, {}],
    });
    expect(trace.messages[3]?.content).toContain('malformed_arguments');
    expect(host.ledger).toHaveLength(2);
  });

  it('parallel calls run in order, with ids made unique over the turns', async () => {
    const turn = calling(['void_invoice', { id: 'inv_1x' }], ['get_invoice', { id: 'inv_1x' }]);
    const { trace } = await roll(acting(turn, turn, saying('ok')));
    const ids = trace.messages.flatMap(({ toolCalls }) => toolCalls?.map(({ id }) => id) ?? []);
    expect(new Set(ids).size).toBe(4);
    expect(trace.messages.filter(({ role }) => role === 'tool').map(({ toolCallId }) => toolCallId)).toEqual(ids);
    expect(trace.messages[4]?.content).toContain('"status":"void"');
  });

  it('a turn limit, a cut message, a long result', async () => {
    const limits = { turns: 2, maxObservationChars: 40 };
    const { trace } = await roll(acting(calling(['list_invoices', {}])), { limits });
    expect(trace).toMatchObject({ finish: 'turn_limit', answer: '', usage: { turns: 2, calls: 2 } });
    expect(trace.messages[3]?.content).toMatch(/^.{40}\n\[cut: 40 of \d+ characters shown\]$/);
    expect(trace.ledger[0]?.result).toHaveProperty('data');
    expect((await roll(acting({ ...saying('half a'), isCut: true }))).trace).toMatchObject({
      finish: 'length',
      answer: '',
      problem: { code: 'turn_cut' },
    });
  });

  it.each<[string, Error, string, string]>([
    [
      'an endpoint',
      new TreadleError({ code: 'endpoint_down', message: 'down', fault: 'infrastructure' }),
      'error',
      'infrastructure',
    ],
    [
      'a context',
      new TreadleError({ code: 'context_exceeded', message: 'long', fault: 'infrastructure' }),
      'length',
      'infrastructure',
    ],
    ['a bug', new RangeError('oops'), 'error', 'infrastructure'],
  ])('%s that fails ends the rollout, whose calls are kept', async (_, error, finish, fault) => {
    const { trace } = await roll(acting(calling(['list_invoices', {}]), error));
    expect(trace).toMatchObject({ finish, problem: { fault }, answer: '' });
    expect(trace.ledger).toHaveLength(1);
  });

  it('a host that throws is not the policy’s failure', async () => {
    const host = {
      ...toyHost(),
      call: () => {
        throw new Error('database is gone');
      },
    };
    const trace = await rolloutTask({ host, task: toyTask(), policy: referencePolicy(toyTask()) });
    expect(trace).toMatchObject({
      finish: 'error',
      problem: { fault: 'infrastructure', message: expect.stringContaining('database is gone') },
    });
  });

  it('a policy that never answers is cut at the deadline, or when called off', async () => {
    const silent: Policy = {
      producer: { policy: 'model', name: 'silent' },
      next: () => new Promise<Action>(() => undefined),
    };
    expect((await roll(silent, { limits: { turns: 3, maxObservationChars: 10, deadlineMs: 20 } })).trace).toMatchObject(
      { finish: 'cut', problem: { code: 'deadline' } },
    );
    const stop = new AbortController();
    const work = roll(silent, { signal: stop.signal });
    stop.abort();
    expect((await work).trace).toMatchObject({ finish: 'cut', problem: { code: 'cut' } });
    expect((await roll(silent, { signal: AbortSignal.abort() })).trace).toMatchObject({ finish: 'cut' });
  });

  it('a tool call left in the text is an answer, with a hint at the server', async () => {
    const { trace } = await roll(acting(saying('<tool_call>{"name":"list_invoices","arguments":{}}</tool_call>')));
    expect(trace).toMatchObject({ finish: 'answered', problem: { code: 'unparsed_tool_call', fault: 'policy' } });
  });

  it('limits that allow nothing are refused', async () => {
    await expect(
      rolloutTask({
        host: toyHost(),
        task: toyTask(),
        policy: nothingPolicy(),
        limits: { turns: 0, maxObservationChars: 9 },
      }),
    ).rejects.toMatchObject({ code: 'bad_limits' });
  });
});

describe('submit_answer', () => {
  it('ends the rollout; calls after it in the same turn are not run, and a broken one may be tried again', async () => {
    const broken: Action = { text: '', calls: [proposed('a', 'submit_answer', { answer: ['x'] })] };
    const good: Action = {
      text: '',
      calls: [proposed('b', 'submit_answer', { answer: 2000 }), proposed('c', 'void_invoice', { id: 'inv_1x' })],
    };
    const { trace, host } = await roll(acting(broken, good), { prompt: { submitTool: true } });
    expect(trace).toMatchObject({ finish: 'answered', answer: '2000' });
    expect(host.rows[0]?.status).toBe('open');
    expect(trace.messages.at(-1)?.content).toContain('not_run');
  });

  it('is an unknown tool where it is not offered', async () => {
    const { trace } = await roll(acting(calling(['submit_answer', { answer: '1' }]), saying('2')));
    expect(trace).toMatchObject({ answer: '2', ledger: [{ ok: false }] });
  });
});

describe('tokens', () => {
  const spoken = (prompt: number[], output: number[], more: Partial<Action> = {}): Action => ({
    ...saying('x'),
    ...more,
    tokens: { prompt, output, logprobs: output.map(() => -1) },
  });

  it('are one sequence as long as every prompt begins with what came before', async () => {
    const { trace } = await roll(
      acting(spoken([1, 2], [3], calling(['list_invoices', {}])), {
        ...spoken([1, 2, 3, 7, 8], [9]),
        usage: { promptTokens: 5, completionTokens: 1 },
      }),
    );
    expect(trace.tokens).toEqual({
      inputIds: [1, 2, 3, 7, 8, 9],
      mask: [0, 0, 1, 0, 0, 1],
      logprobs: [0, 0, -1, 0, 0, -1],
    });
    expect(trace.usage).toMatchObject({ promptTokens: 5, completionTokens: 1 });
  });

  it('are left out when the history was rewritten or a turn came without', async () => {
    const { trace } = await roll(
      acting(spoken([1, 2], [3], calling(['list_invoices', {}])), spoken([1, 2, 4, 7], [9])),
    );
    expect(trace.tokens).toBeUndefined();
    expect(
      (await roll(acting(spoken([1], [2], calling(['list_invoices', {}])), saying('x')))).trace.tokens,
    ).toBeUndefined();
  });
});
