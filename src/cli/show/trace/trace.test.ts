/** A rollout on the terminal: what was said, called and changed, whatever hostile text is in it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../../test/rollout/toy.js';
import type { Message, Trace } from '../../../artifacts/trace.js';
import { Corpus } from '../../../corpus/corpus.js';
import { referencePolicy } from '../../../rollout/agents/reference.js';
import { rolloutTask } from '../../../rollout/rollout.js';
import { keepTraces } from '../../pipeline/rollouts.js';
import type { Ui } from '../../ui.js';
import { clean, cleanShort } from './clean.js';
import { showTraceFile } from './command.js';
import { findTrace, tracesIn, tracesOf } from './find.js';
import { broken, folded } from './page.js';
import { pairCalls } from './pair.js';
import { sayTrace, traceData } from './show.js';
import type { ShownTrace } from './shown.js';

const HOSTILE = '\u001b[2J\u001b]0;owned\u0007 <b>bold</b> \u202egpj.exe \u009b31m \u0000\ud800 end';

let page = '';
const ui: Ui = {
  json: false,
  progress: () => {},
  step: () => {},
  say: (line) => {
    page += `${line}\n`;
  },
  give: () => {},
  style: (_, text) => text,
};
let dir: string;
beforeEach(() => {
  page = '';
  dir = mkdtempSync(join(tmpdir(), 'treadle-show-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const traceOf = async (index = 0, change: Partial<Trace> = {}): Promise<Trace> => {
  const task = toyTask();
  const policy = referencePolicy(task);
  return { ...(await rolloutTask({ host: toyHost(), task, policy, sample: { seed: '1', index } })), ...change };
};
const shownOf = async (change: Partial<Trace> = {}, more: Partial<ShownTrace> = {}): Promise<ShownTrace> => {
  const trace = await traceOf(0, change);
  return { trace, verdict: toyVerdict(trace, false), services: [], task: toyTask(), full: false, ...more };
};

describe('the page', () => {
  it('has the conversation, each call with its result, the answer and the verdict with its evidence', async () => {
    sayTrace(ui, await shownOf());
    expect(page).toMatch(/^trace [0-9a-f]{64} {2}failed\n {2}task +toy-void-by-customer-0\n {2}acted +reference/);
    expect(page).toContain('told      all at once, full');
    expect(page).toContain('user\n  Please void the invoice of Brandt');
    expect(page).toMatch(/call 1 {2}billing: list_invoices \{\}\n +→ \{"data":\[\{"id":"inv_1x"/);
    expect(page).toContain('call 3  billing: void_invoice {"id":"inv_2x","reason":"asked"}');
    expect(page).toContain('answer: 2000');
    expect(page).toMatch(/verdict: failed\n +FAILED c1: seen\n +asked: the answer is right/);
  });

  it('shows row changes: from the ledger without values, and with values where the calls were run again', async () => {
    const { ledger } = await traceOf();
    const touched = [
      { service: 'billing', table: 'invoice', key: 'inv_2x', change: 'update' as const, cols: ['status'] },
    ];
    const marked = ledger.map((entry, i) => (i >= 1 ? { ...entry, touched } : entry));
    sayTrace(ui, await shownOf({ ledger: marked }));
    expect(page).toContain('~ billing.invoice inv_2x: status\n');
    page = '';
    const change = { ...touched[0], before: { status: 'open' }, after: { status: 'void' } } as never;
    sayTrace(ui, await shownOf({ ledger: marked }, { retraced: { changes: [[], [change], []], differsAt: 2 } }));
    expect(page).toContain('~ billing.invoice inv_2x: status "open" → "void"\n');
    expect(page).toContain('~ billing.invoice inv_2x: status\n');
    expect(page).toContain('run again, call 3 gave another result');
  });

  it('has stages with their verdicts, what the user told, reasoning, origin, flags and usage', async () => {
    const { messages } = await traceOf();
    const dialogue: NonNullable<Trace['dialogue']> = {
      persona: 'brisk',
      turns: [{ message: 1, stage: 'n1', act: 'tells', facts: ['customer'], by: 'rules' }],
      stages: [{ node: 'n1', asked: 1, ended: messages.length - 1, calls: 3 }],
    };
    const thinking = messages.map((message, i) => (i === 2 ? { ...message, reasoning: 'First look.' } : message));
    const usage = { turns: 4, calls: 3, promptTokens: 1234, completionTokens: 56, cost: 0.01 };
    const shown = await shownOf(
      {
        dialogue,
        messages: thinking,
        user: 'simulated',
        detail: 'vague',
        finish: 'turn_limit',
        usage,
        origin: { kind: 'negative', rollout: 'r', node: 'n1', attempt: 2, from: 3 },
      },
      {},
    );
    sayTrace(ui, { ...shown, stages: [toyVerdict(shown.trace, false)] });
    expect(page).toContain('══ stage 1 of 1: n1 (action)');
    expect(page).toMatch(/══ n1 ended: FAILED\n +FAILED c1: seen/);
    expect(page).toContain('user  (tells customer)');
    expect(page).toContain('    First look.');
    expect(page).toContain('── from here on: attempt 2 at n1, which was dropped');
    expect(page).toContain('a dropped attempt, number 2 at n1, of rollout r');
    expect(page).toContain(
      'turn limit, 4 turns, 3 calls, 1,234 prompt tokens, 56 completion tokens, 0.0100 US dollars',
    );
    expect(page).toMatch(/behaviour\n {2}truncation, turn 4/);
  });

  it('lets nothing steer the terminal, wherever it stands', async () => {
    const { messages, ledger } = await traceOf();
    const evil = messages.map(
      (message): Message => ({
        ...message,
        content: HOSTILE,
        reasoning: HOSTILE,
        ...(message.toolCalls ? { toolCalls: message.toolCalls.map((call) => ({ ...call, malformed: HOSTILE })) } : {}),
      }),
    );
    const entries = ledger.map((entry) => ({
      ...entry,
      tool: HOSTILE,
      result: HOSTILE,
      error: { code: HOSTILE, fault: 'agent' as const },
      touched: [{ service: 'a', table: 'b', key: HOSTILE, change: 'insert' as const, cols: [] }],
    }));
    const shown = await shownOf({
      id: HOSTILE,
      taskId: HOSTILE,
      messages: evil,
      ledger: entries,
      answer: HOSTILE,
      producer: { policy: 'harness', name: HOSTILE, model: HOSTILE },
      problem: { code: HOSTILE, message: HOSTILE, fault: HOSTILE },
      finish: 'error',
      origin: { kind: 'branch', group: HOSTILE, index: 0, from: 1 },
    });
    const verdict = toyVerdict(shown.trace, false);
    const [milestone] = verdict.milestones;
    verdict.milestones = [
      { id: 'm1', pass: false, checks: (milestone?.checks ?? []).map((check) => ({ ...check, evidence: HOSTILE })) },
    ];
    for (const full of [false, true]) sayTrace(ui, { ...shown, verdict, full, notRetraced: HOSTILE });
    expect(page).toContain('␛[2J');
    expect(page).toContain('<b>bold</b>');
    expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
  });

  it('folds long results and says how to see them; --full folds nothing', async () => {
    const { messages } = await traceOf();
    const long = messages.map((message) =>
      message.role === 'tool' ? { ...message, content: 'word '.repeat(2000) } : message,
    );
    sayTrace(ui, await shownOf({ messages: long }));
    expect(page).toMatch(/… \d+ more lines \(--full\)/);
    const short = page.length;
    page = '';
    sayTrace(ui, await shownOf({ messages: long }, { full: true }));
    expect(page).not.toContain('more lines');
    expect(page.length).toBeGreaterThan(short + 20_000);
  });

  it('shows a rollout in which nothing happened', async () => {
    sayTrace(ui, await shownOf({ messages: [], ledger: [], answer: '' }));
    expect(page).toContain('answer: (none)');
    page = '';
    const trace = await traceOf(0, { messages: [{ role: 'assistant', content: '' }], ledger: [] });
    sayTrace(ui, { trace, services: [], full: false });
    expect(page).toContain('(says nothing)');
    expect(page).toContain('not judged');
    expect(page).toContain('(not in the corpus as it was then)');
  });

  it('has the events of a scenario in their place, how they were told, and what they made of the verdict', async () => {
    const { messages, ledger } = await traceOf();
    const said = {
      ...ledger[0],
      tool: 'garbled',
      args: '{',
      error: { code: 'malformed_arguments', fault: 'agent' as const },
    };
    const touched = [
      { service: 'billing', table: 'invoice', key: HOSTILE, change: 'update' as const, cols: ['status'] },
    ];
    const fate = { kind: 'fate' as const, source: 'state' as const, fate: 'fired' as const, at: 0, touched };
    const notice = { kind: 'notice' as const, at: 0, calls: 1 };
    const at = messages.length + 1;
    const shown = await shownOf({
      messages: [
        ...messages.slice(0, 2),
        { role: 'assistant', content: '', toolCalls: [{ id: 'c0', name: 'garbled', arguments: {}, malformed: '{' }] },
        ...messages.slice(2),
        { role: 'user', content: `[Notification] ${HOSTILE}` },
      ],
      // The first entry reached no session: events count from the second on.
      ledger: [said as (typeof ledger)[number], ...ledger],
      scenario: { id: 'toy-e1', hash: 'c'.repeat(64), sources: ['state', 'requirement'] },
      events: [
        { ...fate, event: 'moved', calls: 1 },
        { ...fate, event: HOSTILE, fate: 'skipped', reason: HOSTILE, calls: 2, touched: [] },
        { ...notice, event: 'moved', to: 'environment', text: HOSTILE, message: at },
        { ...notice, event: 'late', to: 'user', text: HOSTILE, calls: 4 },
      ],
    });
    const { verdict } = shown;
    if (!verdict) throw new Error('no verdict');
    const judged = {
      ...verdict,
      fault: 'scenario' as const,
      revised: { events: ['moved'], retired: ['c1'], replaced: [], added: ['c9'] },
      solvable: { atFiring: false, withoutEvent: true, evidence: HOSTILE },
    };
    sayTrace(ui, { ...shown, verdict: judged });
    expect(page).toContain('scenario  toy-e1: state, requirement (not in the corpus as it was then)');
    const places = [
      'call 2  ',
      '── event moved (state) fired, 1970-01-01T00:00:00Z',
      '~ billing.invoice',
      'call 3  ',
      'was skipped, ',
    ];
    const found = places.map((text) => page.indexOf(text));
    expect(found.every((place, n) => place >= 0 && place > (found[n - 1] ?? -1))).toBe(true);
    expect(page).toContain('outside  (tells of moved)');
    expect(page).toContain('── told of late for the user, in no message');
    expect(page).toContain('judged after moved: retired c1; added c9');
    expect(page).toMatch(
      /it could no longer be done, and without the event it could: .*\n? *.*The\s+fault is the scenario’s/,
    );
    expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
  });

  it('is data too', async () => {
    const data = JSON.parse(JSON.stringify(traceData(await shownOf({}, { retraced: { changes: [[], [], []] } }))));
    expect(data).toMatchObject({ outcome: 'failed', changes: [], behaviour: {}, trace: { finish: 'answered' } });
  });
});

describe('calls and entries', () => {
  it('are paired in order; what no message speaks of is told apart', async () => {
    const { messages, ledger } = await traceOf();
    expect(pairCalls({ messages, ledger }).unspoken).toEqual([]);
    const renamed = messages.map((message) => ({
      ...message,
      ...(message.toolCalls
        ? { toolCalls: message.toolCalls.map((call) => ({ ...call, name: `mcp__treadle__${call.name}` })) }
        : {}),
    }));
    expect([...pairCalls({ messages: renamed, ledger }).entryOf.values()]).toEqual([0, 1, 2]);
    expect(pairCalls({ messages: [], ledger }).unspoken).toEqual([0, 1, 2]);
    sayTrace(ui, await shownOf({ messages: [] }));
    expect(page).toContain('calls that no message speaks of');
  });
});

describe('finding', () => {
  it('takes as much of an id as no other has, and says which ones begin so', async () => {
    const corpus = Corpus.open(dir, true);
    const all = await Promise.all(['abcd1111', 'abcd2222', 'ffff0000'].map((id, n) => traceOf(n, { id })));
    keepTraces(
      corpus,
      'w',
      all.map((trace) => ({ trace, verdict: toyVerdict(trace) })),
    );
    const find = (id: string) => findTrace(id, tracesOf(corpus, ['w', 'none']));
    expect((await find('abcd2'))?.found.trace.id).toBe('abcd2222');
    expect((await find('ffff'))?.world).toBe('w');
    await expect(find('abcd')).rejects.toMatchObject({
      code: 'ambiguous_id',
      next: expect.stringContaining('abcd1111, abcd2222'),
    });
    expect(await find('ff')).toBeUndefined();
    expect(await find('0000')).toBeUndefined();
  });

  it('reads files of lines with verdicts or bare, a rollout over many lines, and refuses other files', async () => {
    const file = join(dir, 'runs.jsonl');
    const [a, b] = [await traceOf(0, { id: 'aaaa1' }), await traceOf(1, { id: 'bbbb1' })];
    writeFileSync(file, `${JSON.stringify(a)}\n\n${JSON.stringify({ trace: b, verdict: toyVerdict(b) })}\n{"trace": {`);
    await showTraceFile(ui, file, undefined, { full: false });
    expect(page).toMatch(/^aaaa1 +not judged .*\nbbbb1 +passed /);
    page = '';
    await showTraceFile(ui, file, 'bbbb', { full: false });
    expect(page).toMatch(/^trace bbbb1 {2}passed/);
    expect(page).toContain('changes without values: there is no corpus beside the file');
    await expect(showTraceFile(ui, file, 'cccc', { full: false })).rejects.toMatchObject({ code: 'no_such_id' });
    page = '';
    writeFileSync(file, JSON.stringify(a, null, 2));
    await showTraceFile(ui, file, undefined, { full: false });
    expect(page).toMatch(/^trace aaaa1/);
    const reading = async (text: string): Promise<void> => {
      writeFileSync(file, text);
      for await (const _ of tracesIn(file)) page = '';
    };
    await expect(reading('')).rejects.toMatchObject({ code: 'no_traces' });
    await expect(reading('\u001b[2J junk\n')).rejects.toMatchObject({ code: 'no_traces' });
    await expect(reading('{"trace": 1}\n')).rejects.toMatchObject({ code: 'bad_artifact' });
    await expect(reading('[]\n')).rejects.toMatchObject({ code: 'bad_artifact' });
    await expect(showTraceFile(ui, join(dir, 'none'), undefined, { full: false })).rejects.toMatchObject({
      fault: 'input',
    });
  });
});

describe('text', () => {
  it('keeps line breaks, and shows what would steer', () => {
    expect(clean('a\r\nb\tc\rd\u007f\u200b\ufeff')).toBe('a\nb\tc␍d␡\ufffd\ufffd');
    expect(cleanShort('x'.repeat(200), 10)).toBe(`${'x'.repeat(9)}…`);
  });
  it('is broken at spaces and commas, and inside words that are longer than a line', () => {
    for (const text of ['word '.repeat(90), '{"a":1},'.repeat(90), 'x'.repeat(1000), '\u{1f600}'.repeat(300)]) {
      const lines = broken(text.trim(), 4);
      expect(lines.every((line) => line.length <= 110 && line.startsWith('    '))).toBe(true);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      expect(lines.join('\n')).not.toMatch(/\p{Cs}/u);
    }
    expect(folded('a\nb\nc', 0, 2)).toEqual(['a', 'b', 'c']);
    expect(folded('a\nb\nc\nd', 0, 2)).toEqual(['a', 'b', '… 2 more lines (--full)']);
  });
});
