/** A drill by its seed: calls, savepoints and moves, and among them faults of every kind, one after another. */
import { type Rng, rng } from '../../../src/kit/rng.js';
import type { FaultPoint } from '../../../src/serve/durable/faults/fault-points.js';
import type { DrillClient } from '../client.js';
import type { Drilled } from '../history.js';
import { settled } from './clock.js';
import { Cluster, type ClusterOptions } from './cluster.js';
import { DrillJobs } from './jobs.js';
import type { Member } from './member.js';

export interface DrillOptions extends ClusterOptions {
  seed: number;
  faults: number;
  workers?: number;
  sessions?: number;
}

const IN_A_CALL: readonly FaultPoint[] = ['call.ran', 'log.append', 'call.logged'];
const IN_A_SAVE: readonly FaultPoint[] = [
  'savepoint.packed',
  'blob.put',
  'savepoint.put',
  'ownership.commit',
  'ownership.committed',
];
const IN_A_TAKING: readonly FaultPoint[] = [
  'ownership.claim',
  'ownership.claimed',
  'recover.session',
  'blob.get',
  'log.append',
];
const FAILING: readonly FaultPoint[] = [
  'log.append',
  'log.sync',
  'blob.put',
  'blob.get',
  'blob.delete',
  'ownership.claim',
  'ownership.commit',
  'ownership.renew',
];
const LOST: readonly FaultPoint[] = ['ownership.claimed', 'ownership.committed'];

export class Schedule {
  faults = 0;
  readonly random: Rng;
  readonly jobs: DrillJobs;

  constructor(
    readonly cluster: Cluster,
    readonly options: DrillOptions,
  ) {
    this.random = rng(options.seed, 'drill');
    this.jobs = new DrillJobs(cluster, this.random.stream('jobs'));
  }

