/** Abandoned sessions and very many calls: resident memory after the warm-up and at the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerInfo } from '../../src/serve/api.js';
import type { Driven } from './drive.js';
import { madeFor } from './made.js';
import { inFolder, type Options } from './options.js';
import { memoryOf, startWorker } from './processes.js';
import { median, quantile, round, say, sayTargets } from './report.js';
import { builtMain, serve, warmed } from './server.js';

/** Long enough for a busy machine: a session that waits longer for its next call is closed, and the call fails. */
const IDLE_SECONDS = { small: 4, full: 10 };
const WORKERS = 16;
/** Share of the sessions that count as warm-up. */
const WARM_UP = 0.2;
const STEPS = 20;
const SAMPLE_MS = 250;

/** Resident MiB of a process every so often, until it is stopped or the process is gone. */
const watch = (pid: number): { stop(): number[] } => {
  const seen: number[] = [];
  const look = (): void => {
    try {
      seen.push(memoryOf(pid).rssMiB);
    } catch {
      clearInterval(timer);
    }
  };
  const timer = setInterval(look, SAMPLE_MS);
  return {
    stop: () => {
      look();
      clearInterval(timer);
      return seen;
    },
  };
};

export const runSoak = (options: Options): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const { small, nodeArgs, serveArgs } = options;
    const main = builtMain(options.dist);
    const sessions = options.sessions ?? (small ? 300 : 10_000);
    const calls = options.calls ?? (small ? 20_000 : 1_000_000);
    const each = Math.max(1, Math.round(calls / sessions));
    const rollouts = small ? 6 : 60;
    const corpusPlan = { worlds: small ? 3 : 20, tasks: small ? 6 : 60 };
    const { corpus, plans } = await madeFor(options, dir, corpusPlan, { rollouts, calls: rollouts * each });
    const idle = IDLE_SECONDS[small ? 'small' : 'full'];
    const load = await startWorker('drive');
    try {
      const args = ['--idle', String(idle), ...serveArgs];
      const served = await serve({ main, corpus: corpus.dir, args, nodeArgs });
      try {
        await warmed(served);
        const { agentsPort, trainersPort, token } = served;
        let failed = 0;
        let made = 0;
        const run = async (from: number, to: number): Promise<number[]> => {
          const watching = watch(served.pid);
          const done = await load.ask<Driven>({ plans, from, to, workers: WORKERS, agentsPort, trainersPort, token });
          for (const line of done.failures) say(`failed: ${line}`);
          failed += done.failed;
          made += done.calls;
          return watching.stop();
        };
        const edge = (n: number): number => Math.round((sessions * n) / STEPS);
        const levels: number[] = [];
        const started = performance.now();
        for (let n = 0; n < STEPS; n++) levels.push(median(await run(edge(n), edge(n + 1))));
        const seconds = (performance.now() - started) / 1000;
        await sleep((idle + 2) * 1000);
        const after = memoryOf(served.pid).rssMiB;
        const info = await served.admin<ServerInfo>('GET', '/v1/info');
        const warmUp = Math.round(STEPS * WARM_UP);
        const warm = quantile(levels.slice(warmUp - 1, warmUp + 2), 0.5);
        const end = median(levels.slice(-3));
        const result = {
          part: 'soak',
          growth_percent: round((end / warm - 1) * 100),
          rss_warm_mib: round(warm),
          rss_end_mib: round(end),
          rss_after_mib: round(after),
          rss_steps_mib: levels.map((level) => round(level, 0)),
          sessions,
          calls: made,
          failed,
          calls_per_s: round(made / seconds, 0),
          sessions_left: info.sessions,
          residence: info.residence,
        };
        sayTargets(result, [
          { field: 'growth_percent', at: 'most', bound: 10, unit: '%' },
          { field: 'failed', at: 'most', bound: 0 },
        ]);
        return result;
      } finally {
        await served.stop();
      }
    } finally {
      await load.stop();
    }
  });
