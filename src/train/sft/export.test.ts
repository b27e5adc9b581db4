import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { TOOLS, toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { Json } from '../../kit/hash.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { scriptedPolicy } from '../../rollout/agents/scripted.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { FORMATS, formatOf } from '../formats/registry.js';
import { exportSft } from './export.js';
import { type ExportItem, lineageOf, type SftRow } from './row.js';

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'sft-'));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

const item = async (
  n: number,
  template = 'void_by_customer',
  worldId = 'toy_world',
  pass = true,
): Promise<ExportItem> => {
  const task = toyTask(n, template, worldId);
  const trace = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
  return { trace, verdict: toyVerdict(trace, pass), task, tools: TOOLS };
};
/** 8 lineages of 5 variants each. */
const many = (): Promise<ExportItem[]> =>
  Promise.all(Array.from({ length: 40 }, (_, n) => item(n, `t${n % 4}`, n % 8 < 4 ? 'toy_world' : 'other_world')));
const rowsOf = (split: string): SftRow[] =>
  existsSync(join(out, 'data', `${split}.jsonl`))
    ? readFileSync(join(out, 'data', `${split}.jsonl`), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as SftRow)
    : [];
const front = (): { [key: string]: Json } =>
  parse(readFileSync(join(out, 'README.md'), 'utf8').split('---\n')[1] as string) as { [key: string]: Json };

describe('the folder', () => {
  it('holds rows with tools, calls as objects and where they come from', async () => {
    const report = await exportSft([await item(0)], { out });
    const [row] = rowsOf('train');
    expect(row?.messages.map(({ role }) => role).join(' ')).toBe(
      'system user assistant tool assistant tool assistant tool assistant',
    );
    expect(row?.messages[4]?.tool_calls).toEqual([
      { id: 'ref_1', type: 'function', function: { name: 'get_invoice', arguments: { id: 'inv_2x' } } },
    ]);
    expect(row?.tools.map((tool) => tool.function.name)).toEqual(['list_invoices', 'get_invoice', 'void_invoice']);
    expect(row?.metadata).toMatchObject({
      schema_version: 'treadle-sft/3',
      task_id: 'toy-void-by-customer-0',
      world_id: 'toy_world',
      lineage: { template: 'void_by_customer', seed: '0' },
      producer: { policy: 'reference', name: 'reference', seed: '' },
      verdict: { pass: true, milestones: 1, milestones_passed: 1 },
      turns: 4,
      calls: 3,
    });
    expect(report).toMatchObject({ rows: 1, files: ['README.md', 'data/train.jsonl'] });
    expect(readdirSync(out).sort()).toEqual(['README.md', 'data']);
  });

  it('splits by lineage: none on both sides, about the wanted share, the same for the same seed', async () => {
    const items = await many();
    const report = await exportSft(items, { out, split: { validation: 0.25, seed: 'a' } });
    const lineage = (row: SftRow) => `${row.metadata.world_id}/${row.metadata.lineage.template}`;
    const [train, validation] = [rowsOf('train'), rowsOf('validation')];
    expect(new Set(items.map(({ task }) => lineageOf(task))).size).toBe(8);
    expect(validation).toHaveLength(10);
    expect(train).toHaveLength(30);
    const sides = new Set(validation.map(lineage));
    expect(train.some((row) => sides.has(lineage(row)))).toBe(false);
    const before =
      readFileSync(join(out, 'data', 'train.jsonl'), 'utf8') + readFileSync(join(out, 'README.md'), 'utf8');
    expect(await exportSft(items, { out, split: { validation: 0.25, seed: 'a' } })).toEqual(report);
    expect(readFileSync(join(out, 'data', 'train.jsonl'), 'utf8') + readFileSync(join(out, 'README.md'), 'utf8')).toBe(
      before,
    );
    await exportSft(items, { out, split: { validation: 0.25, seed: 'b' } });
    expect(new Set(rowsOf('validation').map(lineage))).not.toEqual(sides);
  });

  it('has a card whose counts are those of the files', async () => {
    await exportSft(await many(), {
      out,
      split: { validation: 0.25, seed: 'a' },
      card: { title: 'Toy | rows', licence: 'apache-2.0' },
    });
    const matter = front() as unknown as {
      license: string;
      configs: { data_files: { split: string; path: string }[] }[];
      dataset_info: { splits: { name: string; num_examples: number; num_bytes: number }[] };
    };
    expect(matter.license).toBe('apache-2.0');
    expect(matter.configs[0]?.data_files).toEqual([
      { split: 'train', path: 'data/train.jsonl' },
      { split: 'validation', path: 'data/validation.jsonl' },
    ]);
    for (const split of matter.dataset_info.splits) {
      const text = readFileSync(join(out, 'data', `${split.name}.jsonl`));
      expect(split).toMatchObject({ num_bytes: text.byteLength, num_examples: rowsOf(split.name).length });
    }
    const card = readFileSync(join(out, 'README.md'), 'utf8');
    expect(card).toMatch(/\| reference \| 40 \|/);
    expect(card).toMatch(/\| toy_world \| 20 \|/);
  });

  it('of one lineage has no validation file, and an old one goes', async () => {
    await exportSft(await many(), { out, split: { validation: 0.25, seed: 'a' } });
    expect(existsSync(join(out, 'data', 'validation.jsonl'))).toBe(true);
    await exportSft([await item(1), await item(2)], { out });
    expect(readdirSync(join(out, 'data'))).toEqual(['train.jsonl']);
    expect(JSON.stringify(front().configs)).not.toContain('validation');
  });

  it.each(Object.keys(FORMATS))('can be written as %s, and read back with the same calls', async (id) => {
    await exportSft([await item(0)], { out, format: id });
    const [line] = rowsOf('train') as unknown as Record<string, Json>[];
    const { turns } = formatOf(id).read(line ?? {});
    expect(turns.flatMap(({ calls }) => calls.map(({ name, arguments: args }) => [name, args]))).toEqual([
      ['list_invoices', {}],
      ['get_invoice', { id: 'inv_2x' }],
      ['void_invoice', { id: 'inv_2x', reason: 'asked' }],
    ]);
  });
});

