/**
 * One rollout's private copy of a world: a group of States (one a service), a workspace, a virtual clock and a ledger. In
 * process; certification, gates and rollouts run on it directly, and the protocols sit on top (weft.txt 3.3.3).
 */
import type { LedgerEntry, Touch } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import { sha256 } from '../../kit/hash.js';
import { callToolAsync } from '../../world/code/call.js';
import type { LoadedService, LoadedWorld, WorldTool } from '../../world/loaded.js';
import { callTool } from '../../world/program/call.js';
import type { CallContext, Caller, ToolOutcome } from '../../world/program/types.js';
import { diffStates } from '../../world/state/diff.js';
import type { FrozenState, State } from '../../world/state/state.js';
import type { RowChange } from '../../world/state/types.js';
import { Workspace } from '../../world/workspace/workspace.js';
import type { CallOptions, CallOutcome, SessionTool, ToolHost } from '../tool-host.js';
import { besideOf } from './beside.js';
import { type Book, plainBook } from './book.js';
import { toolGroups } from './describe.js';
import { type Answered, outcomeOf, unknownTool } from './entry.js';
import type { Woven, WovenCall } from './woven.js';

/** Virtual seconds a call takes when its tool declares none. */
const CALL_SECONDS = 5;
/** SQLite VM steps one tool call may use before it is stopped. */
const CALL_BUDGET = 5_000_000;

export interface SessionOptions {
  id: string;
  /** Services whose tools are offered; all of them when absent. */
  services?: readonly string[];
  me: Caller;
  /** Where calls are written down; a list in memory when absent. */
  book?: Book;
  /** Leaves the tools' content hashes out of the entries, where nobody reads them: hashing a tool takes as long as a call. */
  isUnversioned?: boolean;
  /** What is woven into its calls: injected faults. */
  woven?: Woven;
}

/** A point to come back to. Drop it when it is no longer needed. */
export interface SessionSnapshot {
  states: ReadonlyMap<string, FrozenState>;
  workspace: Workspace;
  clock: number;
  book: Book;
  woven?: Woven | undefined;
}

interface Inside {
  /** Forked when first needed: most sessions touch one or two services of a world. */
  states: Map<string, State>;
  workspace: Workspace;
  clock: number;
  book: Book;
  woven?: Woven | undefined;
}

type Origin = Pick<Session, 'id' | 'world' | 'me' | 'offered' | 'isUnversioned'>;

export class Session implements ToolHost {
  readonly id: string;
  readonly world: LoadedWorld;
  readonly me: Caller;
  readonly offered: ReadonlySet<string>;
  readonly isUnversioned: boolean;
  #in: Inside;
  #tools: SessionTool[] | undefined;
  #dropped = false;

  private constructor(from: Origin, inside: Inside, tools?: SessionTool[]) {
    this.world = from.world;
    this.id = from.id;
    this.me = from.me;
    this.offered = from.offered;
    this.isUnversioned = from.isUnversioned;
    this.#in = inside;
    this.#tools = tools;
  }

  /** A session on the world's initial state. Throws `unknown_service` for a service that the world lacks. */
  static open(world: LoadedWorld, options: SessionOptions): Session {
    const unknown = options.services?.find((id) => !world.services.has(id));
    if (unknown !== undefined) {
      const next = `It has ${[...world.services.keys()].join(', ')}.`;
      throw new TreadleError({
        code: 'unknown_service',
        message: `World ${world.spec.id} has no such service`,
        value: unknown,
        next,
      });
    }
    const offered = new Set(options.services ?? world.services.keys());
    const { clock } = world.spec;
    const { id, me, isUnversioned = false, book = plainBook(), woven } = options;
    const inside = { states: new Map(), workspace: new Workspace(), clock, book, woven };
    return new Session({ id, world, me, offered, isUnversioned }, inside);
  }

  /** A session that goes on from a point kept elsewhere; it takes the states over. */
  static resume(world: LoadedWorld, options: SessionOptions, from: Omit<Inside, 'book'>): Session {
    const session = Session.open(world, options);
    session.#in = { ...from, book: session.#in.book };
    return session;
  }

  get clock(): number {
    return this.#in.clock;
  }
  get ledger(): readonly LedgerEntry[] {
    return this.#in.book.entries();
  }
  /** Calls so far. */
  get calls(): number {
    return this.#in.book.length;
  }
  get book(): Book {
    return this.#in.book;
  }
  /** Databases that the session has copies of its own of. */
  get states(): ReadonlyMap<string, State> {
    return this.#in.states;
  }
  get workspace(): Workspace {
    return this.#in.workspace;
  }
  get woven(): Woven | undefined {
    return this.#in.woven;
  }

