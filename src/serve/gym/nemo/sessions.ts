/**
 * The sessions of a NeMo Gym door. Two secrets lead to each: the cookie is the agent server's and reaches all of it, the MCP
 * token is the agent's own and reaches the tools alone.
 */
import { boundary, TreadleError } from '../../../errors.js';
import { wallSeconds } from '../../../kit/clock.js';
import { digestOf, mintToken } from '../../http/tokens.js';
import type { CallOptions, CallOutcome, ToolHost } from '../../tool-host.js';
import type { Trainer } from '../../trainer.js';
import { type Reward, rewardOf } from '../reward.js';
import { turns } from '../turns.js';
import type { SeedRequest } from './rows.js';

export interface GymSession {
  readonly host: ToolHost;
  readonly ended: boolean;
  call(tool: string, args: unknown, options?: CallOptions): Promise<CallOutcome>;
  /** Once: asked again it gives the same reward, whatever the answer is then. */
  verify(answer: string): Promise<Reward>;
}

export type Found = { state: 'open'; session: GymSession } | { state: 'gone' } | { state: 'unknown' };

export interface GymSessions {
  /** Opens a session in place of the one that `old` leads to. Throws `at_capacity` and what `Trainer.open` does. */
  seed(request: SeedRequest, old?: string): Promise<{ cookie: string; token: string }>;
  /** By cookie; a verified session stays to be asked again. Counts as use. */
  byCookie(cookie: string): Found;
  /** By MCP token. Counts as use. */
  byToken(token: string): Found;
  reap(): number;
  closeAll(): Promise<void>;
  readonly size: number;
}

interface Entry extends GymSession {
  id: string;
  cookie: string;
  token: string;
  usedAt: number;
  ended: boolean;
  verified: boolean;
  close(): Promise<void>;
}

/** Ended sessions that are still known for ours. */
const REMEMBERED = 65_536;

const LOST = new Set(['unknown_session', 'session_closed', 'session_expired']);

export interface GymSessionsOptions {
  trainer: Trainer;
  capacity: number;
  idleSeconds: number;
  now?: () => number;
}

export const gymSessions = ({ trainer, capacity, idleSeconds, now = wallSeconds }: GymSessionsOptions): GymSessions => {
  const cookies = new Map<string, Entry>();
  const tokens = new Map<string, Entry>();
  const gone = new Set<string>();
  let live = 0;

  const forget = (entry: Entry): void => {
    cookies.delete(entry.cookie);
    tokens.delete(entry.token);
    for (const digest of [entry.cookie, entry.token]) gone.add(digest);
    while (gone.size > REMEMBERED) gone.delete(gone.values().next().value!);
  };

  const end = (entry: Entry): void => {
    if (entry.ended) return;
    entry.ended = true;
    live--;
    tokens.delete(entry.token);
    gone.add(entry.token);
  };

  const entryOf = async (id: string, cookie: string, token: string): Promise<Entry> => {
    const tools = await trainer.tools(id);
    const order = turns();
    let reward: Reward | undefined;

    const over = (): TreadleError =>
      new TreadleError({ code: 'session_closed', message: 'The session has ended', next: 'Seed another.' });

    /** A session that the server let go of is over here too. */
    const noticing = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (thrown) {
        if (thrown instanceof TreadleError && LOST.has(thrown.code)) {
          end(entry);
          forget(entry);
        }
        throw thrown;
      }
    };

    const call = (tool: string, args: unknown, options?: CallOptions): Promise<CallOutcome> =>
      order.take(() => {
        if (entry.ended) throw over();
        return noticing(trainer.call(id, { tool, arguments: args, ...options }));
      });

    const entry: Entry = {
      id,
      cookie: digestOf(cookie),
      token: digestOf(token),
      usedAt: now(),
      ended: false,
      verified: false,
      host: { tools: () => tools, call },
      call,
      verify: (answer) =>
        order.take(async () => {
          if (reward !== undefined) return reward;
          if (entry.ended) throw over();
          const verdict = await noticing(trainer.verify(id, { answer }));
          reward = rewardOf(verdict);
          entry.verified = true;
          end(entry);
          await boundary('infrastructure', () => trainer.close(id, answer));
          return reward;
        }),
      close: () =>
        order.take(async () => {
          const wasOpen = !entry.ended;
          end(entry);
          forget(entry);
          if (wasOpen) await boundary('infrastructure', () => trainer.close(id));
        }),
    };
    return entry;
  };

  const reap = (): number => {
    const idle = [...cookies.values()].filter(({ usedAt }) => now() - usedAt >= idleSeconds);
    for (const entry of idle) void entry.close();
    return idle.length;
  };

  const needRoom = (): void => {
    if (live < capacity) return;
    throw new TreadleError({
      code: 'at_capacity',
      message: 'No room for another session',
      value: capacity,
      next: 'Verify or drop a session, or wait and try again.',
      fault: 'infrastructure',
      isRetryable: true,
    });
  };

  /** The oldest of the verified go first: what they were worth has been told. */
  const trim = (): void => {
    for (const entry of cookies.values()) {
      if (cookies.size - live <= REMEMBERED) return;
      if (entry.verified) forget(entry);
    }
  };

  const find = (kept: ReadonlyMap<string, Entry>, digest: string): Found => {
    const session = kept.get(digest);
    if (session === undefined) return { state: gone.has(digest) ? 'gone' : 'unknown' };
    session.usedAt = now();
    return { state: 'open', session };
  };

  return {
    seed: async ({ task, scenario, labels }, old) => {
      const former = old === undefined ? undefined : cookies.get(digestOf(old));
      if (former) {
        // A task that does not exist must not cost the client the session it has.
        if (scenario !== undefined) await trainer.resolve('scenario', scenario);
        if (task !== undefined) await trainer.resolve('task', task);
        await former.close();
      }
      if (live >= capacity) reap();
      needRoom();
      live++;
      try {
        const about = { ...(task === undefined ? {} : { task }), ...(scenario === undefined ? {} : { scenario }) };
        const opened = await trainer.open({ ...about, idleSeconds, ...(labels ? { labels } : {}) });
        const [cookie, token] = [mintToken(), mintToken()];
        const entry = await entryOf(opened.id, cookie, token).catch(async (thrown: unknown) => {
          await boundary('infrastructure', () => trainer.close(opened.id));
          throw thrown;
        });
        cookies.set(entry.cookie, entry);
        tokens.set(entry.token, entry);
        trim();
        return { cookie, token };
      } catch (thrown) {
        live--;
        throw thrown;
      }
    },
    byCookie: (cookie) => find(cookies, digestOf(cookie)),
    byToken: (token) => find(tokens, digestOf(token)),
    reap,
    closeAll: async () => {
      await Promise.all([...cookies.values()].map((entry) => entry.close()));
    },
    get size() {
      return live;
    },
  };
};
