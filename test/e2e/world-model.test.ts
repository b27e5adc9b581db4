/** World-model rows of a real corpus: each action, run in the state that its history leaves, gives the row's observation. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Corpus } from '../../src/corpus/corpus.js';
import { observationText } from '../../src/rollout/observation.js';
import { callerOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { dropGrounded, groundedWorld } from '../../src/world/grounded.js';
import { loadWorld, unloadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { errorLine, scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
const out = join(dir, 'rows');

interface Row {
  messages: { role: string; content: string }[];
  task: string;
  world: string;
  service: string;
  ok: boolean;
  pair: string;
  trace: string;
}
const rowsOf = (split: string): Row[] =>
  readFileSync(join(out, 'data', `${split}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
const exported = (...args: string[]): Record<string, never> => {
  const ran = warm(['export', 'world-model', corpus, '--out', out, '--json', ...args]);
  expect(ran.status, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout);
};

beforeAll(() => {
  const built = warm(['build', 'a kitchen supplies wholesaler in Leeds', '--tasks', '4', '--out', corpus, '--json']);
  expect(built.status, built.stderr).toBe(0);
  for (const args of [
    ['tasks', corpus, '--composed', '1', '--mix', 'simple=1', '--json'],
    ['rollout', corpus, '--policy', 'scripted', '--samples', '3', '--json'],
  ])
    expect(warm(args).status).toBeLessThan(2);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('running the action in the state gives the observation, errors too', async () => {
  exported('--references');
  const rows = [...rowsOf('train'), ...rowsOf('validation')];
  expect(rows.filter(({ ok }) => !ok).length).toBeGreaterThan(0);
  const opened = Corpus.open(corpus);
  const engine = await Engine.start();
  try {
    for (const id of opened.worlds()) {
      const world = loadWorld(engine, opened.readWorld(id));
      const tasks = new Map(opened.readTasks(id).tasks.map((task) => [task.id, task]));
      for (const row of rows.filter((each) => each.world === id)) {
        const task = tasks.get(row.task)!;
        const own = groundedWorld(world, task.grounding);
        const session = Session.open(own, { id: 'again', services: task.services, me: callerOf(task.actor) });
        const said: string[] = [];
        for (const { role, content } of row.messages) {
          if (role !== 'user') continue;
          const { tool, arguments: args } = JSON.parse(content) as { tool: string; arguments: object };
          said.push(observationText(session.call(tool, args).result, 16_000));
        }
        expect(said).toEqual(row.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content));
        session.drop();
        dropGrounded(world, own);
      }
      unloadWorld(world);
    }
  } finally {
    engine.close();
  }
});

it('a run that checks finds nothing else, and Parquet holds the same rows', async () => {
  const plain = exported() as unknown as { rows: number };
  const checked = exported('--check', '--file', 'parquet') as unknown as {
    rows: number;
    leftOut: Record<string, number>;
  };
  expect([checked.rows, checked.leftOut.not_reproduced]).toEqual([plain.rows, undefined]);
  const db = await (await DuckDBInstance.create(':memory:')).connect();
  const files = join(out, 'data', '*.parquet');
  const found = await db.runAndReadAll(
    `select count(*) n, count(distinct pair) pairs, min(len(messages)) least from read_parquet('${files}')`,
  );
  const [counted] = found.getRowObjectsJson();
  expect([Number(counted?.n), Number(counted?.least)]).toEqual([plain.rows, 3]);
});

it('the state that comes with an action holds the rows it names', () => {
  exported('--with-state', '--history', '2');
  const rows = rowsOf('train');
  const states = rows.map(({ messages }) => (JSON.parse(messages.at(-2)?.content ?? '') as { state?: object }).state);
  expect(states.every((state) => state !== undefined)).toBe(true);
  expect(states.filter((state) => Object.keys(state ?? {}).length > 0).length).toBeGreaterThan(rows.length / 3);
  expect(Math.max(...rows.map(({ messages }) => messages.length))).toBeLessThanOrEqual(1 + 2 * 3);
});

it('held-out services are on one side, and all pairs are single', () => {
  exported('--split', 'service', '--validation', '0.3');
  const [train, validation] = [rowsOf('train'), rowsOf('validation')];
  const held = new Set(validation.map(({ service }) => service));
  expect(held.size).toBeGreaterThan(0);
  expect(train.filter(({ service }) => held.has(service))).toEqual([]);
  const said = [...train, ...validation].map(({ pair, messages }) => `${pair} ${messages.at(-1)?.content}`);
  expect(new Set(said).size).toBe(said.length);
});

it('a corpus without rollouts says what to do; a line that is none is told', () => {
  const [world] = Corpus.open(corpus).worlds();
  const file = join(corpus, 'traces', `${world}.jsonl`);
  const kept = readFileSync(file);
  rmSync(file);
  const none = warm(['export', 'world-model', corpus, '--out', join(dir, 'none')]);
  expect([none.status, none.stdout]).toEqual([1, expect.stringContaining('treadle rollout')]);
  writeFileSync(file, Buffer.concat([Buffer.from('{"id": 1}\n'), kept]));
  const broken = warm(['export', 'world-model', corpus, '--out', join(dir, 'none')]);
  expect([broken.status, errorLine(broken)]).toEqual([2, expect.stringMatching(/^error \w+: .*line 1/)]);
  writeFileSync(file, kept);
});

it.each([
  ['--split', 'row'],
  ['--history', '-1'],
  ['--max-chars', 'many'],
  ['--injected', 'some'],
])('%s %s is refused', (option, value) => {
  expect(warm(['export', 'world-model', corpus, option, value]).status).toBe(2);
});
