/** kill -9 of a process that claims, commits and finishes: what it said it had kept is kept, and the next one goes on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rng } from '../../kit/rng.js';
import type { FaultPlan } from './faults/seeded.js';
import { storeJobs } from './jobs/stored.js';
import type { Head } from './ownership/ownership.js';
import { storeOwnership } from './ownership/stored.js';
import { openStore } from './store/libsql.js';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-kill-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
/** Three hands at once, each line said once its answer came; ends by being killed only. */
const PROGRAM = `
  import { register } from 'node:module'; import { writeSync } from 'node:fs';
  register(${url('../../../bench/loader.mjs')});
  const { openStore } = await import(${url('./store/libsql.ts')});
  const { storeOwnership } = await import(${url('./ownership/stored.ts')});
  const { storeJobs } = await import(${url('./jobs/stored.ts')});
  const { faultsOfEnvironment } = await import(${url('./faults/seeded.ts')});
  const [folder, round] = process.argv.slice(1);
  const say = (line) => writeSync(1, JSON.stringify(line) + '\\n');
  const faults = faultsOfEnvironment(process.env, { who: round });
  const store = await openStore(folder, { faults });
  const own = storeOwnership(store, { faults });
  const jobs = storeJobs(store, { attempts: 1000 });
  // Whoever was before is dead: its process is.
  for (const { incarnation } of await own.workers()) await own.bury(incarnation);
  const { incarnation } = await own.register('w', 60_000);
  const hand = async (n) => {
    const ids = ['a', 'b', 'c'].map((id) => id + n);
    const claims = await own.claim(incarnation, ids);
    say({ claims });
    const at = new Map(claims.map((claim) => [claim.session, { gen: claim.gen, seq: claim.head?.seq ?? 0 }]));
    for (let i = 0; ; i++) {
      const commits = ids.map((session) => {
        const { gen } = at.get(session);
        const seq = ++at.get(session).seq;
        return { session, gen, seq, key: session + '/' + gen + '/' + seq };
      });
      const committed = await own.commitHead(incarnation, commits);
      if (committed.some(({ outcome }) => outcome !== 'moved')) say({ wrong: committed });
      say({ commits });
      const job = { id: round + '-' + n + '-' + i, payload: { i } };
      await jobs.enqueue('q', [job]);
      say({ queued: job.id });
      for (const { id, attempt } of await jobs.lease('q', incarnation, 2, i % 5 === 0 ? 1 : 60_000)) {
        say({ leased: { id, attempt } });
        if (i % 7 === 0) continue;
        const finished = await jobs.finish('q', id, attempt, { by: round });
        if (finished === 'done') say({ done: { id, attempt, by: round } });
      }
    }
  };
  await Promise.all([0, 1, 2].map(hand));`;

type Line =
  | { claims: { session: string; granted: boolean; gen: number }[] }
  | { commits: (Head & { session: string })[] }
  | { queued: string }
  | { leased: { id: string; attempt: number } }
  | { done: { id: string; attempt: number; by: string } }
  | { wrong: unknown };

/** All whole lines that it said before it was killed, by itself or after `lines` of them. */
const killed = async (round: number, lines: number, plan: FaultPlan): Promise<Line[]> => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, folder, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TREADLE_FAULT_POINTS: JSON.stringify(plan) },
  });
  children.push(child);
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.split('\n').length > lines) child.kill('SIGKILL');
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect([code, signal]).toEqual([null, 'SIGKILL']);
  return said
    .slice(0, said.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
};

const isAtLeast = (head: Head | undefined, said: Head): boolean =>
  head !== undefined &&
  (head.gen > said.gen ||
    (head.gen === said.gen && (head.seq > said.seq || (head.seq === said.seq && head.key === said.key))));

it('loses nothing that was acknowledged', { timeout: 180_000 }, async () => {
  const draw = rng('kill');
  const gens = new Map<string, number>();
  const heads = new Map<string, Head>();
  const queued = new Set<string>();
  const attempts = new Map<string, number>();
  const done = new Map<string, { attempt: number; by: string }>();
  let last = 0;
  for (let round = 0; round < 6; round++) {
    // From outside at any moment; and by itself, before a commit or between it and its answer.
    const rate = round % 2 === 0 ? 0 : 0.01;
    const points = ['store.tx', 'ownership.committed', 'ownership.claimed'] as const;
    const rules = points.map((point) => ({ point, rate, what: 'exit' as const }));
    const lines = await killed(round, draw.int(10, 150), { seed: 1, rules });
    for (const line of lines) {
      if ('wrong' in line) expect.unreachable(JSON.stringify(line));
      if ('claims' in line)
        for (const { session, granted, gen } of line.claims) {
          expect(granted).toBe(true);
          expect(gen, 'generations never fall').toBeGreaterThan(gens.get(session) ?? 0);
          gens.set(session, gen);
        }
      if ('commits' in line) for (const { session, ...head } of line.commits) heads.set(session, head);
      if ('queued' in line) queued.add(line.queued);
      if ('leased' in line) {
        const { id, attempt } = line.leased;
        expect(attempt, 'no attempt is given twice').toBeGreaterThan(attempts.get(id) ?? 0);
        expect(done.has(id), 'what is done is not leased').toBe(false);
        attempts.set(id, attempt);
      }
      if ('done' in line) {
        const { id, ...by } = line.done;
        expect(done.has(id), 'nothing is done twice').toBe(false);
        done.set(id, by);
      }
    }
    const store = await openStore(folder);
    const sessions = new Map((await storeOwnership(store).sessions()).map((row) => [row.session, row]));
    for (const [session, gen] of gens) expect(sessions.get(session)?.gen).toBeGreaterThanOrEqual(gen);
    for (const [session, head] of heads)
      expect(isAtLeast(sessions.get(session)?.head, head), `${session} ${JSON.stringify(head)}`).toBe(true);
    const rows = new Map((await storeJobs(store).list('q')).map((row) => [row.id, row]));
    for (const id of queued) expect(rows.has(id)).toBe(true);
    for (const [id, attempt] of attempts) expect(rows.get(id)?.attempt).toBeGreaterThanOrEqual(attempt);
    for (const [id, { attempt, by }] of done)
      expect(rows.get(id)).toMatchObject({ state: 'done', attempt, result: { by } });
    expect(await store.now()).toBeGreaterThanOrEqual(last);
    last = await store.now();
    await store.close();
  }
  expect(heads.size).toBe(9);
  expect(done.size).toBeGreaterThan(10);
});
