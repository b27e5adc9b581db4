/** Servers under test that keep their sessions, each in processes of its own: one, or a front with workers. */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { KeepingFigures, ServerInfo } from '../../src/serve/api.js';
import { startNode } from '../serve/processes.js';
import { builtMain, type Said, type Served, servedBy } from '../serve/server.js';

const SAVED_MS = 60_000;
const PROGRAM = fileURLToPath(new URL('./server.mjs', import.meta.url));

export interface ServerJob {
  corpus: string;
  /** Absent: nothing is kept. */
  data?: string;
  durability?: 'none' | 'call' | 'disk';
  /** Absent: one process. */
  workers?: number;
}

/** Milliseconds on the clock that all processes of this machine share; `taking` and `taken` of a process that keeps sessions. */
export interface ServerTimes {
  begun: number;
  /** The program is loaded. */
  loaded: number;
  taking?: number;
  taken?: number;
  /** Of the processor, between the two. */
  takingCpuMs?: number;
  listening: number;
}

export interface SaidMore extends Said {
  /** Of all its processes, the one that listens first. */
  pids: number[];
  /** What became of the sessions that were there before. */
  outcomes?: Record<string, number>;
  times: ServerTimes;
}

export type Running = Served & { said: SaidMore };

export const startServer = (
  { dist, nodeArgs }: { dist: string | undefined; nodeArgs: readonly string[] },
  job: ServerJob,
): Promise<Running> => {
  const built = dirname(dirname(builtMain(dist)));
  return servedBy<SaidMore>(startNode([...nodeArgs, PROGRAM, JSON.stringify({ dist: built, ...job })], 'pipe'));
};

/** Waits until a savepoint holds all of every session. */
export const saved = async (server: Running): Promise<KeepingFigures> => {
  for (let waited = 0; waited < SAVED_MS; waited += 200) {
    const { keeping } = await server.admin<ServerInfo>('GET', '/v1/info');
    if (keeping?.unsaved === 0) return keeping;
    await sleep(200);
  }
  throw new Error('the sessions were not saved in time');
};
