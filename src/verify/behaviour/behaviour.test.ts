/** Each flag on what it is for, on what it must not take for it, and all of them on random traces. */
import { describe, expect, it } from 'vitest';
import type { LedgerEntry, Message, Trace } from '../../artifacts/trace.js';
import { canonicalJson, deepFreeze, type Json } from '../../kit/hash.js';
import { type Rng, rng } from '../../kit/rng.js';
import { degeneracyOf } from './degenerate.js';
import { BEHAVIOUR_FLAGS, behaviourOf, FLAG_IDS } from './registry.js';

const HASH = 'a'.repeat(64);

interface Made {
  tool: string;
  args?: Record<string, Json>;
  result?: Json;
  error?: string;
  writes?: boolean;
  malformed?: string;
}

/** One call a turn, then a text. */
const traceOf = (calls: readonly Made[], last: Partial<Message> = { content: 'Done.' }, more: Partial<Trace> = {}) => {
  const messages: Message[] = [{ role: 'user', content: 'Please.' }];
  const ledger: LedgerEntry[] = calls.map(({ tool, args = {}, result = {}, error, writes }, index) => ({
    index,
    service: 'billing',
    tool,
    toolVersion: HASH,
    args,
    ok: error === undefined,
    result,
    ...(error === undefined ? {} : { error: { code: error, fault: 'agent' as const } }),
    touched: writes ? [{ service: 'billing', table: 'invoices', key: 1, change: 'update' as const, cols: ['a'] }] : [],
    at: 5 * index,
  }));
  for (const [n, { tool, args = {}, malformed }] of calls.entries())
    messages.push(
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: `c${n}`, name: tool, arguments: args, ...(malformed === undefined ? {} : { malformed }) }],
      },
      { role: 'tool', content: '{}', toolCallId: `c${n}` },
    );
  messages.push({ role: 'assistant', content: '', ...last });
  const trace: Trace = {
    treadle: 'trace/1',
    id: 't',
    task: HASH,
    taskId: 'x',
    world: HASH,
    snapshot: HASH,
    producer: { policy: 'model', name: 'm' },
    user: 'none',
    detail: 'full',
    messages,
    ledger,
    events: [],
    answer: last.content ?? '',
    finish: 'answered',
    usage: { turns: calls.length + 1, calls: calls.length },
    ...more,
  };
  return trace;
};
const flagged = (trace: Trace): string[] => Object.keys(behaviourOf(trace));
const turns = (trace: Trace, flag: string): number[] => (behaviourOf(trace)[flag] ?? []).map(({ turn }) => turn);
const says = (content: string, more: Partial<Trace> = {}): Trace => traceOf([], { content }, more);

describe('no progress', () => {
  const list: Made = { tool: 'list', args: { a: 1, b: 2 }, result: [1] };
  it('is the same question with the same answer, however the arguments are ordered', () => {
    const trace = traceOf([list, { tool: 'get' }, { ...list, args: { b: 2, a: 1 } }, list]);
    expect(turns(trace, 'no_progress_repetition')).toEqual([2, 3]);
  });
  it('is a refusal heard twice, whatever it says', () => {
    const bad = (message: string): Made => ({ tool: 'get', error: 'not_found', result: { message } });
    expect(flagged(traceOf([bad('try 1'), bad('try 2')]))).toEqual(['no_progress_repetition']);
    expect(flagged(traceOf([bad('x'), { tool: 'get', error: 'conflict' }]))).toEqual([]);
  });
  it('is not a call that was made to fail, again', () => {
    const trace = traceOf([{ tool: 'get', error: 'busy' }, { tool: 'get', error: 'busy' }, { tool: 'get' }]);
    expect(flagged(trace)).toEqual(['no_progress_repetition']);
    const injected = { profile: 'P1' as const, rule: 'get=P1' };
    const ledger = trace.ledger.map((entry) => (entry.ok ? entry : { ...entry, injected }));
    expect(flagged({ ...trace, ledger })).toEqual([]);
  });

  it('is not a second look after a change, another page, another answer, or a change done twice', () => {
    expect(flagged(traceOf([list, { tool: 'void', writes: true }, list]))).toEqual([]);
    expect(flagged(traceOf([list, { ...list, args: { page: 2 } }]))).toEqual([]);
    expect(flagged(traceOf([list, { ...list, result: [2] }]))).toEqual([]);
    expect(flagged(traceOf([1, 2].map(() => ({ tool: 'send', writes: true }))))).toEqual([]);
  });
});

