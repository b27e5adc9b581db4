/**
 * One rollout's private copy of a world: a group of States (one a service), a workspace, a virtual clock and a ledger. In
 * process; certification, gates and rollouts run on it directly, and the protocols sit on top (weft.txt 3.3.3).
 */
import type { LedgerEntry, Touch } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import { type Json, sha256 } from '../../kit/hash.js';
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import { callTool } from '../../world/program/call.js';
import type { Caller } from '../../world/program/types.js';
import { diffStates } from '../../world/state/diff.js';
import type { FrozenState, State } from '../../world/state/state.js';
import type { RowChange } from '../../world/state/types.js';
import { Workspace } from '../../world/workspace/workspace.js';
import type { CallOutcome, SessionTool, ToolHost } from '../tool-host.js';
import { describeTool } from './describe.js';

/** Virtual seconds a call takes when its tool declares none. */
const CALL_SECONDS = 5;
/** SQLite VM steps one tool call may use before it is stopped. */
const CALL_BUDGET = 5_000_000;

export interface SessionOptions {
  id: string;
  /** Services whose tools are offered; all of them when absent. */
  services?: readonly string[];
  me: Caller;
}

/** A point to come back to. Drop it when it is no longer needed. */
export interface SessionSnapshot {
  states: ReadonlyMap<string, FrozenState>;
  workspace: Workspace;
  clock: number;
  ledger: readonly LedgerEntry[];
}

interface Inside {
  /** Forked when first needed: most sessions touch one or two services of a world. */
  states: Map<string, State>;
  workspace: Workspace;
  clock: number;
  ledger: LedgerEntry[];
}

const fresh = (world: LoadedWorld): Inside => ({
  states: new Map(),
  workspace: new Workspace(),
  clock: world.spec.clock,
  ledger: [],
});

export class Session implements ToolHost {
  readonly id: string;
  readonly world: LoadedWorld;
  readonly me: Caller;
  readonly offered: ReadonlySet<string>;
  #in: Inside;
  #tools: SessionTool[] | undefined;
  #dropped = false;

  private constructor(from: Pick<Session, 'id' | 'world' | 'me' | 'offered'>, inside: Inside, tools?: SessionTool[]) {
    this.world = from.world;
    this.id = from.id;
    this.me = from.me;
    this.offered = from.offered;
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
    return new Session({ id: options.id, world, me: options.me, offered }, fresh(world));
  }

  get clock(): number {
    return this.#in.clock;
  }
  get ledger(): readonly LedgerEntry[] {
    return this.#in.ledger;
  }
  get workspace(): Workspace {
    return this.#in.workspace;
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
    const parts = [...this.world.services.values()].map(
      ({ id, pristine }) => `${id}:${this.#in.states.get(id)?.hash() ?? pristine.base.hash}`,
    );
    return sha256(parts.join('\n'));
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
    this.#tools ??= [...this.world.tools]
      .filter(([, { service }]) => this.offered.has(service.id))
      .map(([name, { service, tool }]) => describeTool(name, service.id, tool));
    return this.#tools;
  }

  /** Runs one tool call, keeps it in the ledger and lets virtual time pass. What an agent can get wrong comes back as a result. */
  call(name: string, args: unknown): CallOutcome {
    const found = this.world.tools.get(name);
    if (!found || !this.offered.has(found.service.id)) return this.#unknown(name, args);
    const { service, tool } = found;
    const state = this.state(service.id);
    const connection = service.connection;
    connection.bind(state);
    connection.record();
    const { clock: now, workspace } = this.#in;
    const context = { now, me: this.me, seed: this.world.spec.seed, workspace, budget: CALL_BUDGET };
    const outcome = callTool(service.program, tool.name, connection, args, context);
    const touched: Touch[] = connection
      .touched()
      .map(({ table, key, change, cols }) => ({ service: service.id, table, key, change, cols }));
    this.#in.clock += tool.tool.duration ?? CALL_SECONDS;
    const entry: LedgerEntry = {
      index: this.#in.ledger.length,
      service: service.id,
      tool: name,
      toolVersion: tool.version,
      args: (args ?? {}) as Json,
      ok: outcome.ok,
      result: outcome.result,
      ...(outcome.ok ? {} : { error: { code: outcome.error.code, fault: outcome.error.fault } }),
      touched,
      at: now,
    };
    this.#in.ledger.push(entry);
    if (outcome.ok) return { ok: true, result: outcome.result, entry };
    const { code, fault, status } = outcome.error;
    return { ok: false, result: outcome.result, error: { code, fault, status }, entry };
  }

  #unknown(name: string, args: unknown): CallOutcome {
    const result: Json = { error: { code: 'unknown_tool', message: `There is no tool called ${name.slice(0, 80)}.` } };
    const error = { code: 'unknown_tool', fault: 'agent' as const };
    const index = this.#in.ledger.length;
    const entry: LedgerEntry = {
      index,
      service: '',
      tool: name,
      toolVersion: '',
      args: (args ?? {}) as Json,
      ok: false,
      result,
      error,
      touched: [],
      at: this.#in.clock,
    };
    this.#in.ledger.push(entry);
    return { ok: false, result, error: { ...error, status: 404 }, entry };
  }

  /** A second session from exactly this point. O(services it used); pages are shared until either side writes. */
  fork(id: string): Session {
    const { states, workspace, clock, ledger } = this.#in;
    const forked = new Map<string, State>();
    for (const [service, state] of states) forked.set(service, state.fork());
    const { world, me, offered } = this;
    const inside = { states: forked, workspace: workspace.fork(), clock, ledger: ledger.slice() };
    return new Session({ id, world, me, offered }, inside, this.#tools);
  }

  snapshot(): SessionSnapshot {
    const { states, workspace, clock, ledger } = this.#in;
    const frozen = new Map<string, FrozenState>();
    for (const [service, state] of states) frozen.set(service, state.snapshot());
    return { states: frozen, workspace: workspace.fork(), clock, ledger: ledger.slice() };
  }

  restore(to: SessionSnapshot): void {
    for (const [service, state] of this.#in.states) {
      if (to.states.has(service)) continue;
      state.drop();
      this.#in.states.delete(service);
    }
    for (const [service, frozen] of to.states) this.state(service).restore(frozen);
    this.#in = { states: this.#in.states, workspace: to.workspace.fork(), clock: to.clock, ledger: to.ledger.slice() };
  }

  /** Back to the world's initial state, as if newly opened. */
  reset(): void {
    this.drop();
    this.#dropped = false;
    this.#in = fresh(this.world);
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

  /** Gives the session's pages back. */
  drop(): void {
    for (const state of this.#in.states.values()) state.drop();
    this.#in.states.clear();
    this.#dropped = true;
  }
}

/** Gives a snapshot's pages back. */
export const dropSnapshot = (snapshot: SessionSnapshot): void => {
  for (const frozen of snapshot.states.values()) frozen.drop();
};
