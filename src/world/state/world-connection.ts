/** Queries across the services of a world, each service's tables under its name: `select * from crm.contact`. */
import { TreadleError } from '../../errors.js';
import type { State } from './state.js';
import type { Access, Row, SqlValue } from './types.js';
import type { WorldHandle, WorldPool } from './world-pool.js';

/** SQLite attaches no more. */
const MOST_SERVICES = 10;

const unbound = (message: string, value: unknown): TreadleError =>
  new TreadleError({
    code: 'not_bound',
    message,
    value,
    next: 'Call bind() with a live state for every service of the connection.',
    fault: 'infrastructure',
  });

export class WorldConnection {
  readonly #names: readonly string[];
  #states: Readonly<Record<string, State>> | undefined;
  #steps: number | undefined;

  constructor(
    readonly pool: WorldPool,
    names: readonly string[],
  ) {
    if (names.length > MOST_SERVICES)
      throw new TreadleError({
        code: 'too_many_services',
        message: `A world connection takes at most ${MOST_SERVICES} services`,
        value: names,
        next: 'Name only the services that the query speaks of.',
        fault: 'world',
      });
    this.#names = names;
  }

  /** Takes the state of every service named at the start; others are left out. Throws `not_bound` when one is missing. */
  bind(states: Record<string, State>): void {
    const missing = this.#names.find((name) => states[name] === undefined || states[name].head.dropped);
    if (missing !== undefined) throw unbound('A service of the world has no live state', missing);
    this.#states = Object.fromEntries(this.#names.map((name) => [name, states[name] as State]));
  }

  /** Bounds every following query to `vmSteps` steps of SQLite's virtual machine; beyond, it throws `budget_exceeded`. */
  limit(vmSteps: number | undefined): void {
    this.#steps = vmSteps;
  }

  /** Every row of a query; writing is refused. Qualify every table: an unqualified name takes the first that has it. */
  all(sql: string, params?: readonly SqlValue[]): Row[] {
    return this.#handle().statement(sql).all(params);
  }

  /** What `sql` reads; `db` is the service. */
  access(sql: string): Access {
    const handle = this.#handle();
    const names = Object.entries(this.#states ?? {}).map(([name, state]) => [name, state.base.schema.names] as const);
    return handle.ready().access(sql, Object.fromEntries(names));
  }

  // The pool may have closed the handle, or given it to another world, since the last query.
  #handle(): WorldHandle {
    const states = this.#states;
    if (!states) throw unbound('The world connection is not bound', this.#names);
    const dropped = this.#names.find((name) => states[name]?.head.dropped);
    if (dropped !== undefined) throw unbound('The state of a service was dropped', dropped);
    const handle = this.pool.bound(states);
    handle.ready().limit(this.#steps);
    return handle;
  }
}
