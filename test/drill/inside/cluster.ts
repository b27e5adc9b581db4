/** Several workers over one store and one data folder, all in this process: what a front does with them, under a clock that is moved by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { canonicalJson } from '../../../src/kit/hash.js';
import type { Rng } from '../../../src/kit/rng.js';
import { memoryBlobs } from '../../../src/serve/blobs/memory.js';
import type { Jobs } from '../../../src/serve/durable/jobs/jobs.js';
import { memoryJobs } from '../../../src/serve/durable/jobs/memory.js';
import { storeJobs } from '../../../src/serve/durable/jobs/stored.js';
import { memoryOwnership } from '../../../src/serve/durable/ownership/memory.js';
import type { Ownership } from '../../../src/serve/durable/ownership/ownership.js';
import { storeOwnership } from '../../../src/serve/durable/ownership/stored.js';
import type { Durability } from '../../../src/serve/durable/session/durability.js';
import { deadLogs, isSettled, readLogs, removeLogs } from '../../../src/serve/durable/session/logs.js';
import { openStore } from '../../../src/serve/durable/store/libsql.js';
import type { Store } from '../../../src/serve/durable/store/store.js';
import type { Engine } from '../../../src/world/state/engine.js';
import { type FixtureServer, fixtureServer } from '../../fixtures/server.js';
import { type Call, DrillClient, recorded } from '../client.js';
import type { Drilled, Found, OwnershipStep, Recorded } from '../history.js';
import { drillClock, settled } from './clock.js';
import { LEASE_MS, Member } from './member.js';
import { HALTED } from './points.js';
import { watched } from './watched.js';

export interface ClusterOptions {
  engine: Engine;
  durability: Durability;
  store: 'memory' | 'disk';
  /** False to see that the checker notices. */
  fence?: boolean;
}

const TASK = { task: 'fixture/new-customer-1' };

/** Every eleventh is a mistake of the agent's, which is kept as any other call is. */
const callOf = (n: number): Omit<Call, 'operation'> =>
  n % 11 === 10
    ? { tool: 'no_such_tool', args: { n } }
    : { tool: 'create_customer', args: { name: `Customer ${n}`, email: `c${n}@mail.example` } };

export class Cluster {
  readonly clock = drillClock();
  readonly folder = mkdtempSync(join(tmpdir(), 'treadle-drill-'));
  readonly blobs = memoryBlobs();
  readonly steps: OwnershipStep[] = [];
  readonly clients: DrillClient[] = [];
  /** Of each session; absent while it has none. */
  readonly owners = new Map<string, Member>();
  /** What the drill did, in its order, for whoever looks for a cause. */
  readonly notes: string[] = [];
  up: Member[] = [];
  /** Stopped past their lease: others have their sessions. */
  stopped: Member[] = [];
  jobs!: Jobs;
  /** Keeps nothing, and nothing happens to it: its registry is everybody's, and calls are run again on it. */
  readonly #quiet: FixtureServer;
  #ownership!: Ownership;
  #store: Store | undefined;
  #names = 0;

  private constructor(readonly options: ClusterOptions) {
    this.#quiet = fixtureServer(options.engine);
  }

  static async start(options: ClusterOptions, workers: number): Promise<Cluster> {
    const cluster = new Cluster(options);
    await cluster.#openStore();
    for (let i = 0; i < workers; i++) await cluster.add();
    return cluster;
  }

  get logs(): string {
    return join(this.folder, 'logs');
  }
  get ownership(): Ownership {
    return this.#ownership;
  }

  async #openStore(): Promise<void> {
    const { fence = true, store } = this.options;
    const { clock } = this;
    if (store === 'memory') {
      this.#ownership = watched(memoryOwnership(clock, { fence }), this.steps);
      this.jobs = memoryJobs(clock, { attempts: 1_000 });
      return;
    }
    this.#store = await openStore(join(this.folder, 'store'), { clock });
    this.#ownership = watched(storeOwnership(this.#store, { fence }), this.steps);
    this.jobs = storeJobs(this.#store, { attempts: 1_000 });
  }