describe('what is left out', () => {
  it('failed, unfinished, unjudged, malformed, mismatched and doubled rollouts, counted', async () => {
    const good = await item(0);
    const malformedTask = toyTask(5);
    const malformedTrace = await rolloutTask({
      host: toyHost(),
      task: malformedTask,
      policy: scriptedPolicy(malformedTask, '1', { malformed_call: 1 }),
    });
    const cutTrace = { ...(await item(6)).trace, finish: 'cut' as const };
    const items: ExportItem[] = [
      good,
      { ...good, trace: { ...good.trace, id: 'again' }, verdict: { ...good.verdict, trace: 'again' } },
      await item(1, 'void_by_customer', 'toy_world', false),
      { trace: malformedTrace, verdict: toyVerdict(malformedTrace), task: malformedTask, tools: TOOLS },
      { ...(await item(6)), trace: cutTrace },
      { ...(await item(7)), verdict: { ...toyVerdict((await item(7)).trace, false), fault: 'verifier' } },
      { ...(await item(8)), task: toyTask(9) },
    ];
    const report = await exportSft(items, { out });
    expect(report.rows).toBe(1);
    expect(report.excluded).toEqual({
      duplicate: 1,
      failed: 1,
      malformed_call: 1,
      unfinished: 1,
      verifier_fault: 1,
      other_task: 1,
    });
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('- 1 did not pass their verifier');
    const all = await exportSft(items, { out, onlyPassing: false });
    expect(all.rows).toBe(2);
    expect(rowsOf('train').map((row) => [row.metadata.verdict.pass, (row as { label?: boolean }).label])).toEqual([
      [true, true],
      [false, false],
    ]);
  });
});

describe('trouble', () => {
  it('an unknown format, a place that cannot be written', async () => {
    await expect(exportSft([], { out, format: 'xml' })).rejects.toMatchObject({ code: 'unknown_format' });
    writeFileSync(join(out, 'file'), '');
    await expect(exportSft([await item(0)], { out: join(out, 'file') })).rejects.toMatchObject({
      code: 'cannot_write',
      value: join(out, 'file'),
    });
  });

  it('items that break leave the earlier export whole, and keep their own error', async () => {
    await exportSft(await many(), { out });
    const before = readFileSync(join(out, 'data', 'train.jsonl'), 'utf8');
    const first = await item(0);
    const breaking = function* (): Generator<ExportItem> {
      yield first;
      throw new RangeError('bad trace file');
    };
    await expect(exportSft(breaking(), { out })).rejects.toThrow('bad trace file');
    expect(readFileSync(join(out, 'data', 'train.jsonl'), 'utf8')).toBe(before);
    expect(readdirSync(out).sort()).toEqual(['README.md', 'data']);
  });

  it('no row left: nothing is written, and what was there stays', async () => {
    expect(await exportSft([], { out })).toMatchObject({ rows: 0, files: [] });
    expect(readdirSync(out)).toEqual([]);
    await exportSft([await item(0)], { out });
    const before = readFileSync(join(out, 'README.md'), 'utf8');
    const report = await exportSft([await item(1, 't', 'w', false)], { out });
    expect(report).toMatchObject({ rows: 0, excluded: { failed: 1 }, files: [] });
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toBe(before);
    expect(readdirSync(out).sort()).toEqual(['README.md', 'data']);
  });

  it('line separators inside texts do not break lines', async () => {
    const base = await item(0);
    const trace = {
      ...base.trace,
      messages: base.trace.messages.map((message) => ({
        ...message,
        content: `${message.content}\u2028\u2029\u0085\r\n`,
      })),
    };
    await exportSft([{ ...base, trace }], { out });
    const text = readFileSync(join(out, 'data', 'train.jsonl'), 'utf8');
    expect(text).not.toMatch(/[\u2028\u2029]/);
    expect(rowsOf('train')[0]?.messages[1]?.content).toContain('\u2028\u2029');
  });
});
