/** Work left with a server of several processes: kill -9 of a worker and of the front, and what comes of it is what the command makes. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { TraceLine } from '../../src/corpus/traces/line.js';
import { runs } from '../../src/serve/blobs/process.js';
import { connect, type RemoteTrainer } from '../../src/serve/client/client.js';
import type { JobRequest } from '../../src/serve/jobs/request.js';
import { type Supervised, supervise } from '../../src/serve/workers/supervisor/supervisor.js';
import { scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
const child = fileURLToPath(new URL('./front-child.mjs', import.meta.url));
const TASKS = 3;
const N = 60;
/** Traces and verdicts by trace, as `treadle rollout` keeps them. */
let byCommand: Record<string, unknown>;
let supervised: Supervised | undefined;
let trainer: RemoteTrainer;

const heldOf = ({ trace, verdict, reward }: TraceLine) => ({ trace, verdict, reward });

beforeAll(() => {
  const args = ['build', 'a bakery in Lyon', '--services', 'inventory', '--tasks', String(TASKS), '--out', corpus];
  expect(warm(args, { timeoutMs: 200_000 }).status).toBe(0);
  const own = join(dir, 'own');
  cpSync(corpus, own, { recursive: true });
  rmSync(join(own, 'traces'), { recursive: true });
  expect(warm(['rollout', own, '--policy', 'scripted', '--n', String(N), '--seed', '5', '--json']).status).toBe(0);
  const lines = readdirSync(join(own, 'traces'))
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) =>
      readFileSync(join(own, 'traces', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as TraceLine);
  byCommand = Object.fromEntries(lines.map((line) => [line.trace.id, heldOf(line)]));
  expect(Object.keys(byCommand)).toHaveLength(TASKS * N);
});
afterAll(async () => {
  trainer?.disconnect();
  await supervised?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(pid) ? [Number(name)] : [];
    } catch {
      // It ended while we looked.
      return [];
    }
  });

const address = (): { trainers: number; token: string; pid: number } =>
  JSON.parse(readFileSync(join(dir, 'address.json'), 'utf8'));

it('rollouts and gates are done once each, whatever is killed, as the command does them', async () => {
  mkdirSync(join(dir, 'data'));
  supervised = supervise({
    command: process.execPath,
    args: [child, corpus, join(dir, 'data')],
    env: { ADDRESS: join(dir, 'address.json') },
    onDefect: () => {},
  });
  await vi.waitFor(address, { timeout: 200_000, interval: 100 });
  const { pid, trainers, token } = address();
  trainer = connect({ url: `http://127.0.0.1:${trainers}`, token });
  const { work } = trainer;
  const refused: [unknown, string][] = [
    [{ kind: 'gate', tasks: ['nobody'] }, 'no_task'],
    [{ kind: 'gate', worlds: ['../corpus'] }, 'no_world'],
    [{ kind: 'build' }, 'bad_request'],
    [{ kind: 'rollout', policy: 'model' }, 'bad_request'],
    [{ kind: 'rollout', policy: 'reference', n: 0 }, 'bad_request'],
    [{ kind: 'rollout', policy: 'reference', mistakes: 'giving_up=1' }, 'bad_option'],
    [{ kind: 'rollout', policy: 'reference', faults: ['nonsense'] }, 'bad_fault'],
    [{ kind: 'rollout', policy: 'reference', scenarios: true }, 'no_scenario'],
    [{ kind: 'rollout', policy: 'reference', n: 10_000, worlds: undefined, extra: 1 }, 'bad_request'],
  ];
  for (const [request, code] of refused)
    await expect(work.submit(request as JobRequest), JSON.stringify(request)).rejects.toMatchObject({ code });
  expect(await work.jobs()).toEqual([]);
  const { id } = await work.submit({ kind: 'rollout', policy: 'scripted', n: N, seed: '5' });
  const gates = await work.submit({ kind: 'gate' }, { key: 'gates' });
  const until = (done: number) =>
    vi.waitFor(async () => expect((await work.job(id)).items.done).toBeGreaterThanOrEqual(done), {
      timeout: 200_000,
      interval: 5,
    });
  await until(5);
  process.kill(childrenOf(pid)[0] as number, 'SIGKILL');
  await until(40);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(runs(pid)).toBe(false), { timeout: 60_000, interval: 20 });
  await vi.waitFor(async () => expect((await work.jobs()).map(({ isOver }) => isOver)).toEqual([true, true]), {
    timeout: 200_000,
    interval: 200,
  });
  expect((await work.submit({ kind: 'gate' }, { key: 'gates' })).id).toBe(gates.id);
  const items = await work.results(id, { limit: 1_000 });
  expect(items.map(({ state }) => state)).toEqual(Array(TASKS * N).fill('done'));
  const lines = items.map(({ result }) => result as unknown as TraceLine);
  expect(Object.fromEntries(lines.map((line) => [line.trace.id, heldOf(line)]))).toEqual(byCommand);
  const certificates = (await work.results(gates.id)).map(({ result }) => result as { pass: boolean });
  expect(certificates.map(({ pass }) => pass)).toEqual(Array(TASKS).fill(true));
  await work.cancel(id);
  await expect(work.job(id)).rejects.toMatchObject({ code: 'unknown_job' });
});
