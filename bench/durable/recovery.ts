/** A thousand sessions whose server is killed with -9, and how long it is until another one has them all. */
import { join } from 'node:path';
import { madeFor } from '../serve/made.js';
import { inFolder, type Options } from '../serve/options.js';
import { startWorker, type Worker } from '../serve/processes.js';
import { round, say } from '../serve/report.js';
import { warmed } from '../serve/server.js';
import { type Running, type ServerJob, type ServerTimes, saved, startServer } from './server.js';
import type { Done, SessionsJob } from './sessions.js';

const CALLS = 12;
/** Changing calls of a session beside its task's. */
const WRITES = 3;

const doorsOf = ({ agentsPort, trainersPort, token }: Running) => ({ agentsPort, trainersPort, token });

interface Seen {
  /** From the beginning of taking over until all sessions were taken up, by the clock and of the processor. */
  taken: number;
  takenCpu: number;
  /** Until each had answered a call over HTTP: since the process was started, and since its program was loaded. */
  answered: number;
  answeredLoaded: number;
  failed: number;
}

/** The server is killed; another takes up what it had, and is called by all. */
const recover = async (
  killed: Running,
  options: Options,
  job: ServerJob,
  client: Worker,
  count: number,
): Promise<{ server: Running; seen: Seen }> => {
  const ask = async (what: SessionsJob): Promise<Done> => {
    const done = await client.ask<Done>(what);
    for (const failure of done.failures) say(`failed: ${failure}`);
    return done;
  };
  await killed.kill();
  const server = await startServer(options, job);
  const { times, outcomes = {} } = server.said;
  const answered = await ask({ answer: doorsOf(server) });
  const compared = await ask({ compare: doorsOf(server) });
  const { begun, loaded, taking, taken, takingCpuMs } = times as Required<ServerTimes>;
  const missing = Math.max(0, count - (outcomes.recovered ?? 0));
  const seconds = (ms: number): number => round(ms / 1_000, 3);
  const seen = {
    taken: seconds(taken - taking),
    takenCpu: seconds(takingCpuMs),
    answered: seconds(answered.endedAt - begun),
    answeredLoaded: seconds(answered.endedAt - loaded),
    failed: missing + answered.failed + compared.failed,
  };
  say(
    `taken up in ${seen.taken} s (CPU ${seen.takenCpu} s), all answered in ${seen.answered} s: ${JSON.stringify(outcomes)}`,
  );
  return { server, seen };
};

export const runRecovery = (options: Options): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const { small } = options;
    const count = options.sessions ?? (small ? 100 : 1_000);
    const [worlds, tasks] = small ? [3, 30] : [20, 100];
    const { corpus, plans } = await madeFor(
      options,
      dir,
      { worlds, tasks },
      { rollouts: tasks, calls: tasks * CALLS, writes: WRITES },
    );
    const job: ServerJob = { corpus: corpus.dir, data: join(dir, 'data'), durability: 'call' };
    const client = await startWorker('../durable/sessions');
    let server: Running | undefined;
    try {
      server = await startServer(options, job);
      await warmed(server);
      const driven = await client.ask<Done>({ drive: { ...doorsOf(server), plans, count } } satisfies SessionsJob);
      for (const failure of driven.failures) say(`failed: ${failure}`);
      const busy = await recover(server, options, job, client, count);
      server = busy.server;
      await saved(server);
      const quiet = await recover(server, options, job, client, count);
      server = quiet.server;
      const all = [busy.seen, quiet.seen];
      const worst = (pick: (seen: Seen) => number): number => Math.max(...all.map(pick));
      return {
        // The worse of the two: killed in the middle of work, with much in the log, and when all was saved.
        recovery_1000_s: worst(({ taken }) => taken),
        recovery_1000_cpu_s: worst(({ takenCpu }) => takenCpu),
        recovery_answered_s: worst(({ answered }) => answered),
        recovery_answered_after_load_s: worst(({ answeredLoaded }) => answeredLoaded),
        recovery_from_log_s: busy.seen.taken,
        recovery_from_savepoints_s: quiet.seen.taken,
        sessions: count,
        worlds,
        tasks,
        failed: driven.failed + busy.seen.failed + quiet.seen.failed,
      };
    } finally {
      await Promise.all([server?.stop(), client.stop()]);
    }
  });
