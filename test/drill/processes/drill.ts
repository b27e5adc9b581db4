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
import { connect } from '../../../src/serve/client/client.js';
import type { Durability } from '../../../src/serve/durable/session/durability.js';
import { check } from '../checker.js';
import { recorded } from '../client.js';
import type { Drilled, Found, Recorded, Violation } from '../history.js';
import type { Ask } from '../line.js';
import type { Actor } from './actor.js';
import { DrillFront, type RunningWorker, signal } from './front.js';
import { Load } from './load.js';
import { type Fault, faultsOf } from './plan.js';
import { storeHistory, watchStore } from './store-history.js';

export interface ProcessDrill {
  durability: Durability;
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
/** Sessions with branches, for each that is opened at first. */
const BRANCHED = 2;
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

type Replay = (calls: readonly { tool: string; args: unknown }[]) => Promise<{ hash: string; ledger: Recorded[] }>;

/** What is found of one session over HTTP, and what its calls make of a fresh one. */
const find = async ({ trainer }: Load, { session, isOpen, why }: Actor, replay: Replay): Promise<Found> => {
  if (isOpen) return { session, stuck: why };
  const patient = trainer.with({ signal: AbortSignal.timeout(STUCK_MS) });
  try {
    const { entries } = await patient.ledger(session);
    const [{ seq, status, snapshots }, { hash }] = [await patient.session(session), await patient.state(session)];
    return { session, seq, status, snapshots, hash, ledger: recorded(entries), replayed: await replay(entries) };
  } catch (thrown) {
    return { session, stuck: asTreadleError(thrown, 'infrastructure').line() };
  }
};

const lookAt = async (load: Load, corpus: string): Promise<Found[]> => {
  const house = await openHouse({ dir: corpus, servers: [], limits: {}, onDefect: () => {} });
  try {
    const replay: Replay = async (calls) => {
      const { id } = await house.server.open({ task: load.options.task });
      const live = house.server.live(id);
      for (const { tool, args } of calls) await live.call(tool, args);
      const said = { hash: (await live.state()).hash, ledger: recorded(live.record().entries) };
      await house.server.close(id);
      return said;
    };
    const found: Found[] = [];
    for (const actor of load.actors) found.push(await find(load, actor, replay));
    return found;
  } finally {
    await house.close();
  }
};

const LAST: Ask = { do: 'call', call: '' };

/** Everybody is answered once more, or is stuck: what was lost is told by then. */
const lastWords = async (load: Load): Promise<void> => {
  const until = performance.now() + STUCK_MS;
  const isLate = (): boolean => performance.now() > until;
  const work = async (actor: Actor): Promise<void> => {
    const step = async (ask: Ask): Promise<void> => {
      while (!(await actor.step(load.bounded(), ask)) && !isLate()) await pause(100);
    };
    await actor.look(load.bounded()).catch(() => undefined);
    if (actor.isOpen) await step(LAST);
    if (actor.stand.status === 'paused') await step({ do: 'resume' });
    if (actor.stand.status !== 'closed') await step(LAST);
  };
  await Promise.all(load.actors.map(work));
};

/** For so long, and where the machine is slow until somebody was answered meanwhile, or a while is over. */
const goingOn = async (load: Load, ms: number): Promise<void> => {
  const before = load.answered;
  await pause(ms);
  for (let tries = 0; tries < 20 && load.answered === before; tries++) await pause(100);
};

const openIn = async ({ trainer }: Load): Promise<string[]> =>
  (await trainer.sessions()).filter(({ status }) => status !== 'closed').map(({ id }) => id);

export const drillProcesses = async ({
  durability,
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
    front = await DrillFront.on({ corpus: dir, data, durability, workers, leaseMs: LEASE_MS, token: TOKEN, say });
    await front.start({ name: 'nothing' });
    const records = await connect({ url: front.url, token: TOKEN }).records('task');
    const task = records[0]?.name ?? '';
    const load = new Load({ url: front.url, token: TOKEN, task, seed, most: Math.round(sessions * BRANCHED) });
    for (let i = 0; i < sessions; i++) load.begin();
    const processes = new Processes(front, say);
    for (const fault of faultsOf(rng(seed, 'process drill'), faults, workers)) {
      await goingOn(load, fault.ms);
      await processes.fault(fault);
    }
    processes.end();
    await front.kill();
    await front.start({ name: 'nothing' });
    await load.end();
    await lastWords(load);
    const found = await lookAt(load, dir);
    const there = await openIn(load);
    await front.close();
    const histories = load.actors.map(({ session, events, options: { inherited } }) => {
      return { session, events, isLine: true as const, inherited };
    });
    const drilled: Drilled = { durability, histories, found, there, ...(await storeHistory(data)), jobs: [] };
    return { drilled, violations: check(drilled) };
  } finally {
    front?.sweep();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};
