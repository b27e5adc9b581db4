/**
 * JSON lines against the formats that TRL documents ("Dataset formats and types": language modeling and prompt-completion,
 * conversational, with tool calling; unpaired preference with `label`), restated here as schemas.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { TOOLS, toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { exportSft, type SftOptions } from '../sft/export.js';
import type { ExportItem } from '../sft/row.js';
import { shapeOf } from './shapes.js';
import { withTextColumns } from './text-columns.js';

const ToolCall = z.object({
  id: z.string().optional(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()) }),
});
const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z
    .strictObject({
      role: z.literal('assistant'),
      content: z.string().optional(),
      reasoning_content: z.string().optional(),
      tool_calls: z.array(ToolCall).min(1).optional(),
    })
    .refine(({ content, tool_calls }) => content !== undefined || tool_calls !== undefined),
  z.strictObject({
    role: z.literal('tool'),
    content: z.string(),
    name: z.string().optional(),
    tool_call_id: z.string().optional(),
  }),
]);
/** One JSON Schema function a tool, in the codified form. */
const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.object({
    name: z.string().min(1),
    description: z.string(),
    parameters: z.object({ type: z.literal('object') }),
  }),
});
const LanguageModeling = z.object({ messages: z.array(Message).min(2), tools: z.array(Tool).min(1) });
const PromptCompletion = z.object({
  prompt: z.array(Message).min(1),
  completion: z.array(Message).min(1),
  tools: z.array(Tool).min(1),
});
const UnpairedPreference = PromptCompletion.extend({ label: z.boolean() });
const StandardText = z.object({ text: z.string().min(1) });
/** For `datasets` without JSON columns: `tools` as one JSON text. */
const ToolsAsText = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      tool_calls: z.array(z.object({ function: z.object({ arguments: z.string() }) })).optional(),
    }),
  ),
  tools: z.string().transform((text) => z.array(Tool).min(1).parse(JSON.parse(text))),
});

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'trl-'));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

const item = async (n: number, pass = true): Promise<ExportItem> => {
  const task = toyTask(n);
  const trace = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
  const messages = trace.messages.map((message) =>
    message.role === 'assistant' ? { ...message, reasoning: 'Which invoice is it?' } : message,
  );
  return { trace: { ...trace, messages }, verdict: toyVerdict(trace, pass), task, tools: TOOLS };
};
const lines = async (options: Omit<SftOptions, 'out'>): Promise<unknown[]> => {
  await exportSft([await item(0), await item(1), await item(2, false)], {
    out,
    split: { validation: 0, seed: '1' },
    ...options,
  });
  return readFileSync(join(out, 'data', 'train.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
};

it('messages and tools', async () => {
  const rows = (await lines({ format: 'treadle' })).map((line) => LanguageModeling.parse(line));
  expect(rows).toHaveLength(2);
  const names = rows[0]?.tools.map((tool) => tool.function.name) ?? [];
  const calls = rows.flatMap(({ messages }) =>
    messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : [])),
  );
  expect(calls).toHaveLength(6);
  for (const call of calls) expect(names).toContain(call.function.name);
});

it('prompt and completion: a line for each assistant turn, which is all of its completion', async () => {
  const rows = (await lines({ format: 'prompt-completion' })).map((line) => PromptCompletion.parse(line));
  expect(rows).toHaveLength(8);
  for (const { prompt, completion } of rows) {
    expect(completion.map(({ role }) => role)).toEqual(['assistant']);
    expect(['user', 'tool']).toContain(prompt.at(-1)?.role);
    expect(completion[0]).toMatchObject({ reasoning_content: 'Which invoice is it?' });
  }
});

it('unpaired preference, with the negatives', async () => {
  const rows = (await lines({ format: 'prompt-completion', onlyPassing: false })).map((line) =>
    UnpairedPreference.parse(line),
  );
  expect(rows.map(({ label }) => label)).toEqual([...Array(8).fill(true), ...Array(4).fill(false)]);
});

it('text, and tools as text', async () => {
  for (const line of await lines({ format: 'text' })) {
    const { text } = StandardText.parse(line);
    expect(text.match(/<\|im_start\|>/g)).toHaveLength(9);
    expect(text.match(/<\|im_end\|>/g)).toHaveLength(9);
    expect(text).toContain('<think>\nWhich invoice is it?\n</think>');
  }
  for (const line of await lines({ format: withTextColumns(shapeOf('treadle')) })) ToolsAsText.parse(line);
});
