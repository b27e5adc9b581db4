/** Resident memory of 50 and of 1,000 active sessions in one process, and as a share of a process a session. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CORPUS_VERSION, type Corpus } from '../../src/corpus/corpus.js';
import type { ServerInfo } from '../../src/serve/api.js';
import type { DriveJob, Driven } from './drive.js';
import { madeFor } from './made.js';
import { inFolder, type Options } from './options.js';
import { readPlans, writePlans } from './plan.js';
import { type Memory, memoryOf, startWorker, type Worker } from './processes.js';
import { round, say, sayTargets } from './report.js';
import { builtMain, type Served, serve } from './server.js';

const CALLS = 10;
const WRITES = 3;
const SETTLE_MS = 3_000;

const TARGETS = [
  { field: 'rss50_mib', at: 'most', bound: 110, unit: 'MiB; the paper 110' },
  { field: 'rss1000_mib', at: 'most', bound: 350, unit: 'MiB' },
  { field: 'share50', at: 'most', bound: 4.3, unit: '%; the paper 4.3' },
  { field: 'share1000', at: 'most', bound: 1, unit: '%' },
  { field: 'failed', at: 'most', bound: 0 },
] as const;

interface Tally {
  failed: number;
}

const drive = async (
  load: Worker,
  served: Served,
  job: Pick<DriveJob, 'plans' | 'from' | 'to'>,
  tally: Tally,
): Promise<void> => {
  const { agentsPort, trainersPort, token } = served;
  const done = await load.ask<Driven>({ ...job, agentsPort, trainersPort, token, workers: 4 });
  for (const line of done.failures) say(`failed: ${line}`);
  tally.failed += done.failed;
};

const settled = async (served: Served): Promise<Memory> => {
  await sleep(SETTLE_MS);
  return memoryOf(served.pid);
};

/** Sessions still in use; the rest were parked while the others were opened, and the figure would be too good. */
const activeOf = async (served: Served): Promise<number> =>
  (await served.admin<ServerInfo>('GET', '/v1/info')).residence.active ?? 0;

/** A corpus that holds one world of another: what a process a session would be given. */
const alone = (corpus: Corpus, world: string, dir: string): string => {
  const at = join(dir, `alone-${world}`);
  mkdirSync(join(at, 'worlds'), { recursive: true });
  writeFileSync(join(at, 'treadle.json'), JSON.stringify({ treadle: CORPUS_VERSION }));
  symlinkSync(corpus.path('worlds', world), join(at, 'worlds', world));
  return at;
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export const runMemory = (options: Options): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const { small, nodeArgs, serveArgs } = options;
    const main = builtMain(options.dist);
    const [worlds, few, many, processes] = small ? [4, 4, 40, 2] : [100, 50, 1_000, 8];
    const { corpus, plans } = await madeFor(
      options,
      dir,
      { worlds, tasks: 0, services: 4 },
      { rollouts: many, calls: many * CALLS, writes: WRITES },
    );
    const load = await startWorker('drive');
    const tally = { failed: 0 };
    const args = ['--no-warm', '--idle', '3600', ...serveArgs];
    const alive: Served[] = [];
    const start = async (folder: string): Promise<Served> => {
      const served = await serve({ main, corpus: folder, args, nodeArgs });
      alive.push(served);
      return served;
    };
    try {
      const served = await start(corpus.dir);
      const empty = memoryOf(served.pid);
      await drive(load, served, { plans, from: 0, to: few }, tally);
      const ofFew = await settled(served);
      const activeFew = await activeOf(served);
      await drive(load, served, { plans, from: few, to: many }, tally);
      const ofMany = await settled(served);
      const activeMany = await activeOf(served);
      await served.stop();
      const own = readPlans(plans).slice(0, processes);
      const singles: Served[] = [];
      for (const [n, plan] of own.entries()) {
        const single = await start(alone(corpus, plan.world, dir));
        const file = join(dir, `single-${n}.jsonl`);
        writePlans(file, [plan]);
        await drive(load, single, { plans: file, from: 0, to: 1 }, tally);
        singles.push(single);
      }
      await sleep(SETTLE_MS);
      const each = singles.map(({ pid }) => memoryOf(pid));
      const rss1 = mean(each.map(({ rssMiB }) => rssMiB));
      const pss1 = mean(each.map(({ pssMiB }) => pssMiB));
      const share = (all: number, count: number, one: number): number => round((all / (count * one)) * 100, 2);
      const result = {
        part: 'memory',
        rss50_mib: round(ofFew.rssMiB),
        rss1000_mib: round(ofMany.rssMiB),
        share50: share(ofFew.rssMiB, few, rss1),
        share1000: share(ofMany.rssMiB, many, rss1),
        share50_pss: share(ofFew.pssMiB, few, pss1),
        share1000_pss: share(ofMany.pssMiB, many, pss1),
        rss_empty_mib: round(empty.rssMiB),
        rss_one_mib: round(rss1),
        pss_one_mib: round(pss1),
        kib_a_session: round(((ofMany.rssMiB - ofFew.rssMiB) * 1024) / (many - few)),
        worlds,
        sessions: [few, many],
        active: [activeFew, activeMany],
        processes,
        failed: tally.failed,
      };
      if (activeMany < many)
        say(`${many - activeMany} sessions were parked before they were counted: the machine was too slow`);
      sayTargets(result, TARGETS);
      return result;
    } finally {
      await Promise.all([load.stop(), ...alive.map((served) => served.stop())]);
    }
  });