describe('malformed calls and reasoning', () => {
  it('are arguments that are no object, calls without a name, and markup left in the text', () => {
    const calls: Made[] = [{ tool: 'get', malformed: '{"id": 1', error: 'malformed_arguments' }, { tool: ' ' }];
    expect(turns(traceOf(calls, { content: '<tool_call>{"name": "get"}' }), 'malformed_call')).toEqual([0, 1, 2]);
  });
  it('are thinking tags that are not in pairs', () => {
    for (const text of ['<think>hm', 'hm</think>Yes', '<think>a<think>b</think>', '[THINK]x[/THINK][/THINK]'])
      expect(flagged(says(text))).toEqual(['malformed_reasoning']);
    expect(flagged(says('<think>hm</think>Yes'))).toEqual([]);
    expect(flagged(traceOf([], { content: 'Yes', reasoning: 'I <think> so' }))).toEqual(['malformed_reasoning']);
  });
  it('are not thoughts that a limit cut: those are truncated', () => {
    expect(flagged(says('<think>hm', { finish: 'length' }))).toEqual(['truncation']);
    expect(flagged(says('hm</think>', { finish: 'length' }))).toEqual(['malformed_reasoning', 'truncation']);
  });
});

describe('interface violations', () => {
  it('are what the tool list already ruled out, and not what one finds out by trying', () => {
    const calls = ['unknown_tool', 'invalid_argument', 'unknown_argument', 'not_found', 'conflict', 'forbidden'];
    const trace = traceOf(calls.map((error, n) => ({ tool: `t${n}`, error })));
    expect(turns(trace, 'interface_violation')).toEqual([0, 1, 2]);
  });
});

describe('past the end', () => {
  it('is a call after the answer was submitted', () => {
    const call = (id: string, name: string) => ({ id, name, arguments: {} });
    const trace = traceOf([], { content: '', toolCalls: [call('a', 'submit_answer'), call('b', 'get')] });
    expect(behaviourOf(trace).past_end?.[0]?.evidence).toBe('calls get after the answer was submitted');
    const before = traceOf([], { content: '', toolCalls: [call('b', 'get'), call('a', 'submit_answer')] });
    expect(flagged(before)).toEqual([]);
  });
  it('is a template token or the other side’s words', () => {
    for (const text of ['Done.<|im_end|>', 'Done.\nUser: thanks!', 'It is 4.\n\nHuman: and then?', 'x</s>'])
      expect(flagged(says(text))).toEqual(['past_end']);
    for (const text of ['User: Ada Berg', 'The user: Ada', 'Done.\nUsers: 4', 'a < b | c > d'])
      expect(flagged(says(text))).toEqual([]);
  });
});

describe('degenerate text', () => {
  it('loops in words or in characters, is unreadable, or is empty', () => {
    expect(degeneracyOf('I will look it up now. '.repeat(12))).toMatch(/I will look it up now.” 5 times/);
    expect(degeneracyOf(`It is ${'ha'.repeat(80)}`)).toMatch(/“ha” 48 times/);
    expect(degeneracyOf(`${'\ufffd'.repeat(5)} these are letters`)).toMatch(/5 of 23/);
    expect(flagged(says(' '))).toEqual(['degenerate_text']);
  });
  it('is not a list, a ruler, a table or a number', () => {
    const table = Array.from({ length: 30 }, (_, n) => `| ${n} | EUR ${n * 7} | open |`).join('\n');
    for (const text of [
      table,
      '-'.repeat(400),
      '| --- |'.repeat(60),
      'no no no no',
      `1${'0'.repeat(60)}`,
      '= '.repeat(200),
    ])
      expect(degeneracyOf(text)).toBeUndefined();
  });
  it('takes long hostile texts', () => {
    expect(degeneracyOf('a'.repeat(200_000))).toBeDefined();
    const random = rng('long');
    const words = Array.from({ length: 50_000 }, () => `w${random.int(0, 999)}`);
    expect(degeneracyOf(words.join(' '))).toBeUndefined();
  });
});

