/** A drill of real processes: a front with workers under load, killed, stopped and starved by a plan, and checked in the end. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openHouse } from '../../../src/cli/serving/house.js';
import { asTreadleError } from '../../../src/errors.js';
import { rng } from '../../../src/kit/rng.js';
import { check } from '../checker.js';
import { type DrillClient, recorded } from '../client.js';
import type { Drilled, Found, Recorded, Violation } from '../history.js';
import { DrillFront, type RunningWorker, signal } from './front.js';
import { Load } from './load.js';
import { type Fault, faultsOf } from './plan.js';
import { storeHistory, watchStore } from './store-history.js';

export interface ProcessDrill {
  seed: number;
  faults: number;
  workers: number;
  sessions: number;
  /** Built from test/fixtures/documents/billing.yaml; built now when absent. */
  corpus: string | undefined;
  say: (line: string) => void;
}

export interface Drill {
  drilled: Drilled;
  violations: Violation[];
}

const LEASE_MS = 3_000;
/** Beyond its lease. */
const STOPPED_MS = 2_000;
const READY_TRIES = 100;
const TOKEN = 'a-token-of-the-drill-and-of-nobody-else';
const STUCK_MS = 60_000;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const builtCorpus = (out: string): string => {
  const args = [here('../../../dist/cli/main.js'), 'build', here('../../fixtures/documents/billing.yaml')];
  const { status, stderr } = spawnSync(process.execPath, [...args, '--tasks', '2', '--out', out, '--json'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`no corpus: ${stderr}`);
  return out;
};

class Processes {
  readonly stopped = new Set<number>();

  constructor(
    readonly front: DrillFront,
    readonly say: (line: string) => void,
  ) {}

  async fault(fault: Fault): Promise<void> {
    const { front } = this;
    if (fault.what === 'kill the front') {
      this.say(`kill the front; the next one has ${fault.next.name}`);
      await front.kill();
      await front.start(fault.next);
      return;
    }
    if (!front.isRunning) await front.start({ name: 'nothing' });
    const workers = await this.#ready();
    const worker = workers[fault.worker % Math.max(1, workers.length)];
    this.say(`${fault.what}: ${worker ? `${worker.name} ${worker.pid}` : 'none is there'}`);
    if (!worker) return;
    if (fault.what === 'kill a worker') signal(worker.pid, 'SIGKILL');
    else this.#stop(worker.pid);
  }

  /** Empty where none gets ready for a while. */
  async #ready(): Promise<RunningWorker[]> {
    for (let tries = 0; tries < READY_TRIES; tries++) {
      const all = await this.front.workers();
      const ready = all.filter(({ state, pid }) => state === 'ready' && !this.stopped.has(pid));
      if (ready.length > 0) return ready;
      await pause(100);
    }
    return [];
  }

  /** Past its lease; others have its sessions by then. */
  #stop(pid: number): void {
    signal(pid, 'SIGSTOP');
    this.stopped.add(pid);
    setTimeout(() => this.#goOn(pid), LEASE_MS + STOPPED_MS).unref();
  }

  #goOn(pid: number): void {
    if (this.stopped.delete(pid)) signal(pid, 'SIGCONT');
  }

  /** Whoever stopped goes on. */
  end(): void {
    for (const pid of [...this.stopped]) this.#goOn(pid);
  }
}

/** What is found of one session over HTTP, and what its calls make of a fresh one. */
const find = async (
  { trainer }: Load,
  { session }: DrillClient,
  replay: (calls: readonly { tool: string; args: unknown }[]) => Promise<{ hash: string; ledger: Recorded[] }>,
): Promise<Found> => {
  const patient = trainer.with({ signal: AbortSignal.timeout(STUCK_MS) });
  try {
    const { entries } = await patient.ledger(session);
    const [{ seq }, { hash }] = [await patient.session(session), await patient.state(session)];
    return { session, seq, hash, ledger: recorded(entries), replayed: await replay(entries) };
  } catch (thrown) {
    return { session, stuck: asTreadleError(thrown, 'infrastructure').line() };
  }
};

const lookAt = async (load: Load, corpus: string): Promise<Found[]> => {
  const house = await openHouse({ dir: corpus, servers: [], limits: {}, onDefect: () => {} });
  try {
    const replay = async (calls: readonly { tool: string; args: unknown }[]) => {
      const { id } = await house.server.open({ task: load.task });
      const live = house.server.live(id);
      for (const { tool, args } of calls) await live.call(tool, args);
      return { hash: (await live.state()).hash, ledger: recorded(live.record().entries) };
    };
    const found: Found[] = [];
    for (const client of load.clients) found.push(await find(load, client, replay));
    return found;
  } finally {
    await house.close();
  }
};

/** Everybody is answered once more, or is stuck. */
const lastWords = async (load: Load): Promise<void> => {
  const until = performance.now() + STUCK_MS;
  const work = async (client: DrillClient): Promise<void> => {
    while (!(await load.ask(client)) && performance.now() < until) await pause(100);
  };
  await Promise.all(load.clients.map(work));
};

export const drillProcesses = async ({
  seed,
  faults,
  workers,
  sessions,
  corpus,
  say,
}: ProcessDrill): Promise<Drill> => {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-drill-'));
  const data = join(folder, 'data');
  let front: DrillFront | undefined;
  try {
    const dir = corpus ?? builtCorpus(join(folder, 'corpus'));
    await watchStore(data);
    front = await DrillFront.on({ corpus: dir, data, workers, leaseMs: LEASE_MS, token: TOKEN, say });
    await front.start({ name: 'nothing' });
    const tasks = await new Load(front.url, TOKEN, '').trainer.records('task');
    const load = new Load(front.url, TOKEN, tasks[0]?.name ?? '');
    for (let i = 0; i < sessions; i++) load.begin();
    const processes = new Processes(front, say);
    for (const fault of faultsOf(rng(seed, 'process drill'), faults, workers)) {
      await pause(fault.ms);
      await processes.fault(fault);
    }
    processes.end();
    await front.kill();
    await front.start({ name: 'nothing' });
    await load.end();
    await lastWords(load);
    const found = await lookAt(load, dir);
    await front.close();
    const histories = load.clients.map(({ session, events }) => ({ session, events }));
    const drilled: Drilled = { durability: 'call', histories, found, ...(await storeHistory(data)), jobs: [] };
    return { drilled, violations: check(drilled) };
  } finally {
    front?.sweep();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};
