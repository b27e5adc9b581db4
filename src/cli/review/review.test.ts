/** The walk: what is shown, what lines do, what is stored when. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fixtureParts } from '../../../test/fixtures/world.js';
import { toyTask } from '../../../test/rollout/toy.js';
import type { Check } from '../../artifacts/check.js';
import type { Task } from '../../artifacts/task.js';
import { Corpus } from '../../corpus/corpus.js';
import { boundsOf } from '../../corpus/review/bounds.js';
import { readReviews } from '../../corpus/review/records.js';
import { drawSample, type SampleTask, tasksOfWorlds } from '../../corpus/review/sample.js';
import { standings } from '../../corpus/review/standing.js';
import type { TreadleError } from '../../errors.js';
import { addressOf } from '../../kit/hash.js';
import { Engine } from '../../world/state/engine.js';
import { checkWords } from './check-words.js';
import { decisionsIn, typed } from './decision.js';
import { boundLines } from './summary.js';
import { walk } from './walk.js';

const WORLD = 'fixture';
let engine: Engine;
let dir: string;
let corpus: Corpus;
let sample: SampleTask[];

const write = (tasks: readonly Task[]): void => {
  const proof = (task: Task) => ({
    treadle: 'certificate/1' as const,
    kind: 'task' as const,
    subject: addressOf(task),
    name: task.id,
    pass: true,
    findings: [{ id: 'null_agent_fails', pass: true, evidence: ['doing nothing fails'] }],
  });
  const certificates = Object.fromEntries(tasks.map((task) => [task.id, proof(task)]));
  corpus.writeTasks(WORLD, { tasks, certificates, dropped: [] });
  sample = drawSample(tasksOfWorlds(corpus, [WORLD]), 59, 0, '1').drawn;
};

beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-walk-'));
  corpus = Corpus.open(dir, true);
  corpus.writeWorld({ ...fixtureParts(engine, { only: ['billing', 'directory'] }), certificates: {} });
  write([0, 1, 2].map((n) => toyTask(n)));
  return () => rmSync(dir, { recursive: true, force: true });
});

const run = async (lines: readonly string[], by = 'ada', isTyped = false): Promise<{ made: number; out: string }> => {
  const out: string[] = [];
  async function* given() {
    yield* lines;
  }
  const options = { by, now: () => '2026-01-02T03:04:05Z', lines: given(), isTyped, prompt: () => undefined };
  const made = await walk(corpus, sample, readReviews(corpus), { ...options, print: (line) => out.push(line) });
  return { made, out: out.join('\n') };
};
const decided = (): string[] => readReviews(corpus).map(({ name, decision }) => `${decision} ${name.slice(-1)}`);
const order = (): string[] => sample.map(({ id }) => id.slice(-1));

describe('what is typed', () => {
  it('is read by its letter or word, with what follows', () => {
    expect(typed(' a ')).toEqual({ key: 'accept', comment: '' });
    expect(typed('Reject  wrong row ')).toEqual({ key: 'reject', comment: 'wrong row' });
    expect(typed('r')).toEqual({ key: 'unsaid', of: 'reject' });
    expect(typed('q')).toEqual({ key: 'quit' });
    for (const line of ['', 'yes', 'ab', '\u0000', '__proto__', 'a'.repeat(9999)])
      expect(typed(line).key).toBe('unknown');
  });
});

describe('the walk', () => {
  it('shows all there is to judge by', async () => {
    const { out } = await run(['q']);
    for (const text of [
      'Please void the invoice',
      'vague    Something is wrong',
      'call 1 shows it at data.',
      'replies: 2000',
      'the answer is right',
      'ok null_agent_fails',
    ])
      expect(out).toContain(text);
  });
  it('stores each decision at once, and goes on where it stopped', async () => {
    const [first, second, third] = order();
    expect((await run(['a', 'c odd wording', 's'])).made).toBe(2);
    expect(decided()).toEqual([`accept ${first}`, `comment ${second}`]);
    const { out } = await run(['r wrong customer']);
    expect(out).toContain(`2 of 3  toy-void-by-customer-${second}`);
    expect(out).toContain('comment by ada, 2026-01-02T03:04:05Z: odd wording');
    expect(out).toContain(`3 of 3  toy-void-by-customer-${third}`);
    // Another reviewer begins at the beginning.
    expect((await run([], 'bo')).out).toContain('1 of 3');
  });
  it('goes back, and the last word counts', async () => {
    await run(['a', 'b', 'r no', 'a', 'a', 'q']);
    expect(decided()).toEqual([
      `accept ${order()[0]}`,
      `reject ${order()[0]}`,
      `accept ${order()[1]}`,
      `accept ${order()[2]}`,
    ]);
    expect((await run(['a'])).made).toBe(0);
  });
  it('asks a person again and refuses a pipe, with the line, keeping what came before', async () => {
    expect((await run(['what', 'r', '', 'r', 'because', 'q'], 'ada', true)).made).toBe(1);
    expect(readReviews(corpus)[0]).toMatchObject({ decision: 'reject', comment: 'because' });
    for (const line of ['what', 'r', 'c ']) {
      const before = decided().length;
      const thrown = await run(['c x', line], 'bo').then(
        () => undefined,
        (error: unknown) => error as TreadleError,
      );
      expect(thrown?.line()).toContain('Line 2 of the decisions');
      expect(decided()).toHaveLength(before + 1);
    }
  });
  it('shows a changed task’s review as void', async () => {
    await run(['a', 'a', 'a']);
    write([0, 1, 2].map((n) => (n === 1 ? { ...toyTask(n), brief: 'Another request.' } : toyTask(n))));
    const { out } = await run(['q']);
    expect(out).toContain('toy-void-by-customer-1');
    expect(out).toContain('void, the task was another one then: accept by ada');
    // Made again as they were, they are as reviewed as before.
    write([0, 1, 2].map((n) => toyTask(n)));
    expect((await run(['q'])).out).toBe('');
  });
});

describe('a file of decisions', () => {
  const read = (text: string) => decisionsIn('d.jsonl', text, (id) => (id === 't1' ? 'hash-1' : undefined));
  it('is read whole', () => {
    const text =
      '\n{"task":"t1","decision":"reject","comment":"no","by":"bo","at":"2026-01-02T03:04:05Z"}\n{"task":"t1","decision":"skip"}\n';
    expect(read(text)).toHaveLength(2);
    expect(read('{"task":"t1","decision":"accept","subject":"hash-1"}')).toHaveLength(1);
  });
  it('is refused by its line', () => {
    for (const line of [
      '{',
      '[]',
      '{"task":"t1"}',
      '{"task":"t1","decision":"yes"}',
      '{"task":"t2","decision":"accept"}',
      '{"task":"t1","decision":"reject"}',
      '{"task":"t1","decision":"comment","comment":" "}',
      '{"task":"t1","decision":"accept","subject":"hash-0"}',
      '{"task":"t1","decision":"accept","at":"yesterday"}',
      '{"task":"t1","decision":"accept","more":1}',
    ])
      expect(() => read(`{"task":"t1","decision":"skip"}\n${line}`), line).toThrow(/d\.jsonl line 2/);
  });
});

it('tells the bounds in words, and of what nothing is known', () => {
  const tasks = ['a', 'a', 'a', 'b'].map((kind, n) => ({
    id: `t${n}`,
    hash: `${n}`,
    world: 'w',
    kind,
    profile: 'none',
  }));
  const drawn = tasks.slice(0, 2);
  const lines = (decisions: [string, 'accepted' | 'rejected'][]): string =>
    boundLines(boundsOf(tasks, { drawn, added: [] }, new Map(decisions))).join('\n');
  expect(lines([['0', 'accepted']])).toContain('1 of the sample are still open: were they all defects, at most 97.5 %');
  expect(lines([['0', 'accepted']])).toContain('nothing is known of b by itself');
  expect(lines([])).toContain('nothing is known: none of 2 sampled is decided');
  expect(standings([]).size).toBe(0);
});

it('says every kind of check in words', () => {
  const place = { id: 'c', footprint: [], service: 's', table: 't', where: { due: 86_400 } };
  const checks: Check[] = [
    { kind: 'exists', ...place },
    { kind: 'absent', ...place, where: {} },
    { kind: 'equals', ...place, col: 'a', value: 'x', until: 'n2' },
    { kind: 'count', ...place, count: 1 },
    { kind: 'unchanged', id: 'c', footprint: [], except: [{ service: 's', table: 't', inserts: 2 }] },
    { kind: 'file', id: 'c', footprint: [], path: 'a.txt', contains: 'x' },
    { kind: 'invariant', id: 'c', footprint: [], invariant: 'no_debt' },
  ];
  expect(checks.map((check) => checkWords(check, []))).toEqual([
    'there is a row in s.t with due 86400',
    'there is no row in s.t with anything',
    's.t with due 86400 has a "x" (until n2)',
    '1 row in s.t with due 86400',
    'nothing else changed than 2 new rows in s.t',
    'the file a.txt contains "x"',
    'the rule no_debt holds',
  ]);
});
