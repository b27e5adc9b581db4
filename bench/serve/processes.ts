/** Processes that a benchmark starts, each ended by its own id whatever happens, and what Linux says of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export const startNode = (args: readonly string[], io: 'ipc' | 'pipe', env: NodeJS.ProcessEnv = {}): ChildProcess => {
  const stdio = io === 'ipc' ? (['ignore', 2, 2, 'ipc'] as const) : (['ignore', 'pipe', 2] as const);
  const child = spawn(process.execPath, [...args], { stdio: [...stdio], env: { ...process.env, ...env } });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
};

/** Asks it to end, and ends it when it does not within `patienceMs`. */
export const stop = async (child: ChildProcess, patienceMs = 8_000): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const cut = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await gone;
  clearTimeout(cut);
};

export interface Worker {
  pid: number;
  ask<T>(job: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** A process that runs bench/serve/<name>.ts and is ready to be asked. */
export const startWorker = async (name: string): Promise<Worker> => {
  const child = startNode([fileURLToPath(new URL('./child.mjs', import.meta.url)), name], 'ipc');
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let asked = 0;
  const wait = <T>(id: number): Promise<T> =>
    new Promise<T>((resolve, reject) => waiting.set(id, { resolve: resolve as (value: unknown) => void, reject }));
  child.on('message', ({ id, answer, failed }: { id: number; answer?: unknown; failed?: string }) => {
    if (failed === undefined) waiting.get(id)?.resolve(answer);
    else waiting.get(id)?.reject(new Error(failed));
    waiting.delete(id);
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`bench/serve/${name} ended with ${code}`));
  });
  await wait(0);
  return {
    pid: child.pid as number,
    ask: (job) => {
      const id = ++asked;
      child.send({ id, job });
      return wait(id);
    },
    stop: () => stop(child),
  };
};

const fieldOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;

export interface Memory {
  rssMiB: number;
  /** Highest so far. */
  peakMiB: number;
  /** Shared pages counted by share. */
  pssMiB: number;
}

/** Of /proc; throws elsewhere than on Linux. */
export const memoryOf = (pid: number): Memory => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return { rssMiB: fieldOf(status, 'VmRSS'), peakMiB: fieldOf(status, 'VmHWM'), pssMiB: fieldOf(rollup, 'Pss') };
};

const TICKS_A_SECOND = 100;

const cpuOfOne = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
};

/** Of a server's process, or of all of them. */
export type Pids = number | readonly number[];

/** User and system, all threads. */
export const cpuSecondsOf = (pids: Pids): number => [pids].flat().reduce((sum, pid) => sum + cpuOfOne(pid), 0);
