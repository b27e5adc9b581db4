/** Workload B again (bench/serve/workload.ts), with a front and two workers that keep every call. */
import { join } from 'node:path';
import type { LoadResult } from '../serve/load.js';
import { madeFor } from '../serve/made.js';
import { inFolder, type Options } from '../serve/options.js';
import { cpuSecondsOf, memoryOf, startWorker } from '../serve/processes.js';
import { round, say } from '../serve/report.js';
import { warmed } from '../serve/server.js';
import { figures, SIZE } from '../serve/workload.js';
import { saved, startServer } from './server.js';

const WORKERS = 2;

export const runLoad = (options: Options): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const { small, trainers, sessions } = options;
    const { worlds, tasks, calls } = SIZE[small ? 'small' : 'b'];
    const rollouts = sessions ?? tasks;
    const { corpus, plans } = await madeFor(
      options,
      dir,
      { worlds, tasks },
      { rollouts, calls: Math.round((calls / tasks) * rollouts) },
    );
    const load = await startWorker('load');
    try {
      await load.ask({ prepare: plans });
      const data = join(dir, 'data');
      const server = await startServer(options, { corpus: corpus.dir, data, durability: 'call', workers: WORKERS });
      try {
        await warmed(server);
        const { agentsPort, trainersPort, token } = server;
        const { pids: pid } = server.said;
        const cpu = cpuSecondsOf(pid);
        const run = { agentsPort, trainersPort, token, trainers, pid, startedAt: null };
        const done = await load.ask<LoadResult>({ run });
        for (const line of done.failures) say(`failed: ${line}`);
        const memory = pid.map(memoryOf);
        const { savepoints } = await saved(server);
        return {
          workers: WORKERS,
          ...figures(done, rollouts),
          rss_mib: round(memory.reduce((sum, { peakMiB }) => sum + peakMiB, 0)),
          rss_each_mib: memory.map(({ peakMiB }) => round(peakMiB, 0)),
          server_cpu_s: round(done.serverCpu - cpu, 2),
          load_cpu_s: round(done.ownCpu, 2),
          savepoint_bytes_a_call: round(savepoints.bytes / done.calls, 0),
          savepoints,
        };
      } finally {
        await server.stop();
      }
    } finally {
      await load.stop();
    }
  });
