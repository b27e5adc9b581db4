/** One session of a served world as a test holds it. */
import type { LedgerEntry } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import { durationMs } from '../../kit/duration.js';
import type { Json } from '../../kit/hash.js';
import type { FaceCall } from '../../serve/face/call-log.js';
import type { Caller } from '../../serve/face/callers.js';
import { SESSION_HEADER } from '../../serve/face/callers.js';
import { CONTROL } from '../../serve/face/control.js';
import { keyNaming } from '../../serve/face/keys.js';
import { ownPathOf } from '../../serve/face/own-path.js';
import type { SentWebhook } from '../../serve/face/webhooks/log.js';
import type { Session } from '../../serve/sessions/session.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { checkFields, rowsLike, type Where } from './match/rows.js';
import type { Served } from './served.js';
import { type FoundTable, type HeldRow, queryOf, rowsOf, tableNamed } from './tables.js';
import type { TestWorld, WorldClock, WorldDiff, WorldWebhooks } from './types.js';

const MOST_SECONDS = 100 * 365 * 86_400;

const secondsOf = (by: number | string): number => {
  const ms = typeof by === 'number' ? by * 1_000 : durationMs(by);
  const seconds = ms === undefined ? Number.NaN : Math.round(ms / 1_000);
  if (seconds >= 0 && seconds <= MOST_SECONDS) return seconds;
  throw new TreadleError({
    code: 'bad_duration',
    message: 'Time goes on by seconds, or by a length such as 90s, 2h, 1h30m or 30d; by a hundred years at most',
    value: by,
    next: 'Write clock.advance(3600) or clock.advance("1h").',
  });
};

/** What the matchers look at, besides what a test does. */
export interface Inside {
  readonly served: Served;
  session(): Session;
  table(name: string): FoundTable;
  held(table: FoundTable): HeldRow[];
}

export class WorldHandle implements TestWorld, Inside {
  readonly url: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly mcp: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly clock: WorldClock;
  readonly webhooks: WorldWebhooks;
  #forks = 0;
  #caller: Caller;

  /** `end`: what closing it means. */
  constructor(
    readonly served: Served,
    caller: Caller,
    private readonly end: () => Promise<void>,
  ) {
    this.#caller = caller;
    this.url = `${served.origin}${ownPathOf(caller.name)}`;
    this.key = keyNaming(caller.name);
    this.headers = { [SESSION_HEADER]: caller.name };
    this.mcp = { url: `${this.url}${CONTROL}/mcp`, headers: {} };
    this.clock = {
      now: () => new Date(this.caller.live.clock * 1_000),
      advance: async (by) => new Date((await this.caller.live.advance(secondsOf(by))) * 1_000),
    };
    this.webhooks = {
      sent: (event): readonly SentWebhook[] => {
        const all = served.webhooks?.log(this.caller) ?? [];
        return event === undefined ? [...all] : all.filter((one) => one.event === event);
      },
      settled: async () => served.webhooks?.settled(this.caller),
    };
  }

  get name(): string {
    return this.#caller.name;
  }

  get caller(): Caller {
    if (this.#caller.live.status !== 'closed') return this.#caller;
    throw new TreadleError({
      code: 'session_closed',
      message: 'The world was closed',
      value: this.name,
      next: 'Fork another one, or close it later.',
    });
  }

  session(): Session {
    const { place } = this.caller.live;
    if (place.at === 'active') return place.session;
    throw new TreadleError({
      code: 'session_resting',
      message: 'The session is not in memory',
      fault: 'infrastructure',
    });
  }

  table(name: string): FoundTable {
    return tableNamed(this.session(), name);
  }

  held(table: FoundTable): HeldRow[] {
    return rowsOf(this.session(), table);
  }

  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    if (typeof input === 'object' && !(input instanceof URL)) {
      const { pathname, search } = new URL(input.url);
      return this.served.fetch(new Request(this.#address(pathname, search), new Request(input, init)));
    }
    const { pathname, search } = new URL(String(input), 'http://world.test');
    return this.served.fetch(new Request(this.#address(pathname, search), init));
  }

  /** A path that is its own already stays. */
  #address(pathname: string, search: string): string {
    const own = ownPathOf(this.name);
    const path = pathname === own || pathname.startsWith(`${own}/`) ? pathname.slice(own.length) : pathname;
    return `${this.url}${path}${search}`;
  }

  async reset(): Promise<void> {
    await this.served.callers.reset(this.caller);
  }

  async fork(name?: string): Promise<TestWorld> {
    const { callers } = this.served;
    const chosen = name ?? `${this.name}.${++this.#forks}`;
    const made = await callers.fork(this.caller, chosen);
    return new WorldHandle(this.served, made, async () => {
      if (made.live.status !== 'closed') await callers.close(made);
    });
  }

  diff(): WorldDiff {
    return this.session().diff();
  }

  calls(): readonly FaceCall[] {
    return [...this.caller.log.list()];
  }

  ledger(): readonly LedgerEntry[] {
    return [...this.session().ledger];
  }

  rows(table: string, where: Where = {}): { [key: string]: Json }[] {
    const found = this.table(table);
    const all = this.held(found);
    checkFields(all, where, Object.keys(found.spec.tables[found.table]?.cols ?? {}));
    return rowsLike(all, where).map(({ shown }) => shown);
  }

  sql(query: string, params: readonly SqlValue[] = []): Row[] {
    return queryOf(this.session(), query, params);
  }

  async close(): Promise<void> {
    await this.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
