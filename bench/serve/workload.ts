/** Workloads A and B of the paper (weft.txt, Appendix D): rollouts that are all started at once, their provisioning timed. */
import type { LoadResult } from './load.js';
import { sharedMs } from './load.js';
import { madeFor } from './made.js';
import { inFolder, type Options } from './options.js';
import { cpuSecondsOf, memoryOf, startWorker } from './processes.js';
import { MIB, quantile, round, say, sayTargets } from './report.js';
import { builtMain, serve, warmed } from './server.js';

export const SIZE = {
  a: { worlds: 20, tasks: 100, calls: 3_791 },
  b: { worlds: 20, tasks: 1_000, calls: 39_864 },
  small: { worlds: 3, tasks: 30, calls: 1_200 },
};

const TARGETS = {
  a: [
    { field: 'ttft_p50_ms', at: 'most', bound: 1_500, unit: 'ms; the paper 4,794' },
    { field: 'failed', at: 'most', bound: 0 },
  ],
  b: [
    { field: 'wall_s', at: 'most', bound: 20, unit: 's; the paper 587' },
    { field: 'ttft_p50_ms', at: 'most', bound: 500, unit: 'ms; the paper 39,281' },
    { field: 'ttft_p95_ms', at: 'most', bound: 1_500, unit: 'ms; the paper 69,983' },
    { field: 'e2e_p50_ms', at: 'most', bound: 74_056, unit: 'ms; the paper 74,056' },
    { field: 'upload_mib', at: 'most', bound: 34.8, unit: 'MiB; the paper 34.8' },
    { field: 'failed', at: 'most', bound: 0 },
  ],
} as const;

export const figures = (load: LoadResult, rollouts: number): Record<string, number> => ({
  ttft_p50_ms: round(quantile(load.ttftMs, 0.5)),
  ttft_p95_ms: round(quantile(load.ttftMs, 0.95)),
  open_p50_ms: round(quantile(load.openMs, 0.5)),
  e2e_p50_ms: round(quantile(load.endMs, 0.5)),
  e2e_p95_ms: round(quantile(load.endMs, 0.95)),
  wall_s: round(load.wallMs / 1000, 2),
  calls_per_s: round((load.calls / load.wallMs) * 1000, 0),
  failed: load.failed,
  upload_mib: round(load.uploadBytes / MIB, 3),
  rollouts,
  sessions: load.sessions,
  calls: load.calls,
  verify_s: round(load.verifyMs / 1000, 2),
  verified: load.verified,
  verdicts_wrong: load.verdictsWrong,
});

/** `a`: the clock starts before the server's process does. `b`: it is warm, and every rollout's clock is its own. */
export const runWorkload = (options: Options, part: 'a' | 'b'): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const { small, trainers, nodeArgs, serveArgs } = options;
    const main = builtMain(options.dist);
    const { worlds, tasks, calls } = SIZE[small ? 'small' : part];
    const { corpus, plans } = await madeFor(options, dir, { worlds, tasks }, { rollouts: tasks, calls });
    const load = await startWorker('load');
    try {
      await load.ask({ prepare: plans });
      const startedAt = sharedMs();
      const served = await serve({ main, corpus: corpus.dir, nodeArgs, args: serveArgs });
      try {
        const { agentsPort, trainersPort, token } = served;
        if (part === 'b') await warmed(served);
        const cpu = part === 'b' ? cpuSecondsOf(served.pid) : 0;
        const doors = { agentsPort, trainersPort, token, trainers, pid: served.pid };
        const done = await load.ask<LoadResult>({ run: { ...doors, startedAt: part === 'a' ? startedAt : null } });
        const memory = memoryOf(served.pid);
        for (const line of done.failures) say(`failed: ${line}`);
        const result = {
          ...figures(done, tasks),
          server_rss_mib: round(memory.peakMiB),
          server_cpu_s: round(done.serverCpu - cpu, 2),
          load_cpu_s: round(done.ownCpu, 2),
        };
        sayTargets(result, TARGETS[part]);
        return { part, ...result };
      } finally {
        await served.stop();
      }
    } finally {
      await load.stop();
    }
  });
