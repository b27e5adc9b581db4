/** A disk that fills while rollouts are written: what was kept stays, what did not fit leaves nothing behind. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { Corpus } from '../corpus.js';
import type { TraceLine } from './line.js';
import { eachTrace, tracesFile } from './read.js';
import { TraceWriter } from './writer.js';

/** Bytes left, and whether files can still be made shorter. */
const disk = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY, code: 'ENOSPC', cuts: true }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const fails = (): never => {
    throw Object.assign(new Error(`${disk.code}: no space left, write`), { code: disk.code });
  };
  return {
    ...real,
    writeSync: (file: number, bytes: Buffer, from: number, length: number, at: number): number => {
      if (disk.left <= 0) return fails();
      const n = real.writeSync(file, bytes, from, Math.min(length, disk.left), at);
      disk.left -= n;
      return n;
    },
    ftruncateSync: (file: number, length: number): void => (disk.cuts ? real.ftruncateSync(file, length) : fails()),
  };
});

const root = mkdtempSync(join(tmpdir(), 'treadle-full-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => Object.assign(disk, { left: Number.POSITIVE_INFINITY, code: 'ENOSPC', cuts: true }));

const made = async (index: number): Promise<TraceLine> => {
  const task = toyTask();
  const sample = { seed: '1', index };
  const trace = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task), sample });
  return { trace, verdict: toyVerdict(trace) };
};

it.each([
  ['ENOSPC', true],
  ['EDQUOT', true],
  ['ENOSPC', false],
])('in the middle of a line (%s, half of it can be cut off: %s)', async (code, cuts) => {
  const corpus = Corpus.open(join(root, `${code}-${cuts}`), true);
  const writer = TraceWriter.open(corpus, 'w');
  const lines = await Promise.all([0, 1, 2].map(made));
  writer.append(lines[0] as TraceLine);
  const before = readFileSync(tracesFile(corpus, 'w'));
  Object.assign(disk, { left: 100, code, cuts });
  expect(() => writer.append(lines[1] as TraceLine)).toThrow(expect.objectContaining({ code: 'disk_full' }));
  expect(readFileSync(tracesFile(corpus, 'w')).length - before.length).toBe(cuts ? 0 : 100);
  // While it is full nothing is taken for kept.
  expect(() => writer.append(lines[1] as TraceLine)).toThrow(expect.objectContaining({ code: 'disk_full' }));
  expect(writer.heads()).toHaveLength(1);
  disk.left = Number.POSITIVE_INFINITY;
  writer.append(lines[2] as TraceLine);
  writer.close();
  disk.cuts = true;
  expect([...eachTrace(corpus, 'w')]).toEqual([lines[0], lines[2]]);
});

it('while the file is put in order: it stays as it was, without a second one beside it', async () => {
  const corpus = Corpus.open(join(root, 'order'), true);
  const writer = TraceWriter.open(corpus, 'w');
  const lines = await Promise.all([0, 1, 2].map(made));
  for (const line of lines) writer.append(line);
  const before = readFileSync(tracesFile(corpus, 'w'));
  disk.left = 500;
  const backwards = lines.map(({ trace }) => trace.id).reverse();
  expect(() => writer.settle(backwards)).toThrow(expect.objectContaining({ code: 'disk_full' }));
  expect(readFileSync(tracesFile(corpus, 'w'))).toEqual(before);
  expect(readdirSync(corpus.path('traces')).sort()).toEqual(['claims', 'w.jsonl']);
  disk.left = Number.POSITIVE_INFINITY;
  writer.settle(backwards);
  writer.close();
  expect([...eachTrace(corpus, 'w')]).toEqual([...lines].reverse());
});
