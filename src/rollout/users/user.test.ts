/** A simulated user in a rollout: stages one after the other, their boundaries in the trace, and a model's words checked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { roll, speaking, twoStages } from '../../../test/rollout/two-stages.js';
import type { Fact } from '../../artifacts/disclosure.js';
import { TreadleError } from '../../errors.js';
import { canonicalJson } from '../../kit/hash.js';
import { cassette } from '../../models/cassette.js';
import type { ModelClient } from '../../models/types.js';
import { askingPolicy } from '../agents/asking.js';
import { referencePolicy } from '../agents/reference.js';
import { scriptedPolicy } from '../agents/scripted.js';
import type { Action, Policy } from '../policy.js';
import { traceId } from '../rollout.js';
import { simulatedUser, type Utterance } from './user.js';

const saying = (...texts: string[]): Policy => ({
  producer: { policy: 'model', name: 'fake' },
  next: ({ turn }): Action => ({ text: texts[Math.min(turn, texts.length - 1)] as string, calls: [] }),
});

describe('stage by stage', () => {
  it('the reference does each stage’s calls in its turn and says what the stage’s milestone says', async () => {
    const { trace, host, seen } = await roll(referencePolicy(twoStages()));
    expect(trace).toMatchObject({ user: 'simulated', detail: 'full', finish: 'answered', answer: 'It is void now.' });
    expect(trace.ledger.map(({ tool }) => tool)).toEqual(['list_invoices', 'get_invoice', 'void_invoice']);
    expect(host.rows[1]?.status).toBe('void');
    expect(trace.dialogue?.stages).toEqual([
      { node: 'a1', asked: 1, ended: 6, calls: 2 },
      { node: 'a2', asked: 7, ended: 10, calls: 3 },
    ]);
    // What is judged at a stage's end is the state of that moment.
    expect(seen).toEqual([
      { node: 'a1', reply: '2000', calls: 2, status: 'open' },
      { node: 'a2', reply: 'It is void now.', calls: 3, status: 'void' },
    ]);
    expect(trace.dialogue?.turns.map(({ act, message }) => [act, message])).toEqual([
      ['requests', 1],
      ['requests', 7],
      ['ends', 10],
    ]);
    const asked = trace.messages[1]?.content ?? '';
    expect(asked).toBe('What is the total of the invoice of Brandt?');
    expect(trace.messages[7]?.content).toContain('Please void it, with “asked by Miller” as the reason.');
  });

  it.each(['vague', 'partial', 'full'] as const)(
    'in %s the reference, the asking and the scripted one come to an end',
    async (detail) => {
      for (const policy of [
        referencePolicy(twoStages()),
        askingPolicy(twoStages(), detail),
        scriptedPolicy(twoStages(), 's', {}),
      ]) {
        const { trace, host } = await roll(policy, {}, detail);
        expect(trace.finish, policy.producer.name).toBe('answered');
        expect(trace.ledger).toHaveLength(3);
        expect(host.rows[1]?.status).toBe('void');
        expect(trace.dialogue?.stages.map(({ calls }) => calls)).toEqual([2, 3]);
      }
    },
  );

  it('the asking one is told what the request left out, and nothing before it asks', async () => {
    const { trace } = await roll(askingPolicy(twoStages(), 'vague'), {}, 'vague');
    expect(trace.dialogue?.turns.map(({ act, facts }) => [act, ...facts])).toEqual([
      ['requests'],
      ['tells', 'customer'],
      ['requests'],
      ['tells', 'reason'],
      ['ends'],
    ]);
    const text = trace.messages.map(({ content }) => content);
    expect(text.slice(0, 3).join(' ')).not.toContain('Brandt');
    expect(text[3]).toContain('Brandt');
  });

  it('a scripted mistake of the second stage leaves the first as it should be', async () => {
    const policy = scriptedPolicy(twoStages(), 'x', { giving_up: 1 });
    const { trace, seen } = await roll(policy);
    expect(policy.producer.name).toMatch(/^giving_up@/);
    expect(trace.finish).toBe('answered');
    expect(trace.answer).toMatch(/leaving it/);
    expect(seen).toHaveLength(2);
  });

  it('somebody who is asked without end leaves; the stage has not ended', async () => {
    const { trace, seen } = await roll(saying('Which customer?'), { limits: { turns: 60, maxObservationChars: 100 } });
    expect(trace).toMatchObject({ finish: 'user_left', answer: '' });
    expect(trace.dialogue?.turns.at(-1)?.act).toBe('leaves');
    expect(trace.dialogue?.stages).toEqual([{ node: 'a1', asked: 1, calls: 0 }]);
    expect(seen).toEqual([]);
    expect(trace.usage.turns).toBeLessThan(20);
  });

  it('an answer that is submitted ends its stage, and the next is asked for', async () => {
    const { trace } = await roll(referencePolicy(twoStages()), { prompt: { submitTool: true } });
    expect(trace).toMatchObject({ finish: 'answered', answer: 'It is void now.' });
    expect(trace.dialogue?.stages.map(({ ended }) => ended !== undefined)).toEqual([true, true]);
    expect(trace.messages.filter(({ name }) => name === 'submit_answer')).toHaveLength(2);
  });

  it('is the same bytes twice, and another trace for another view', async () => {
    const [one, two] = [await roll(referencePolicy(twoStages())), await roll(referencePolicy(twoStages()))];
    expect(canonicalJson(one.trace)).toBe(canonicalJson(two.trace));
    const producer = one.trace.producer;
    const ids = [
      traceId('t', producer, '0', 0),
      traceId('t', producer, '0', 0, { user: 'simulated', detail: 'full' }),
      traceId('t', producer, '0', 0, { user: 'none', detail: 'vague' }),
      traceId('t', producer, '0', 0, { user: 'simulated', detail: 'vague' }),
      traceId('t', producer, '0', 0, { user: 'simulated', detail: 'vague', speaker: 'm' }),
    ];
    expect(new Set(ids).size).toBe(5);
    expect(traceId('t', producer, '0', 0, { user: 'none', detail: 'full' })).toBe(ids[0]);
  });
});

describe('a model that words what the user says', () => {
  const first = async (text: string, detail: Fact['given'] = 'full') => {
    const user = simulatedUser(twoStages(), detail, speaking(text));
    return (await user.begin([])) as Utterance;
  };
  it('is heard where it says the same', async () => {
    const { text, turn } = await first('Would you tell me what the total of the invoice of Brandt is?');
    expect(text).toBe('Would you tell me what the total of the invoice of Brandt is?');
    expect(turn).toEqual({ stage: 'a1', act: 'requests', facts: ['customer'], by: 'model' });
  });
  it.each<[string, string, RegExp, Fact['given']]>([
    ['loses a fact', 'What is the total of that invoice?', /lost “Brandt”/, 'full'],
    ['tells what was not asked for', 'What is the total of an invoice of Brandt?', /says “Brandt”/, 'vague'],
    [
      'tells of a later stage',
      'What is the total of an invoice? It was asked by Miller.',
      /says “asked by Miller”/,
      'vague',
    ],
    ['gives the answer away', 'Is the total of the invoice of Brandt 2000?', /says “2000”/, 'full'],
    ['names the id', 'What is the total of the invoice recorded-id of Brandt?', /says “recorded-id”/, 'full'],
    ['makes a figure up', 'What is the total of the invoice of Brandt from 2019?', /figure of its own, 2019/, 'full'],
    ['asks for something else', 'Please send Brandt a reminder.', /own words/, 'full'],
    ['says nothing', '  ', /empty/, 'full'],
  ])('that %s is not, and the reason is kept', async (_, said, why, detail) => {
    const { text, turn } = await first(said, detail);
    expect(turn.by).toBe('rules');
    expect(turn.refused).toMatch(why);
    expect(text).toBe(twoStages().disclosure.stages[0]?.[detail]);
  });
  it('answers a question with the fact in its own words, and is told no other fact', async () => {
    const client = speaking('What about the total of an invoice?', 'That would be the one of Brandt, I think.');
    const user = simulatedUser(twoStages(), 'vague', client);
    await user.begin([]);
    const { says } = await user.reply('Which customer?', false, [{ role: 'assistant', content: 'Which customer?' }]);
    expect(says).toMatchObject({
      text: 'That would be the one of Brandt, I think.',
      turn: { by: 'model', act: 'tells' },
    });
    expect(canonicalJson(client.requests)).not.toMatch(/Miller|2000|recorded-id/);
  });
  it('is replayed from a cassette, word for word', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'treadle-user-'));
    try {
      const file = join(dir, 'user.jsonl');
      const spoken = [
        'What is the total of the invoice of Brandt, please?',
        'Please void it, with asked by Miller as the reason.',
      ];
      const told = async (client: ModelClient) =>
        (await roll(referencePolicy(twoStages()), { user: simulatedUser(twoStages(), 'full', client) })).trace;
      const recorded = await told(cassette(speaking(...spoken), file, 'record'));
      const replayed = await told(cassette({ model: 'speaker' }, file, 'replay'));
      expect(canonicalJson(replayed)).toBe(canonicalJson(recorded));
      expect(recorded.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))).toEqual(spoken);
      expect(recorded.dialogue).toMatchObject({ model: 'speaker', turns: [{ by: 'model' }, { by: 'model' }, {}] });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
  it('that cannot be reached leaves the word to the rules, and the trace says so', async () => {
    const gone: ModelClient = {
      model: 'gone',
      chat: () => Promise.reject(new TreadleError({ code: 'endpoint_down', message: 'gone', fault: 'infrastructure' })),
    };
    const { trace } = await roll(referencePolicy(twoStages()), { user: simulatedUser(twoStages(), 'full', gone) });
    expect(trace).toMatchObject({ finish: 'answered', dialogue: { model: 'gone' } });
    expect(trace.problem).toBeUndefined();
    expect(trace.dialogue?.turns.filter(({ act }) => act === 'requests')).toEqual([
      expect.objectContaining({ by: 'rules', refused: 'gone could not be asked: endpoint_down: gone' }),
      expect.objectContaining({ by: 'rules', refused: 'gone could not be asked: endpoint_down: gone' }),
    ]);
  });
});
