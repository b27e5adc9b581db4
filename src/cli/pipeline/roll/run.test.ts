/** Runs in process: many in flight over worlds, two attempts at most, budgets, what is called off, and what is gone on with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { fixtureParts } from '../../../../test/fixtures/world.js';
import { toyTask } from '../../../../test/rollout/toy.js';
import type { Task } from '../../../artifacts/task.js';
import { Corpus } from '../../../corpus/corpus.js';
import type { TraceHead } from '../../../corpus/traces/line.js';
import { traceHeads } from '../../../corpus/traces/read.js';
import { TreadleError } from '../../../errors.js';
import { addressOf } from '../../../kit/hash.js';
import type { Action, Policy, View } from '../../../rollout/policy.js';
import { Engine } from '../../../world/state/engine.js';
import type { Acting } from './attempt.js';
import type { Again } from './open-world.js';
import { pickTasks } from './pick.js';
import { type RunEnd, runRollouts } from './run.js';
import { became } from './tally.js';

const WORLDS = ['alpha', 'beta'];
const TASKS = 3;
let engine: Engine;
let corpus: Corpus;
let dir: string;

const proof = (task: Task) => ({
  treadle: 'certificate/1' as const,
  kind: 'task' as const,
  subject: addressOf(task),
  name: task.id,
  pass: true,
  findings: [],
});
const write = (world: string, tasks: readonly Task[]): void =>
  corpus.writeTasks(world, {
    tasks,
    certificates: Object.fromEntries(tasks.map((task) => [task.id, proof(task)])),
    dropped: [],
  });

beforeAll(async () => {
  engine = await Engine.start();
  dir = mkdtempSync(join(tmpdir(), 'treadle-run-'));
  corpus = Corpus.open(dir, true);
  for (const [nth, id] of WORLDS.entries()) {
    const world = fixtureParts(engine, { only: ['billing', 'directory'], world: (spec) => ({ ...spec, id }) });
    corpus.writeWorld({ ...world, certificates: {} });
    write(
      id,
      Array.from({ length: TASKS }, (_, n) => toyTask(10 * nth + n, 'void_by_customer', id)),
    );
  }
});
beforeEach(() => rmSync(corpus.path('traces'), { recursive: true, force: true }));
afterAll(() => {
  engine.close();
  rmSync(dir, { recursive: true, force: true });
});

const policy = (next: (view: View, task: Task, sample: number) => Promise<Action> | Action): Acting['policyFor'] => {
  return (task, sample): Policy => ({
    producer: { policy: 'model', name: 'm', seed: String(sample) },
    next: (view) => next(view, task, sample),
  });
};
const ANSWER: Action = { text: '2000', calls: [] };
const down = (): never => {
  throw new TreadleError({ code: 'endpoint_down', message: 'gone', fault: 'infrastructure', isRetryable: true });
};

interface Ran extends RunEnd {
  kept: TraceHead[];
  skipped: TraceHead[];
}
const run = async (
  acting: Partial<Acting> & Pick<Acting, 'policyFor'>,
  { samples = 2, concurrency = 4, memory = 2 ** 40, stop = new AbortController(), again = 'unfinished' as Again } = {},
): Promise<Ran> => {
  const kept: TraceHead[] = [];
  const skipped: TraceHead[] = [];
  const end = await runRollouts({
    corpus,
    engine,
    picked: pickTasks(corpus, { worlds: WORLDS }, '1'),
    acting: { seed: '1', ...acting },
    samples,
    concurrency,
    memory,
    stop,
    again,
    onKept: (head) => kept.push(head),
    onSkipped: (heads) => skipped.push(...heads),
  });
  return { ...end, kept, skipped };
};
const outcomes = (heads: readonly TraceHead[]): string[] => heads.map((head) => became(head).outcome).sort();
const ALL = WORLDS.length * TASKS * 2;

it('has so many in flight over all worlds, and over one where memory has room for one', async () => {
  const watch = async (memory: number): Promise<{ most: number; worlds: number }> => {
    const now: string[] = [];
    const seen = { most: 0, worlds: 0 };
    const { failure, kept } = await run(
      {
        policyFor: policy(async (_, task) => {
          now.push(task.worldId);
          for (let n = 0; n < 20; n++) await turn();
          seen.most = Math.max(seen.most, now.length);
          seen.worlds = Math.max(seen.worlds, new Set(now).size);
          now.splice(now.indexOf(task.worldId), 1);
          return ANSWER;
        }),
      },
      { concurrency: 10, memory, again: 'all' },
    );
    expect(failure).toBeUndefined();
    expect(outcomes(kept)).toEqual(Array(ALL).fill('passed'));
    return seen;
  };
  expect(await watch(2 ** 40)).toEqual({ most: 10, worlds: 2 });
  expect(await watch(1)).toEqual({ most: TASKS * 2, worlds: 1 });
});

it('makes a rollout that the infrastructure broke once more, and no third time; the broken attempt stays visible', async () => {
  const tries = new Map<string, number>();
  const { kept } = await run({
    attempts: 2,
    policyFor: policy((view, task, sample) => {
      const key = `${task.id} ${sample}`;
      if (view.turn === 0) tries.set(key, (tries.get(key) ?? 0) + 1);
      if (sample === 1 || tries.get(key) === 1) return down();
      return ANSWER;
    }),
  });
  expect([...tries.values()]).toEqual(Array(ALL).fill(2));
  expect(outcomes(kept)).toEqual([...Array(ALL / 2).fill('fault'), ...Array(ALL / 2).fill('passed')]);
  for (const { attempts } of kept)
    expect(attempts).toEqual([{ problem: expect.objectContaining({ code: 'endpoint_down' }), turns: 0, calls: 0 }]);
  // What is unfinished is made again, what is finished is not.
  const again = await run({ policyFor: policy(() => ANSWER) });
  expect([again.skipped.length, again.kept.length]).toEqual([ALL / 2, ALL / 2]);
  expect(WORLDS.flatMap((world) => traceHeads(corpus, world))).toHaveLength(ALL);
});

it('what the policy gets wrong is not tried again', async () => {
  const wrong = policy(() => {
    throw new TreadleError({ code: 'odd', message: 'own', fault: 'policy' });
  });
  const { kept } = await run({ attempts: 2, policyFor: wrong });
  expect(outcomes(kept)).toEqual(Array(ALL).fill('failed'));
  expect(kept.every(({ attempts }) => attempts === undefined)).toBe(true);
});

it('called off: what is in flight is kept as cut, the rest is not begun, and both are made the next time', async () => {
  const stop = new AbortController();
  let begun = 0;
  const first = await run(
    {
      policyFor: policy(async () => {
        if (++begun === 4) stop.abort();
        await turn();
        return ANSWER;
      }),
    },
    { stop },
  );
  expect(outcomes(first.kept)).toEqual(['cut', 'cut', 'cut', 'cut']);
  expect(first.kept[0]?.problem?.code).toBe('cut');
  const second = await run({ policyFor: policy(() => ANSWER) });
  expect([second.skipped.length, second.kept.length]).toEqual([0, ALL]);
  const ids = WORLDS.map((world) => traceHeads(corpus, world).map(({ id }) => id));
  // In the order of tasks and samples, whatever order they came in.
  await run({ policyFor: policy(() => ANSWER) }, { again: 'all', concurrency: 1 });
  expect(WORLDS.map((world) => traceHeads(corpus, world).map(({ id }) => id))).toEqual(ids);
});

it('a purse that is empty begins nothing more; what a deadline cut is made again on demand alone', async () => {
  const purse = { limit: 0.001, spent: 0 };
  const paid = policy(() => ({ ...ANSWER, usage: { promptTokens: 300, completionTokens: 0 } }));
  const limits = { purse, prices: { prompt: 1, completion: 1 } };
  const first = await run({ policyFor: paid, limits }, { concurrency: 1 });
  expect(first).toMatchObject({ isSpent: true, lost: 0 });
  expect(outcomes(first.kept)).toEqual(['passed', 'passed', 'passed', 'passed']);
  const slow = policy(
    (view) => new Promise((_, reject) => view.signal.addEventListener('abort', () => reject(new Error('x')))),
  );
  const second = await run({ policyFor: slow, limits: { deadlineMs: 5 } });
  expect(second.kept.map(({ problem }) => problem?.code)).toEqual(Array(ALL - 4).fill('deadline'));
  expect((await run({ policyFor: paid })).kept).toEqual([]);
  expect(outcomes((await run({ policyFor: paid }, { again: 'cut' })).kept)).toEqual(Array(ALL - 4).fill('passed'));
});

it('a world that cannot be loaded ends the run with its error; what throws outside the policy is a fault of that rollout', async () => {
  const broken = await run({
    policyFor: policy(() => ANSWER),
    perform: ({ task }) => {
      throw new Error(`no way with ${task.id}`);
    },
  });
  expect(broken.failure).toBeUndefined();
  expect(broken.kept.map((head) => [became(head), head.problem?.code])).toEqual(
    Array(ALL).fill([{ outcome: 'fault', fault: 'verifier' }, 'rollout_failed']),
  );
  const image = corpus.path('worlds', 'beta', 'data', 'billing.sqlite');
  const { readFileSync, writeFileSync } = await import('node:fs');
  const bytes = readFileSync(image);
  writeFileSync(image, bytes.subarray(0, 100));
  try {
    const { failure } = await run({ policyFor: policy(() => ANSWER) }, { again: 'all' });
    expect(failure).toMatchObject({ code: 'changed_file' });
  } finally {
    writeFileSync(image, bytes);
  }
});

it('filters fit all at once, and a name that fits nothing is said', () => {
  const pick = (filter: object) => pickTasks(corpus, { worlds: WORLDS, ...filter }, '1');
  expect(pick({}).flatMap(({ tasks }) => tasks)).toHaveLength(WORLDS.length * TASKS);
  expect(pick({ limit: 4 }).flatMap(({ tasks }) => tasks)).toHaveLength(4);
  const [one = ''] = pick({})[0]?.tasks ?? [];
  expect(pick({ tasks: [one] })).toEqual([{ world: expect.any(String), tasks: [one] }]);
  for (const filter of [{ tasks: ['x'] }, { tasks: [one, 'x'] }, { kinds: ['composed'] }, { profiles: ['expert'] }])
    expect(() => pick(filter)).toThrow(expect.objectContaining({ code: 'no_task' }));
  const orders = ['1', '2', '3', '4', '5', '6'].map((seed) =>
    pickTasks(corpus, { worlds: WORLDS }, seed)
      .map(({ world }) => world)
      .join(),
  );
  expect(new Set(orders).size).toBe(2);
});
