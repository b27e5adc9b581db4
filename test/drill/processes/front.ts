/** The front of a drill: a child process on a data folder, killed and started again on the same ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { FAULTS_VARIABLE, type FaultPlan } from '../../../src/serve/durable/faults/seeded.js';
import type { Durability } from '../../../src/serve/durable/session/durability.js';

export interface FrontPlan {
  name: string;
  faults?: FaultPlan;
  /** No disk has so much. */
  diskReserve?: number;
}

export interface RunningWorker {
  name: string;
  pid: number;
  state: string;
}

export interface FrontOptions {
  corpus: string;
  data: string;
  durability: Durability;
  workers: number;
  leaseMs: number;
  token: string;
  say: (line: string) => void;
}

const START_MS = 60_000;
const WORKER = fileURLToPath(new URL('../../../dist/cli/serving/worker-main.js', import.meta.url));

/** Each process has the faults of what it does: the front those of the store, workers those of logs, blobs and sessions. */
const planned = (faults: FaultPlan | undefined, ofFront: boolean): Record<string, string> => {
  const isOfFront = (point: string): boolean => /^(ownership|store)\./.test(point);
  const rules = faults?.rules.filter(({ point }) => isOfFront(point) === ofFront) ?? [];
  return faults && rules.length > 0 ? { [FAULTS_VARIABLE]: JSON.stringify({ ...faults, rules }) } : {};
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

export class DrillFront {
  /** Of all processes that any front of it started. */
  readonly pids = new Set<number>();
  #child: ChildProcess | undefined;
  #ended: Promise<undefined> = Promise.resolve(undefined);

  private constructor(
    readonly options: FrontOptions,
    readonly ports: { agents: number; trainers: number },
  ) {}

  static async on(options: FrontOptions): Promise<DrillFront> {
    return new DrillFront(options, { agents: await freePort(), trainers: await freePort() });
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports.trainers}`;
  }

  /** One that cannot start under its plan is started without. */
  async start(plan: FrontPlan): Promise<void> {
    if (await this.#started(plan)) return;
    this.options.say(`the front did not start with ${plan.name}`);
    if (!(await this.#started({ name: 'nothing' }))) throw new Error('the front does not start');
  }

  async #started({ faults, diskReserve }: FrontPlan): Promise<boolean> {
    const { corpus, data, durability, workers, leaseMs, token } = this.options;
    const options = {
      dir: corpus,
      data,
      durability,
      servers: [],
      limits: {},
      warm: false,
      lean: false,
      workers,
      leaseMs,
      ...(diskReserve === undefined ? {} : { diskReserve }),
      front: { healthMs: 200, again: { firstMs: 50, mostMs: 500 }, starts: 100 },
      command: { command: process.execPath, args: [WORKER], env: planned(faults, false) },
      doors: { agents: { port: this.ports.agents }, trainers: { port: this.ports.trainers, token } },
    };
    const env = { ...process.env, ...planned(faults, true) };
    const program = fileURLToPath(new URL('./front.mjs', import.meta.url));
    const child = spawn(process.execPath, [program, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', process.env.DRILL_LOUD ? 'inherit' : 'ignore', 'ipc'],
      env,
    });
    this.#child = child;
    if (child.pid !== undefined) this.pids.add(child.pid);
    const late = setTimeout(() => child.kill('SIGKILL'), START_MS);
    this.#ended = once(child, 'exit').then(() => undefined);
    const said = await Promise.race([once(child, 'message'), this.#ended]);
    clearTimeout(late);
    if (said !== undefined) await this.workers();
    return said !== undefined;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Empty where it does not answer. */
  async workers(): Promise<RunningWorker[]> {
    const child = this.#child;
    if (!child?.connected) return [];
    child.send('workers');
    const said = await Promise.race([once(child, 'message'), this.#ended]);
    const { workers = [] } = (said?.[0] ?? {}) as { workers?: RunningWorker[] };
    for (const { pid } of workers) this.pids.add(pid);
    return workers;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || !this.isRunning) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** In order. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || !this.isRunning) return;
    const ended = once(child, 'exit');
    child.send('end');
    await ended;
  }

  /** Whatever is left of what it started. */
  sweep(): void {
    for (const pid of this.pids) signal(pid, 'SIGKILL');
  }
}

/** A process that is gone minds nothing. */
export const signal = (pid: number, name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself.
  }
};