  /** The session's own copy of a service's database. Throws `unknown_service`, also once the session was dropped. */
  state(service: string): State {
    const known = this.#in.states.get(service);
    if (known) return known;
    const made = this.#pristine(service).fork();
    this.#in.states.set(service, made);
    return made;
  }

  /** As `state`, for reading only: the shared initial state where the session has no copy of its own yet. */
  view(service: string): State {
    return this.#in.states.get(service) ?? this.#pristine(service);
  }

  /** One hash over all databases: equal states, equal hash. */
  hash(): string {
    const parts = [...this.world.services.keys()].map((id) => `${id}:${this.view(id).hash()}`);
    return sha256(parts.join('\n'));
  }

  /** Whether all databases hold the same bytes as another session's of the same world; cheaper than two hashes. */
  equals(other: Session): boolean {
    return [...this.world.services.keys()].every((id) => {
      const [own, theirs] = [this.view(id), other.view(id)];
      return own === theirs || own.equals(theirs);
    });
  }

  #pristine(service: string): State {
    const loaded = this.#dropped ? undefined : this.world.services.get(service);
    if (!loaded) {
      throw new TreadleError({
        code: 'unknown_service',
        message: 'The session has no such service',
        value: service,
        fault: 'world',
      });
    }
    return loaded.pristine;
  }

  tools(): SessionTool[] {
    this.#tools ??= this.groups().flat();
    return this.#tools;
  }

  groups(): (readonly SessionTool[])[] {
    const own = toolGroups(this.world, this.offered);
    const { woven } = this.#in;
    return woven?.tools ? [...own, woven.tools] : own;
  }

  /**
   * Runs one tool call, keeps it in the ledger and lets virtual time pass. What an agent can get wrong comes back as a result. A
   * code tool holds the thread until its process has answered; `perform` does not.
   */
  call(name: string, args: unknown, options?: CallOptions): CallOutcome {
    const found = this.#find(name);
    if (!found) return this.#elsewhere(name, args);
    const { service, tool } = found;
    const started = elapsedMs();
    const instead = this.#in.woven && this.#instead(this.#in.woven, found, name, args, started);
    if (instead) return instead;
    const { connection } = service;
    connection.bind(this.state(service.id));
    connection.record('keys');
    const outcome = callTool(service.program, tool.name, connection, args, this.#context());
    return this.#noted(found, name, args, outcome, connection.touched(), started, options);
  }

  /** As `call`, for servers: a code tool answers later, without holding anybody up. Calls must follow one another. */
  perform(name: string, args: unknown, options?: CallOptions): CallOutcome | Promise<CallOutcome> {
    const found = this.#find(name);
    if (!found || found.tool.loadClass === 'declared') return this.call(name, args, options);
    const { service, tool } = found;
    const started = elapsedMs();
    const instead = this.#in.woven && this.#instead(this.#in.woven, found, name, args, started);
    if (instead) return instead;
    const state = this.state(service.id);
    return callToolAsync(service.program, tool.name, state, service.connection, args, this.#context()).then((outcome) =>
      this.#noted(found, name, args, outcome, outcome.touched, started, options),
    );
  }

  /** A tool that something woven in brings, or none at all. */
  #elsewhere(name: string, args: unknown): CallOutcome {
    const { woven } = this.#in;
    const added = woven?.tools?.find((tool) => tool.name === name);
    if (!woven?.perform || !added) return this.note({ tool: name, args }, unknownTool(name));
    const answered = woven.perform(name, args, this);
    return this.note({ tool: name, args, toolVersion: added.version }, answered, answered.seconds ?? 0);
  }

  #find(name: string): WorldTool | undefined {
    const found = this.world.tools.get(name);
    return found && this.offered.has(found.service.id) ? found : undefined;
  }

  #woven({ service, tool }: WorldTool, name: string, args: unknown): WovenCall {
    return { spec: service.spec, tool: name, args, isRead: tool.tool.writes.length === 0, index: this.#in.book.length };
  }

  /** The outcome where something woven in answers in the tool's place. */
  #instead(woven: Woven, found: WorldTool, name: string, args: unknown, started: number): CallOutcome | undefined {
    const answered = woven.instead(this.#woven(found, name, args));
    if (!answered) return undefined;
    const { service, tool } = found;
    const called = { service: service.id, tool: name, toolVersion: this.isUnversioned ? '' : tool.version, args };
    const seconds = answered.seconds ?? tool.tool.duration ?? CALL_SECONDS;
    return this.note(called, answered, seconds, elapsedMs() - started);
  }

  #noted(
    found: WorldTool,
    name: string,
    args: unknown,
    outcome: ToolOutcome,
    rows: readonly RowChange[],
    started: number,
    options?: CallOptions,
  ): CallOutcome {
    const { service, tool } = found;
    const touched = rows.map(
      ({ table, key, change, cols }): Touch => ({ service: service.id, table, key, change, cols }),
    );
    const { ok, result } = outcome;
    const plain = { ok, result, error: outcome.ok ? undefined : outcome.error, touched };
    const { woven } = this.#in;
    const answered = woven ? woven.after(this.#woven(found, name, args), plain) : plain;
    const called = { service: service.id, tool: name, toolVersion: this.isUnversioned ? '' : tool.version, args };
    const noted = this.note(called, answered, tool.tool.duration ?? CALL_SECONDS, elapsedMs() - started);
    if (options?.beside && noted.ok === outcome.ok) options.beside(besideOf(outcome));
    return noted;
  }

  #context(): CallContext {
    const { clock: now, workspace } = this.#in;
    return { now, me: this.me, seed: this.world.spec.seed, workspace, budget: CALL_BUDGET };
  }

  /** Writes a call down that was answered elsewhere (an outside server's); `seconds` of virtual time pass. */
  note(
    call: { tool: string; args: unknown; service?: string; toolVersion?: string },
    answered: Answered,
    seconds = 0,
    ms = 0,
  ): CallOutcome {
    const { book, clock: at } = this.#in;
    const { tool, args, service = '', toolVersion = '' } = call;
    const outcome = outcomeOf({ service, tool, toolVersion, args, index: book.length, at }, answered);
    this.#in.clock += seconds;
    book.push(outcome.entry, ms);
    this.#in.woven?.settle?.(outcome.entry, this);
    return outcome;
  }

  /** Lets virtual time pass, as if nobody had called for so long. */
  advance(seconds: number): number {
    this.#in.clock += seconds;
    return this.#in.clock;
  }

  /** A second session from exactly this point. O(services it used); pages are shared until either side writes. */
  fork(id: string, book: Book = this.#in.book.fork()): Session {
    const { states, workspace, clock, woven } = this.#in;
    const forked = new Map<string, State>();
    for (const [service, state] of states) forked.set(service, state.fork());
    const { world, me, offered, isUnversioned } = this;
    const inside = { states: forked, workspace: workspace.fork(), clock, book, woven: woven?.fork() };
    return new Session({ id, world, me, offered, isUnversioned }, inside, this.#tools);
  }

  snapshot(): SessionSnapshot {
    const { states, workspace, clock, book, woven } = this.#in;
    const frozen = new Map<string, FrozenState>();
    for (const [service, state] of states) frozen.set(service, state.snapshot());
    return { states: frozen, workspace: workspace.fork(), clock, book: book.fork(), woven: woven?.fork() };
  }

  restore(to: SessionSnapshot): void {
    for (const [service, state] of this.#in.states) {
      if (to.states.has(service)) continue;
      state.drop();
      this.#in.states.delete(service);
    }
    for (const [service, frozen] of to.states) this.state(service).restore(frozen);
    this.#in.book.drop();
    const { states } = this.#in;
    this.#in = {
      states,
      workspace: to.workspace.fork(),
      clock: to.clock,
      book: to.book.fork(),
      woven: to.woven?.fork(),
    };
  }

  /** Back to the world's initial state, as if newly opened. */
  reset(book: Book = plainBook()): void {
    this.drop();
    this.#dropped = false;
    const woven = this.#in.woven?.renewed();
    this.#in = { states: new Map(), workspace: new Workspace(), clock: this.world.spec.clock, book, woven };
  }

  /** Rows that differ from the initial state, per service; services without a change are left out. */
  diff(): Record<string, RowChange[]> {
    const out: Record<string, RowChange[]> = {};
    for (const service of this.world.services.values()) {
      const changes = this.#changes(service);
      if (changes.length > 0) out[service.id] = changes;
    }
    return out;
  }

  #changes(service: LoadedService): RowChange[] {
    const own = this.#in.states.get(service.id);
    return own ? diffStates(service.pristine, own, service.keys) : [];
  }

  /** Gives the session's pages back, and its book. */
  drop(): void {
    if (!this.#dropped) this.release().drop();
  }

  /** Gives the pages back and hands out the book: the session goes on elsewhere. */
  release(): Book {
    for (const state of this.#in.states.values()) state.drop();
    this.#in.states.clear();
    this.#dropped = true;
    return this.#in.book;
  }
}

/** Gives a snapshot's pages back. */
export const dropSnapshot = (snapshot: SessionSnapshot): void => {
  for (const frozen of snapshot.states.values()) frozen.drop();
  snapshot.book.drop();
};
