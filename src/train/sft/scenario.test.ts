/** Rows of scenarios: whose behaviour they are, where the events fired, and what a user says while the assistant is at work. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEMPLATES, writeTokenizer } from '../../../test/fixtures/tokenizer.js';
import { TOOLS, toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { Trace } from '../../artifacts/trace.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { formatOf } from '../formats/registry.js';
import { decode } from '../formats/tokenizer/control.js';
import { readTokenizer } from '../formats/tokenizer/folder.js';
import { type NamedTokenizer, named, tokenShape } from '../formats/tokenizer/rows.js';
import { facetsOf } from './facets.js';
import { filteredOut } from './filters.js';
import { fromResult, inResult, mergeNotices, withNoticesMerged } from './notices.js';
import { type ExportItem, rowOf, type SftRow } from './row.js';

const NOTICE = 'I have to correct myself: it is Cole.';
const HASH = 'b'.repeat(64);

/** A rollout in which the user speaks up behind the result of the first of three calls, at message 4. */
const dynamic = async (policy: 'reference' | 'stale', pass = true): Promise<ExportItem> => {
  const task = toyTask();
  const still = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
  const messages = [...still.messages];
  messages.splice(4, 0, { role: 'user', content: NOTICE });
  const trace: Trace = {
    ...still,
    messages,
    producer: { policy, name: policy },
    scenario: { id: `${task.id}-e1`, hash: HASH, sources: ['requirement', 'state'] },
    events: [
      { kind: 'fate', event: 'new_customer', source: 'requirement', fate: 'fired', at: 1, calls: 1, touched: [] },
      { kind: 'fate', event: 'sold', source: 'state', fate: 'skipped', at: 1, calls: 1, touched: [] },
      { kind: 'notice', event: 'new_customer', to: 'user', text: NOTICE, at: 1, calls: 1, message: 4 },
    ],
  };
  return { trace, verdict: toyVerdict(trace, pass), task, tools: TOOLS };
};

describe('what a row says of its scenario', () => {
  it('id, sources, what fired, and that the re-solved reference showed it', async () => {
    const { metadata } = rowOf(await dynamic('reference'));
    expect(metadata).toMatchObject({
      events: 'requirement',
      scenario: { id: 'toy-void-by-customer-0-e1', hash: HASH, sources: 'requirement+state', fired: 'new_customer' },
      label: true,
      negative_from: -1,
    });
    expect(metadata.scenario.by).toBe('resolved_reference');
    expect(rowOf({ ...(await dynamic('reference')), trace: (await still()).trace }).metadata.scenario).toEqual({
      id: '',
      hash: '',
      sources: '',
      fired: '',
      by: '',
    });
  });

  it('the stale plan is a negative from its first reply after the event on', async () => {
    const { metadata, messages } = rowOf(await dynamic('stale', false));
    expect(metadata).toMatchObject({ label: false, scenario: { by: 'stale_plan' } });
    expect(messages[metadata.negative_from - 1]).toMatchObject({ role: 'user', content: NOTICE });
    expect(messages[metadata.negative_from]?.role).toBe('assistant');
  });

  it('filters look at what fired, not at what might have', async () => {
    const item = await dynamic('reference');
    const [row, facets] = [rowOf(item), facetsOf(item)];
    expect(filteredOut(row, facets, { sources: ['requirement'] })).toBeUndefined();
    expect(filteredOut(row, facets, { sources: ['state', 'fault'] })).toBe('other_source');
    expect(filteredOut(row, facets, { withoutSources: ['requirement'] })).toBe('other_source');
    expect(filteredOut(row, facets, { withoutSources: ['state'] })).toBeUndefined();
    expect(filteredOut(row, facets, { only: { scenario: ['with'] } })).toBeUndefined();
    expect(filteredOut(row, facets, { only: { scenario: ['without'] } })).toBe('not_chosen');
  });
});

const still = async (): Promise<ExportItem> => {
  const task = toyTask();
  const trace = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
  return { trace, verdict: toyVerdict(trace), task, tools: TOOLS };
};

