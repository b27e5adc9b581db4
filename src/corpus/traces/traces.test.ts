/** Rollouts on disk: lines that are added, of which nothing is lost whatever stops the writer. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { Trace } from '../../artifacts/trace.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { startOf } from '../../serve/blobs/process.js';
import { Corpus } from '../corpus.js';
import { claimTraces } from './claim.js';
import { lineOf, type TraceLine } from './line.js';
import { eachTrace, traceHeads, tracesFile } from './read.js';
import { readRunRecord, writeRunRecord } from './run-record.js';
import { linesOf, withFile } from './scan.js';
import { TraceWriter } from './writer.js';

let dir: string;
let corpus: Corpus;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-store-'));
  corpus = Corpus.open(dir, true);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const made = async (index: number, change: Partial<Trace> = {}, pass = true): Promise<TraceLine> => {
  const task = toyTask();
  const sample = { seed: '1', index };
  const trace = { ...(await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task), sample })), ...change };
  return { trace, verdict: toyVerdict(trace, pass) };
};
const some = (n: number): Promise<TraceLine[]> => Promise.all(Array.from({ length: n }, (_, index) => made(index)));
const write = (lines: readonly TraceLine[]): void => {
  const writer = TraceWriter.open(corpus, 'w');
  for (const line of lines) writer.append(line);
  writer.close();
};
const file = (): string => tracesFile(corpus, 'w');
const ids = (): string[] => [...eachTrace(corpus, 'w')].map(({ trace }) => trace.id);

describe('lines', () => {
  it('come back as they were written, heads without the rest', async () => {
    const broken = {
      problem: { code: 'endpoint_down', message: 'gone,"trace":{"', fault: 'infrastructure' },
      turns: 1,
      calls: 0,
    };
    const all = [
      await made(0),
      { ...(await made(1)), attempts: [broken] },
      await made(2, { answer: 'é,"trace":\n' }, false),
    ];
    write(all);
    expect([...eachTrace(corpus, 'w')]).toEqual(all);
    expect(traceHeads(corpus, 'w').map(({ verdict: { pass, held, of } }) => [pass, held, of])).toEqual([
      [true, 1, 1],
      [true, 1, 1],
      [false, 0, 1],
    ]);
    expect(traceHeads(corpus, 'w')[1]?.attempts).toEqual([broken]);
    expect([...eachTrace(corpus, 'w', ({ verdict }) => !verdict.pass)]).toEqual([all[2]]);
    expect([...eachTrace(corpus, 'none')]).toEqual([]);
  });

  it('of an older version have no head of their own and are read all the same', async () => {
    const [old, young] = [await made(0), await made(1)];
    mkdirSync(corpus.path('traces'));
    writeFileSync(file(), `${JSON.stringify({ trace: old.trace, verdict: old.verdict, behaviour: {} })}\n`);
    write([young]);
    expect(ids()).toEqual([old.trace.id, young.trace.id]);
    expect(traceHeads(corpus, 'w')[0]).toMatchObject({ id: old.trace.id, finish: 'answered', verdict: { pass: true } });
  });

  it('of one id: the last counts, and the file is put in order on demand', async () => {
    const [a, b, c] = (await some(3)) as [TraceLine, TraceLine, TraceLine];
    const again = { ...a, verdict: toyVerdict(a.trace, false) };
    write([a, c, b, again]);
    expect(readFileSync(file(), 'utf8').split('\n')).toHaveLength(5);
    expect(traceHeads(corpus, 'w').map(({ id }) => id)).toEqual([c, b, a].map(({ trace }) => trace.id));
    const writer = TraceWriter.open(corpus, 'w');
    writer.settle([a, b, c].map(({ trace }) => trace.id));
    writer.append(await made(3));
    writer.close();
    expect(ids()).toEqual([...[a, b, c].map(({ trace }) => trace.id), (await made(3)).trace.id]);
    expect([...eachTrace(corpus, 'w')][0]).toEqual(again);
    expect(readdirSync(corpus.path('traces'))).toEqual(['w.jsonl']);
  });

  it('longer than a block, and exactly as long as one, are found whole', () => {
    const path = join(dir, 'long');
    const block = 1 << 20;
    for (const lengths of [
      [3 * block + 5, 1, block - 1],
      [block - 1, block, 2 * block],
      [0, 7, 0],
    ]) {
      writeFileSync(path, `${lengths.map((n) => 'x'.repeat(n)).join('\n')}\nrest`);
      const found = [...withFile(path, (open) => linesOf(open, path))];
      expect(found.map(({ length }) => length)).toEqual(lengths.filter((n) => n > 0));
    }
  });
});

describe('a writer that was killed', () => {
  it.each([
    ['half a line', (text: string) => text.slice(0, 700)],
    ['a line but for its newline', (text: string) => text.slice(0, -1)],
    ['one byte', () => '{'],
    ['zeros that a power cut left', () => '\0'.repeat(5000)],
  ])('leaves %s: it is left out, cut away, and never becomes part of the next', async (_, tail) => {
    const [a, b, c] = (await some(3)) as [TraceLine, TraceLine, TraceLine];
    write([a, b]);
    appendFileSync(file(), tail(lineOf(c).text));
    expect(ids()).toEqual([a, b].map(({ trace }) => trace.id));
    write([c]);
    expect([...eachTrace(corpus, 'w')]).toEqual([a, b, c]);
  });

  it('at its first line leaves an empty file', async () => {
    mkdirSync(corpus.path('traces'));
    writeFileSync(file(), '{"id":"abc');
    expect(ids()).toEqual([]);
    write([await made(0)]);
    expect(ids()).toHaveLength(1);
  });

  it('does not hold the file: its claim is void', async () => {
    mkdirSync(corpus.path('traces', 'claims'), { recursive: true });
    const uuid = '00000000-0000-4000-8000-000000000000';
    // A number no process has, and one that another process had before.
    for (const claim of [
      `w~4194305-1-${uuid}`,
      `w~${process.ppid}-1-${uuid}`,
      `w~${process.pid}-${startOf(process.pid)}-${uuid}`,
    ])
      writeFileSync(corpus.path('traces', 'claims', claim), '');
    write([await made(0)]);
    expect(existsSync(corpus.path('traces', 'claims'))).toBe(false);
  });
});

it('nonsense before the end is refused with its line', async () => {
  write(await some(2));
  const text = readFileSync(file(), 'utf8');
  for (const bad of [`${text.slice(0, 90)}\n${text}`, `${text}{}\n`, `${text}\u0000\u0000\n${text}`]) {
    writeFileSync(file(), bad);
    for (const read of [() => traceHeads(corpus, 'w'), () => TraceWriter.open(corpus, 'w')])
      expect(read).toThrow(expect.objectContaining({ code: expect.stringMatching(/unreadable_file|bad_artifact/) }));
  }
  expect(readFileSync(file(), 'utf8')).toContain(text);
  // The failed openings let go of their claims.
  writeFileSync(file(), text);
  TraceWriter.open(corpus, 'w').close();
});

it('one writer a world and one run a corpus', () => {
  const writer = TraceWriter.open(corpus, 'w');
  expect(() => TraceWriter.open(corpus, 'w')).toThrow(expect.objectContaining({ code: 'traces_in_use' }));
  TraceWriter.open(corpus, 'v').close();
  const run = claimTraces(corpus, '');
  expect(() => claimTraces(corpus, '')).toThrow(expect.objectContaining({ code: 'traces_in_use' }));
  run();
  writer.close();
  TraceWriter.open(corpus, 'w').close();
});

it('the record of a run is overwritten in place and says why', () => {
  expect(readRunRecord(corpus)).toBeUndefined();
  writeRunRecord(corpus, { ended: 'running', planned: 10_000, kept: 0 });
  const { length } = readFileSync(corpus.path('traces', 'run.json'));
  writeRunRecord(corpus, { ended: 'disk_full', planned: 10_000, kept: 5, why: 'é'.repeat(4000) });
  expect(readFileSync(corpus.path('traces', 'run.json'))).toHaveLength(length);
  expect(readRunRecord(corpus)).toMatchObject({ ended: 'disk_full', kept: 5 });
  writeRunRecord(corpus, { ended: 'done', planned: 10_000, kept: 10_000 });
  expect(readRunRecord(corpus)).toEqual({ treadle: 'run/1', ended: 'done', planned: 10_000, kept: 10_000 });
  writeFileSync(corpus.path('traces', 'run.json'), '{"treadle"');
  expect(readRunRecord(corpus)).toBeUndefined();
});