  async add(): Promise<Member> {
    const { engine, durability } = this.options;
    const { folder, blobs, clock } = this;
    const ownership = (): Ownership => this.#ownership;
    const name = `w${++this.#names}`;
    const { registry } = this.#quiet;
    const member = await Member.start({ name, engine, registry, folder, durability, ownership, blobs, clock });
    this.up.push(member);
    return member;
  }

  /** Undefined where that worker could not. */
  async open(member: Member): Promise<DrillClient | undefined> {
    const opened = await member.heard(() => member.server.open(TASK)).catch(() => HALTED);
    if (opened === HALTED) return undefined;
    const client = new DrillClient((opened as { id: string }).id, callOf);
    this.clients.push(client);
    this.owners.set(client.session, member);
    await settled();
    return client;
  }

  /** Asks whoever has the session; nobody answers where it has no owner. */
  ask = async (client: DrillClient): Promise<boolean> => client.ask((call) => this.#asked(client, call));

  repeat = async (client: DrillClient, n: number): Promise<void> =>
    client.repeat(n, (call) => this.#asked(client, call));

  async #asked({ session }: DrillClient, call: Call) {
    const owner = this.owners.get(session);
    if (!owner) return undefined;
    const said = await owner.heard(() => this.askAt(owner, session, call));
    return said === HALTED ? undefined : said;
  }

  askAt(member: Member, session: string, { tool, args, operation }: Call) {
    return member.server.live(session).call(tool, args, { operation });
  }

  get orphans(): string[] {
    return this.clients.map(({ session }) => session).filter((session) => !this.owners.has(session));
  }

  #disown(member: Member): void {
    for (const [session, owner] of this.owners) if (owner === member) this.owners.delete(session);
    this.up = this.up.filter((one) => one !== member);
  }

  note(what: string): void {
    this.notes.push(`${what} (${this.clients.map(({ events }) => events.length).join(' ')})`);
  }

  /** It died and was seen to. */
  async kill(member: Member): Promise<void> {
    this.note(`kill ${member.name}`);
    this.#disown(member);
    this.stopped = this.stopped.filter((one) => one !== member);
    await member.end();
    await this.#ownership.bury(member.house.incarnation);
  }

  /** It has stopped, and nobody hears of it until its lease is over. */
  async outlive(member: Member): Promise<void> {
    this.note(`stop ${member.name} past its lease`);
    member.points.stop();
    this.#disown(member);
    this.stopped.push(member);
    await this.pass(LEASE_MS + LEASE_MS / 3);
    await this.bury();
  }

  /** Time, in steps in which everybody who lives prolongs its lease. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += LEASE_MS / 3) {
      this.clock.advance(LEASE_MS / 3);
      await settled();
      await this.#ownership.reap();
    }
  }

  /** Workers that ended by themselves, or whose lease was lost. */
  async bury(): Promise<void> {
    for (const member of [...this.up]) if (member.points.isEnded || member.isLost) await this.kill(member);
  }

  async #dead(): Promise<string[]> {
    const alive = (await this.#ownership.workers()).filter(({ dead }) => !dead);
    return deadLogs(
      this.logs,
      alive.map(({ incarnation }) => incarnation),
    );
  }

  /** Gives sessions without an owner to `to`, as a front does: what could not be had stays nobody's. */
  async adopt(to: Member, sessions: readonly string[] = this.orphans): Promise<void> {
    if (sessions.length === 0) return;
    const folders = await this.#dead();
    const taken = await to.heard(() => to.house.adopt(folders, sessions)).catch(() => HALTED);
    this.note(`${to.name} takes up ${typeof taken === 'symbol' ? 'and is not heard' : canonicalJson(taken.sessions)}`);
    if (taken === HALTED || typeof taken === 'symbol') return;
    for (const { session, outcome } of taken.sessions)
      if (outcome === 'recovered' || outcome === 'rolled_back') this.owners.set(session, to);
  }