describe('a user message behind a tool result', () => {
  let root: string;
  const by = new Map<string, NamedTokenizer>();
  const ALTERNATING = `{%- set seen = namespace(n=0) -%}{%- for message in messages -%}{%- if message.role == "user" or (message.role == "assistant" and not message.tool_calls) -%}{%- if (message.role == "user") != (seen.n % 2 == 0) -%}{{ raise_exception("roles must alternate") }}{%- endif -%}{%- set seen.n = seen.n + 1 -%}{%- endif -%}{%- endfor -%}${TEMPLATES.keeps}`;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'notices-'));
    for (const [name, template] of [
      ['keeps', TEMPLATES.keeps],
      ['alternating', ALTERNATING],
    ] as const)
      by.set(name, named(readTokenizer(writeTokenizer(join(root, name), { template }))));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const tokens = (name: string, row: SftRow) => {
    const tokenizer = by.get(name) as NamedTokenizer;
    const made = tokenShape({ tokenizer, rewritten: 'split' }).lines({ row, clock: 0 });
    if ('refused' in made) return made.refused;
    return made.lines.map((line) => {
      const [ids, mask] = [line.input_ids as number[], line.loss_mask as number[]];
      const text = (bit: number) =>
        decode(
          tokenizer.folder.tokenizer,
          ids.filter((_, at) => mask[at] === bit),
        );
      return { own: text(1), others: text(0) };
    });
  };

  it('is told and not learned: every reply has loss, the words of the user none', async () => {
    const lines = tokens('keeps', rowOf(await dynamic('reference')));
    expect(lines).toHaveLength(1);
    const [line] = lines as { own: string; others: string }[];
    expect(line?.others).toContain(`<|im_start|>user\n${NOTICE}<|im_end|>`);
    expect(line?.own).not.toContain('Cole.');
    expect(line?.own.match(/<tool_call>/g)).toHaveLength(3);
  });

  it('goes into the result where a template refuses it there', async () => {
    const row = rowOf(await dynamic('reference'));
    expect(tokens('alternating', row)).toBe('template_refused');
    const merged = withNoticesMerged(row);
    const [line] = tokens('alternating', merged) as { own: string; others: string }[];
    expect(line?.others).toContain(`[Message from the user] ${NOTICE}\n</tool_response>`);
    expect(line?.own).not.toContain('Cole.');
  });

  it('moves what the metadata says of messages along', async () => {
    const row = rowOf(await dynamic('stale', false));
    const merged = withNoticesMerged(row);
    expect(merged.messages).toHaveLength(row.messages.length - 1);
    expect(merged.metadata.negative_from).toBe(row.metadata.negative_from - 1);
    expect(merged.messages[merged.metadata.negative_from]).toEqual(row.messages[row.metadata.negative_from]);
    expect(
      mergeNotices(row.messages).messages.some(({ role }, n, all) => role === 'user' && all[n - 1]?.role === 'tool'),
    ).toBe(false);
  });

  it('sharegpt: human or observation, and gpt or function_call, by turns; it reads back as two turns', async () => {
    const row = rowOf(await dynamic('reference'));
    const line = formatOf('sharegpt').write(row);
    const turns = line.conversations as { from: string; value: string }[];
    for (const [n, { from }] of turns.entries())
      expect(n % 2 === 0 ? ['human', 'observation'] : ['gpt', 'function_call']).toContain(from);
    const read = formatOf('sharegpt').read(line).turns;
    expect(read.map(({ role }) => role)).toEqual(row.messages.map(({ role }) => role));
    expect(read.map(({ text }) => text)).toContain(NOTICE);
    // A notification is marked already, in our own loop as by servers.
    expect(inResult('{}', '[Notification] A row changed.')).toBe('{}\n\n[Notification] A row changed.');
    expect(fromResult(inResult(inResult('{}', 'a'), '[Notification] b'))).toEqual({
      result: '{}',
      words: ['a', '[Notification] b'],
    });
  });
});