describe('truncation', () => {
  it('is a limit on tokens or turns, and never what the surroundings did', () => {
    for (const finish of ['length', 'turn_limit'] as const)
      expect(flagged(says('x', { finish }))).toEqual(['truncation']);
    for (const finish of ['answered', 'cut', 'error'] as const) expect(flagged(says('x', { finish }))).toEqual([]);
  });
});

const randomTrace = (random: Rng): Trace => {
  const tools = ['list', 'get', 'void'];
  const errors = ['not_found', 'unknown_tool', 'invalid_argument'];
  const calls = Array.from({ length: random.int(0, 12) }, (): Made => {
    const error = random.chance(0.3) ? random.pick(errors) : undefined;
    return {
      tool: random.pick(tools),
      args: random.chance(0.5) ? { id: random.int(1, 2) } : {},
      result: random.int(1, 2),
      writes: error === undefined && random.chance(0.2),
      ...(error === undefined ? {} : { error }),
    };
  });
  const texts = ['Done.', '', '<think>', 'a b c '.repeat(40), 'x</s>', '<tool_call>'];
  return traceOf(calls, { content: random.pick(texts) });
};

describe('on random traces', () => {
  const traces = Array.from({ length: 300 }, (_, n) => randomTrace(rng('traces', String(n))));
  it('says the same of a copy, changes nothing, and speaks of turns that are there', () => {
    for (const trace of traces) {
      const first = behaviourOf(deepFreeze(structuredClone(trace)) as Trace);
      expect(canonicalJson(behaviourOf(trace) as unknown as Json)).toBe(canonicalJson(first as unknown as Json));
      for (const [flag, seen] of Object.entries(first)) {
        expect(FLAG_IDS).toContain(flag);
        for (const { turn, evidence } of seen) {
          expect(turn).toBeLessThan(trace.usage.turns);
          expect(evidence).not.toBe('');
        }
      }
    }
    expect(new Set(traces.flatMap(flagged)).size).toBeGreaterThan(4);
  });
  it('no progress is what brute force says it is', () => {
    const same = (a: LedgerEntry, b: LedgerEntry): boolean =>
      a.tool === b.tool &&
      canonicalJson(a.args as Json) === canonicalJson(b.args as Json) &&
      (a.ok ? b.ok && a.result === b.result : !b.ok && a.error?.code === b.error?.code);
    for (const trace of traces) {
      const wanted = trace.ledger.flatMap((entry, i) =>
        entry.touched.length === 0 &&
        trace.ledger.some((before, j) => {
          const between = trace.ledger.slice(j, i);
          return j < i && between.every(({ touched }) => touched.length === 0) && same(before, entry);
        })
          ? [i]
          : [],
      );
      expect(turns(trace, 'no_progress_repetition')).toEqual(wanted);
    }
  });
  it('one more identical call after the last one is always seen', () => {
    for (const trace of traces) {
      const last = trace.ledger.at(-1);
      if (!last || last.touched.length > 0) continue;
      const more = { ...trace, ledger: [...trace.ledger, { ...last, index: trace.ledger.length }] };
      expect(turns(more, 'no_progress_repetition').length).toBe(turns(trace, 'no_progress_repetition').length + 1);
    }
  });
});

it('has ids of one form, each once', () => {
  expect(new Set(FLAG_IDS).size).toBe(BEHAVIOUR_FLAGS.length);
  for (const id of FLAG_IDS) expect(id).toMatch(/^[a-z]+(_[a-z]+)*$/);
});