  /** Removes the logs that nobody needs any more. */
  async tidy(): Promise<void> {
    this.note('tidy');
    const rows = new Map((await this.#ownership.sessions()).map((row) => [row.session, row]));
    for (const folder of await this.#dead()) {
      if (!isSettled(readLogs([folder]), rows)) continue;
      removeLogs([folder]);
      this.note(`removed ${basename(folder)}`);
    }
  }

  async move(from: Member, to: Member, sessions: readonly string[]): Promise<void> {
    for (const session of sessions) this.owners.delete(session);
    const went = await from.heard(() => from.house.release(sessions)).catch(() => HALTED);
    if (went === HALTED || typeof went === 'symbol') return;
    for (const session of sessions) if (!went.includes(session)) this.owners.set(session, from);
    await this.adopt(to, went);
  }

  /** Everything dies, the store's process too; as many workers as before come back. */
  async restart(workers: number): Promise<void> {
    for (const member of [...this.up, ...this.stopped]) await this.kill(member);
    await this.#store?.close();
    if (this.#store) await this.#openStore();
    for (const { incarnation } of await this.#ownership.workers()) await this.#ownership.bury(incarnation);
    for (let i = 0; i < workers; i++) await this.add();
    const orphans = this.orphans;
    for (const [i, member] of this.up.entries())
      await this.adopt(
        member,
        orphans.filter((_, n) => n % workers === i),
      );
  }

  /** A session that no drill ever touched, asked the same. */
  async #replay(ledger: readonly { tool: string; args: unknown }[]): Promise<{ hash: string; ledger: Recorded[] }> {
    const { server } = this.#quiet;
    const { id } = await server.open(TASK);
    const live = server.live(id);
    for (const { tool, args } of ledger) await live.call(tool, args);
    const said = { hash: (await live.state()).hash, ledger: recorded(live.record().entries) };
    await server.close(id);
    return said;
  }

  async #find({ session }: DrillClient): Promise<Found> {
    const owner = this.owners.get(session);
    if (!owner) return { session, stuck: 'nobody has it' };
    const live = owner.server.live(session);
    const { entries } = live.record();
    const { hash } = await live.state();
    return { session, seq: live.info().seq, hash, ledger: recorded(entries), replayed: await this.#replay(entries) };
  }

  /** Faults are over; every session is asked once more, and all is looked at. `random` picks who takes up what is nobody's. */
  async end(random: Rng, jobs: Drilled['jobs'] = []): Promise<Drilled> {
    for (const member of this.up) member.points.disarm();
    await this.bury();
    for (const member of [...this.stopped]) await this.kill(member);
    if (this.up.length === 0) await this.add();
    for (let tries = 0; tries < 20 && this.orphans.length > 0; tries++) await this.adopt(random.pick(this.up));
    for (const client of this.clients) for (let tries = 0; tries < 3; tries++) if (await this.ask(client)) break;
    const found: Found[] = [];
    for (const client of this.clients) found.push(await this.#find(client));
    const heads = (await this.#ownership.sessions()).flatMap(({ session, head }) =>
      head ? [{ session, ...head }] : [],
    );
    const histories = this.clients.map(({ session, events }) => ({ session, events }));
    return { durability: this.options.durability, histories, found, ownership: this.steps, heads, jobs };
  }

  async close(): Promise<void> {
    for (const member of [...this.up, ...this.stopped]) await member.end();
    await this.#quiet.server.shutDown();
    await this.#store?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** For a message: all that one session went through. */
  told(session: string): string {
    const client = this.clients.find((one) => one.session === session);
    const steps = this.steps.filter((step) => step.session === session);
    return [...this.notes, ...(client?.events ?? []), ...steps].map((one) => canonicalJson(one)).join('\n');
  }
}
