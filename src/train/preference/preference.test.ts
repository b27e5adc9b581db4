/** Preference pairs: one history past an event, and the first reply in which a passed and a failed rollout differ. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOOLS, toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { Trace } from '../../artifacts/trace.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { type ExportItem, lineageOf } from '../sft/row.js';
import { exportPairs, type LeftOut, type PairItem } from './export.js';
import { mergedPair, PAIR_FORMATS, type PairFormat } from './formats.js';
import { type Pair, pairOf } from './pair.js';

const NOTICE = 'I have to correct myself: it is Cole.';
type Change = (messages: Trace['messages']) => void;

/** The user speaks up at message 4, behind the first of three calls; messages 5, 7, 9 are replies. */
const rollout = async (pass: boolean, change: Change = () => {}, calls = 1): Promise<ExportItem> => {
  const task = toyTask();
  const still = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
  const messages = structuredClone(still.messages);
  messages.splice(4, 0, { role: 'user', content: NOTICE });
  change(messages);
  const policy = pass ? 'reference' : 'stale';
  const trace: Trace = {
    ...still,
    id: `${pass}`,
    messages,
    producer: { policy, name: policy },
    scenario: { id: `${task.id}-e1`, hash: 'b'.repeat(64), sources: ['requirement'] },
    events: [
      { kind: 'fate', event: 'new_customer', source: 'requirement', fate: 'fired', at: 1, calls, touched: [] },
      { kind: 'fate', event: 'outage', source: 'fault', fate: 'fired', at: 9, calls: 3, touched: [] },
    ],
  };
  return { trace, verdict: toyVerdict(trace, pass), task, tools: TOOLS };
};
const acts =
  (at: number, id: string): Change =>
  (messages) => {
    const call = messages[at]?.toolCalls?.[0];
    if (call) call.arguments = { ...call.arguments, id };
  };
const pair = async (good: Change, bad: Change, calls = 1): Promise<Pair> => {
  const made = pairOf(await rollout(true, good, calls), await rollout(false, bad, calls));
  return typeof made === 'string' ? expect.unreachable(made) : made;
};

describe('a pair', () => {
  it('is the history past the event, and one reply each', async () => {
    const made = await pair(acts(7, 'inv_3x'), acts(7, 'inv_2x'));
    expect(made.prompt.map(({ role }) => role).join(' ')).toBe('system user assistant tool user assistant tool');
    expect(made.chosen.tool_calls?.[0]?.function.arguments.id).toBe('inv_3x');
    expect(made.rejected.tool_calls?.[0]?.function.arguments.id).toBe('inv_2x');
    // The outage comes only after the third call.
    expect(made).toMatchObject({ fired: ['new_customer'], sources: ['requirement'] });
  });

  it('does not mind how calls are numbered', async () => {
    const renamed: Change = (messages) => {
      for (const message of messages) {
        for (const call of message.toolCalls ?? []) call.id = `x${call.id}`;
        if (message.toolCallId) message.toolCallId = `x${message.toolCallId}`;
      }
      acts(7, 'inv_2x')(messages);
    };
    expect((await pair(acts(7, 'inv_3x'), renamed)).prompt).toHaveLength(7);
  });

  it('is none where they differ before the event, see other things, or say the same', async () => {
    const why = async (good: Change, bad: Change, calls = 1) =>
      pairOf(await rollout(true, good, calls), await rollout(false, bad, calls));
    expect(await why(acts(5, 'inv_3x'), acts(5, 'inv_2x'), 2)).toBe('before_event');
    const lied: Change = (messages) => {
      (messages[6] as { content: string }).content = '{"status":"void"}';
    };
    expect(await why(() => {}, lied)).toBe('other_results');
    expect(
      await why(
        () => {},
        () => {},
      ),
    ).toBe('same');
    const still = await rollout(true);
    expect(pairOf({ ...still, trace: { ...still.trace, events: [] } }, await rollout(false))).toBe('no_event');
  });

  it('as its readers want it', async () => {
    const made = await pair(acts(5, 'inv_3x'), acts(5, 'inv_2x'));
    expect(made.prompt.at(-1)?.role).toBe('user');
    expect(mergedPair(made).prompt.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining(NOTICE) });
    const row = (id: string) => (PAIR_FORMATS[id] as PairFormat).write(made) as Record<string, never>;
    expect(row('trl')).toMatchObject({ chosen: [{ role: 'assistant' }], rejected: [{ role: 'assistant' }] });
    const { conversations, chosen } = row('sharegpt') as unknown as Record<string, { from: string; value: string }[]>;
    expect(conversations?.at(-1)).toMatchObject({ from: 'observation', value: expect.stringContaining(NOTICE) });
    expect(chosen).toMatchObject({ from: 'function_call' });
    expect(row('openai')).toMatchObject({
      input: { messages: { length: 5 } },
      preferred_output: [{ tool_calls: [{ function: { arguments: '{"id":"inv_3x"}' } }] }],
    });
  });
});

describe('the folder', () => {
  let out: string;
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'pairs-'));
  });
  afterEach(() => rmSync(out, { recursive: true, force: true }));

  it('holds every pair once, on the side of its lineage, with a card that counts', async () => {
    const one = await pair(acts(7, 'inv_3x'), acts(7, 'inv_2x'));
    const two = await pair(acts(5, 'inv_3x'), acts(5, 'inv_2x'));
    const item = (made: Pair, template: string): PairItem => ({
      pair: made,
      lineage: lineageOf(toyTask(0, template)),
      who: 'reference over stale',
      metadata: { scenario: 's1' },
    });
    const leftOut = new Map<LeftOut, number>([['before_event', 2]]);
    const report = await exportPairs([item(one, 'a'), item(one, 'a'), item(two, 'b')], leftOut, {
      out,
      format: PAIR_FORMATS.trl as PairFormat,
      file: 'jsonl',
      mergesNotices: false,
      split: { validation: 0.5, seed: '1' },
      licence: 'other',
      version: '0',
      asked: [],
    });
    expect(report).toMatchObject({
      rows: 2,
      splits: { train: { rows: 1, lineages: 1 }, validation: { rows: 1, lineages: 1 } },
      leftOut: { before_event: 2, duplicate: 1 },
      who: { 'reference over stale': 2 },
    });
    const card = readFileSync(join(out, 'README.md'), 'utf8');
    expect(card).toContain('- 2 pairs of rollouts differ before an event had fired');
    expect(card).toContain('| reference over stale | 2 |');
  });
});