  get #workers(): number {
    return this.options.workers ?? 3;
  }

  async run(): Promise<void> {
    const { cluster, random } = this;
    const { faults, sessions = 6 } = this.options;
    await this.jobs.enqueue(40);
    while (cluster.clients.length < sessions) await cluster.open(random.pick(cluster.up));
    while (this.faults < faults) {
      for (let calls = random.int(1, 6); calls > 0; calls--) await this.#ordinary();
      await this.#fault();
      await this.#mend();
    }
  }

  get #client(): DrillClient {
    return this.random.pick(this.cluster.clients);
  }

  async #ordinary(): Promise<void> {
    const { cluster, random } = this;
    const what = random.weighted([
      ['call', 10],
      ['save', 4],
      ['repeat', 1],
      ['move', 1],
      ['tidy', 1],
      ['job', 1],
      ['resume', 1],
    ] as const);
    cluster.note(what);
    if (what === 'call') await cluster.ask(this.#client);
    else if (what === 'save') await this.#save(this.#client);
    else if (what === 'repeat') await this.#repeat(this.#client);
    else if (what === 'move') await this.#move(this.#client);
    else if (what === 'tidy') await cluster.tidy();
    else if (what === 'job') await this.jobs.work();
    else await this.#resume();
  }

  async #save({ session }: DrillClient): Promise<void> {
    await this.cluster.owners.get(session)?.save(session);
  }

  async #repeat(client: DrillClient): Promise<void> {
    if (client.made > 0)
      await this.cluster.repeat(client, this.random.int(Math.max(0, client.made - 20), client.made - 1));
  }

  async #move({ session }: DrillClient): Promise<void> {
    const { cluster, random } = this;
    const from = cluster.owners.get(session);
    const to = random.pick(cluster.up);
    if (from && from !== to) await cluster.move(from, to, [session]);
  }

  async #fault(): Promise<void> {
    const { cluster, random } = this;
    this.faults++;
    const member = random.pick(cluster.up);
    const what = random.weighted([
      ['kill', 4],
      ['kill in a call', 4],
      ['kill in a save', 4],
      ['kill in a taking', 4],
      ['stop', 3],
      ['stop in a save', 5],
      ['stop in a taking', 2],
      ['answer lost', 4],
      ['failing', 6],
      ['restart', 1],
    ] as const);
    cluster.note(`fault: ${what} ${member.name}`);
    if (what === 'kill') await cluster.kill(member);
    else if (what === 'kill in a call') await this.#inACall(member);
    else if (what === 'kill in a save') await this.#inASave(member, 'end');
    else if (what === 'kill in a taking') await this.#inATaking(member, 'end');
    else if (what === 'stop') await cluster.outlive(member);
    else if (what === 'stop in a save') await this.#inASave(member, 'stop');
    else if (what === 'stop in a taking') await this.#inATaking(member, 'stop');
    else if (what === 'answer lost') await this.#answerLost(member);
    else if (what === 'failing') this.#failing(member);
    else await cluster.restart(this.#workers);
  }

  #sessionsOf(member: Member): DrillClient[] {
    return this.cluster.clients.filter(({ session }) => this.cluster.owners.get(session) === member);
  }

  async #inACall(member: Member): Promise<void> {
    const [client] = this.random.shuffle(this.#sessionsOf(member));
    member.points.arm(this.random.pick(IN_A_CALL), 'end');
    if (client) await this.cluster.ask(client);
    await this.cluster.kill(member);
  }

  /** Between taking the image and the store's word, or after that and before it is heard. */
  async #inASave(member: Member, what: 'stop' | 'end'): Promise<void> {
    const { cluster, random } = this;
    const own = random.shuffle(this.#sessionsOf(member));
    member.points.arm(random.pick(IN_A_SAVE), what);
    for (const client of own.slice(0, 2)) {
      await cluster.ask(client);
      await this.#save(client);
    }
    if (what === 'end') await cluster.kill(member);
    else await cluster.outlive(member);
  }

  /** Whoever takes up what a dead one left ends in the middle of it. */
  async #inATaking(member: Member, what: 'stop' | 'end'): Promise<void> {
    const { cluster, random } = this;
    const left = cluster.owners.size;
    const other = cluster.up.find((one) => one !== member && this.#sessionsOf(one).length > 0);
    if (other) await cluster.kill(other);
    if (left === cluster.owners.size) return;
    member.points.arm(random.pick(IN_A_TAKING), what);
    await cluster.adopt(member);
    await cluster.tidy();
    if (what === 'end') await cluster.kill(member);
    else await cluster.outlive(member);
  }

  async #answerLost(member: Member): Promise<void> {
    const { cluster, random } = this;
    const point = random.pick(LOST);
    member.points.arm(point, 'broken', random.int(1, 2));
    if (point === 'ownership.claimed' && cluster.clients.length < 12) await cluster.open(member);
    for (const client of this.#sessionsOf(member).slice(0, 2)) await this.#save(client);
  }

  #failing(member: Member): void {
    const { random } = this;
    member.points.arm(random.pick(FAILING), random.pick(['full', 'broken'] as const), random.int(1, 4));
  }

  /** A worker that slept past its lease wakes and goes on, whatever it believes; then it ends, or begins anew. */
  async #resume(): Promise<void> {
    const { cluster, random } = this;
    const [member] = random.shuffle(cluster.stopped);
    if (!member) return;
    await wakeUp(cluster, member, random.int(1, 3));
    await cluster.kill(member);
  }

  /** As many workers as there shall be, and an owner for each session where one can be had. */
  async #mend(): Promise<void> {
    const { cluster, random } = this;
    await cluster.bury();
    while (cluster.up.length < this.#workers) await cluster.add();
    if (cluster.stopped.length > 3) await this.#resume();
    for (let tries = 0; tries < 2 && cluster.orphans.length > 0; tries++) await cluster.adopt(random.pick(cluster.up));
    await cluster.bury();
    if (cluster.up.length === 0) await cluster.add();
  }
}

/** It goes on where it had stopped, calls and saves what it believes to have; nobody hears what it answers. */
export const wakeUp = async (cluster: Cluster, member: Member, rounds: number): Promise<void> => {
  member.points.disarm();
  member.points.goOn();
  await settled();
  for (let round = 0; round < rounds; round++)
    for (const client of cluster.clients) {
      const { session } = client;
      if (!member.kept(session)) continue;
      await client.inVain(async (call) => cluster.askAt(member, session, call));
      await member.save(session);
    }
};

export interface DrillEnd {
  drilled: Drilled;
  faults: number;
  cluster: Cluster;
}

/** The same seed, the same drill. The cluster is closed. */
export const drill = async (options: DrillOptions): Promise<DrillEnd> => {
  const cluster = await Cluster.start(options, options.workers ?? 3);
  try {
    const schedule = new Schedule(cluster, options);
    await schedule.run();
    const drilled = await cluster.end(schedule.random, await schedule.jobs.end());
    return { drilled, faults: schedule.faults, cluster };
  } finally {
    await cluster.close();
  }
};
