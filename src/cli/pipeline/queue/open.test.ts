/** The queue of a command from its opening to its end: what an earlier run did counts where it is still there. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Corpus } from '../../../corpus/corpus.js';
import { type FilledQueue, openQueue, type Queue, TRIES } from './open.js';

let dir: string;
let corpus: Corpus;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-queue-'));
  corpus = Corpus.open(join(dir, 'corpus'), true);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true, force: true });
});

const items = ['a', 'b', 'c', 'd'].map((id) => ({ id, payload: null }));
const fill = (queue: Queue, made: readonly string[] = [], settings: string | null = null): Promise<FilledQueue> =>
  queue.fill({ settings, items, isMade: ({ id }) => made.includes(id) });
const states = async ({ jobs, queue }: FilledQueue): Promise<string> =>
  (await jobs.list(queue)).map(({ id, state }) => `${id} ${state}`).join(', ');
const store = (): string => corpus.path('.treadle', 'tasks', 'store.db');

it('what is done and there stays done; all else waits, with all its tries', async () => {
  const first = await openQueue(corpus, 'tasks');
  const { jobs, queue } = await fill(first);
  await jobs.lease(queue, 'w', 3, 1000);
  await jobs.finish(queue, 'a', 1, { of: 'a' });
  await jobs.finish(queue, 'b', 1, { of: 'b' });
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    await jobs.fail(queue, 'c', attempt, 'no');
    if (attempt < TRIES) await jobs.lease(queue, 'w', 1, 1000);
  }
  await jobs.lease(queue, 'w', 1, 1000);
  await first.close(false);

  const second = await openQueue(corpus, 'tasks');
  const filled = await fill(second, ['a']);
  expect(filled.before.map(({ id, result }) => [id, result])).toEqual([['a', { of: 'a' }]]);
  expect(await states(filled)).toBe('a done, b waiting, c waiting, d waiting');
  for (let n = 0; n < TRIES; n++) {
    const leased = await filled.jobs.lease(filled.queue, 'w', 3, 1000);
    expect(leased.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
    for (const { id, attempt } of leased) await filled.jobs.fail(filled.queue, id, attempt, 'no');
  }
  expect(await states(filled)).toBe('a done, b failed, c failed, d failed');
  await second.close(true);
  expect(readdirSync(corpus.dir)).toEqual(['treadle.json']);
});

it('other settings are another queue', async () => {
  const queue = await openQueue(corpus, 'tasks');
  const one = await fill(queue, [], 'one');
  await one.jobs.lease(one.queue, 'w', 1, 1000);
  await one.jobs.finish(one.queue, 'a', 1, 1);
  expect(await states(await fill(queue, ['a'], 'two'))).toBe('a waiting, b waiting, c waiting, d waiting');
  expect(await states(await fill(queue, ['a'], 'one'))).toBe('a done, b waiting, c waiting, d waiting');
  await queue.close(true);
});

it('one process has it; kinds are apart, and what was never filled leaves nothing', async () => {
  const queue = await openQueue(corpus, 'tasks');
  await expect(openQueue(corpus, 'tasks')).rejects.toMatchObject({ code: 'corpus_in_use', fault: 'input' });
  const other = await openQueue(corpus, 'rollouts');
  await queue.close(false);
  expect(readdirSync(corpus.path('.treadle'))).toEqual(['rollouts']);
  await other.close(false);
  expect(existsSync(corpus.path('.treadle'))).toBe(false);
});

it.each([
  ['nonsense', () => writeFileSync(store(), 'nonsense')],
  ['nothing', () => writeFileSync(store(), '')],
  ['half of it', () => writeFileSync(store(), readFileSync(store()).subarray(0, 5000))],
  ['only its log', () => rmSync(store())],
])('%s in its place is told in one line, and nothing is touched', async (_, damage) => {
  const queue = await openQueue(corpus, 'tasks');
  await fill(queue);
  await queue.close(false);
  writeFileSync(`${store()}-wal`, '');
  damage();
  const before = existsSync(store()) ? readFileSync(store()) : undefined;
  const error = await openQueue(corpus, 'tasks').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'damaged_jobs', value: corpus.path('.treadle', 'tasks'), fault: 'input' });
  expect((error as Error).message).not.toContain('\n');
  expect(existsSync(store()) ? readFileSync(store()) : undefined).toEqual(before);
  rmSync(corpus.path('.treadle'), { recursive: true });
  await (await openQueue(corpus, 'tasks')).close(true);
});

it('where no database can work the command goes on without, and says so', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  mkdirSync(`${store()}-shm`, { recursive: true });
  const queue = await openQueue(corpus, 'tasks');
  expect(said.mock.calls.map(([text]) => String(text)).join('')).toMatch(/^warning: .*cannot hold a list.*\n$/);
  expect(await states(await fill(queue))).toBe('a waiting, b waiting, c waiting, d waiting');
  await queue.close(true);
});
