/** Difficulty of real tasks: counted by brute force, measured twice alike, kept with the hash of what was measured. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Task } from '../../src/artifacts/task.js';
import { figuresOf, measureDifficulty } from '../../src/cli/pipeline/difficulty.js';
import { difficultyLine, difficultySection } from '../../src/cli/report/difficulty.js';
import { Corpus } from '../../src/corpus/corpus.js';
import { readDifficulty, type TaskDifficulty, writeDifficulty } from '../../src/corpus/difficulty.js';
import type { TreadleError } from '../../src/errors.js';
import { addressOf } from '../../src/kit/hash.js';
import { structureOf } from '../../src/rollout/difficulty/structure.js';
import { generateTasks } from '../../src/tasks/generate.js';
import type { LoadedWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { fixtureParts } from '../fixtures/world.js';
import { toyTask } from '../rollout/toy.js';
import { catalogueWorld } from './worlds.js';

let world: LoadedWorld;
let tasks: Task[];
let measured: Record<string, TaskDifficulty>;
const plan = { rates: [0, 0.2, 1], runs: 6, seed: 'd' };

beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'gate', ['billing', 'support_desk']);
  tasks = generateTasks(world, { count: 8, seed: 'gate' }).tasks.map(({ task }) => task);
  measured = await measureDifficulty(world, tasks, plan);
}, 240_000);

it('who never slips always passes, and success falls as the rate rises', () => {
  for (const { success } of Object.values(measured)) {
    expect(success[0]).toEqual({ rate: 0, runs: 6, passed: 6 });
    expect(success.map(({ rate }) => rate)).toEqual(plan.rates);
  }
  const shares = figuresOf(Object.values(measured))?.success.map(({ share }) => share) ?? [];
  expect(shares[0]).toBe(1);
  expect(shares[1]).toBeLessThan(1);
  expect(shares[2]).toBeLessThan(shares[1] as number);
});

it('is the same when measured again', async () => {
  expect(await measureDifficulty(world, tasks.slice(0, 3), plan)).toEqual(
    Object.fromEntries(tasks.slice(0, 3).map(({ id }) => [id, measured[id]])),
  );
});

it('counts calls, look-ups, services, and rows that miss one of several descriptors', () => {
  for (const task of tasks) {
    const { calls } = task.reference;
    const { lookups, services, distractors, ...rest } = structureOf(world, task);
    expect(rest).toEqual({ calls: calls.length, wrongAnswers: task.answer?.distractors.length ?? 0 });
    expect(lookups).toBeLessThanOrEqual(calls.length);
    expect(services).toBe(new Set(calls.map(({ service }) => service)).size);
    const several = task.bindings.filter(({ descriptors }) => descriptors.length > 1);
    let least = 0;
    for (const { service: id, table, key, descriptors } of several) {
      const service = world.services.get(id);
      if (!service) throw new Error(id);
      service.connection.bind(service.pristine);
      const rows = service.connection.prepare(`SELECT * FROM "${table}"`).all();
      const isExact = descriptors.every(({ col }) => service.spec.tables[table]?.cols[col]?.type !== 'datetime');
      if (!isExact) continue;
      const misses = (row: (typeof rows)[number]): number =>
        descriptors.filter(({ col, value }) => String(row[col]).toLowerCase() !== String(value).toLowerCase()).length;
      least += rows.filter((row) => row[service.keys[table] as string] !== key && misses(row) === 1).length;
    }
    expect(distractors).toBeGreaterThanOrEqual(least);
  }
  expect(Object.values(measured).some(({ distractors }) => distractors > 0)).toBe(true);
});

it('is kept beside the tasks, and void once they change', async () => {
  const engine = await Engine.start();
  const dir = mkdtempSync(join(tmpdir(), 'treadle-difficulty-'));
  try {
    const corpus = Corpus.open(dir, true);
    corpus.writeWorld({ ...fixtureParts(engine, { only: ['billing', 'directory'] }), certificates: {} });
    const write = (all: readonly Task[]): void => {
      const certificates = Object.fromEntries(
        all.map((task) => [
          task.id,
          {
            treadle: 'certificate/1' as const,
            kind: 'task' as const,
            subject: addressOf(task),
            name: task.id,
            pass: true,
            findings: [],
          },
        ]),
      );
      corpus.writeTasks('fixture', { tasks: all, certificates, dropped: [] });
    };
    write([toyTask(0), toyTask(1)]);
    expect(readDifficulty(corpus, 'fixture')).toEqual({});
    const one = Object.values(measured)[0] as TaskDifficulty;
    const of = (task: Task): TaskDifficulty => ({ ...one, hash: addressOf(task) });
    const all = Object.fromEntries([0, 1].map((n) => [toyTask(n).id, of(toyTask(n))]));
    writeDifficulty(corpus, 'fixture', { seed: '1', tasks: all });
    expect(readDifficulty(corpus, 'fixture')).toEqual(all);
    write([toyTask(0), { ...toyTask(1), brief: 'Another.' }]);
    expect(Object.keys(readDifficulty(corpus, 'fixture'))).toEqual([toyTask(0).id]);
    const file = corpus.path('worlds', 'fixture', 'tasks', 'difficulty.json');
    const text = readFileSync(file, 'utf8');
    for (const bad of [text.slice(0, 40), '{}', text.replace('"rate": 0', '"rate": "x"')]) {
      writeFileSync(file, bad);
      let thrown: TreadleError | undefined;
      try {
        readDifficulty(corpus, 'fixture');
      } catch (error) {
        thrown = error as TreadleError;
      }
      expect(thrown?.code).toBe('unreadable_file');
    }
  } finally {
    engine.close();
    rmSync(dir, { recursive: true, force: true });
  }
});

it('is drawn in the report, and nothing where nothing was measured', () => {
  expect(difficultySection([])).toBe('');
  expect(figuresOf([])).toBeUndefined();
  const html = difficultySection(Object.values(measured).map((one) => ({ kind: '<b>x</b>', measured: one })));
  expect(html).toContain('&lt;b&gt;x&lt;/b&gt;');
  expect(html).toContain('when each step slips with chance 0.2');
  for (const one of Object.values(measured)) expect(difficultyLine(one)).toContain('6 of 6 at 0');
});
