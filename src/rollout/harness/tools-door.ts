/** The tools of running rollouts over MCP (streamable HTTP): one port, one token a rollout. */
import type { LedgerEntry, TraceEvent } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { Doorkeeper } from '../../serve/http/keeper.js';
import { serveHttp } from '../../serve/http/serve.js';
import { digestOf, mintToken } from '../../serve/http/tokens.js';
import type { CallOutcome, ToolHost } from '../../serve/tool-host.js';

export interface Admission {
  url: string;
  token: string;
  /** From now on the token opens nothing. */
  end(): void;
}

export interface ToolDoor {
  admit(host: ToolHost): Admission;
  close(): Promise<void>;
}

/** Throws `cannot_listen`. */
export const openToolDoor = async (): Promise<ToolDoor> => {
  const sessions = new Map<string, { id: string; host: ToolHost; ended: boolean }>();
  let opened = 0;
  const keeper: Doorkeeper = {
    find: (token) => {
      const session = sessions.get(digestOf(token));
      return session ? { state: 'open', session } : { state: 'unknown' };
    },
  };
  // Whoever is cut off here has lost its rollout already.
  const serving = await serveHttp({ keeper, port: 0, limits: { closeMs: 500 } });
  return {
    admit: (host) => {
      const token = mintToken();
      const digest = digestOf(token);
      const session = { id: `h${++opened}`, host, ended: false };
      sessions.set(digest, session);
      return {
        url: serving.url,
        token,
        end: () => {
          session.ended = true;
          sessions.delete(digest);
        },
      };
    },
    close: () => serving.close(),
  };
};

/** What a rollout's calls may come to. */
export interface CallLimit {
  calls: number;
  /** Once, at the first call too many. */
  onSpent?: (error: TreadleError) => void;
}

/** More than any task takes; a program that calls in a loop would fill memory and disk with them. */
export const MOST_CALLS = 10_000;

/** What is answered without running anything; it is not written down. */
const refused = (error: TreadleError, tool: string, args: unknown, at: number): CallOutcome => {
  const { code, message } = error;
  const result = { error: { code, message } };
  const whose = { code, fault: 'agent' as const };
  const entry = { index: at, service: '', tool, toolVersion: '', args: (args ?? null) as Json, ok: false, result };
  return { ok: false, result, error: { ...whose, status: 429 }, entry: { ...entry, error: whose, touched: [], at: 0 } };
};

/** The host with every call written down under our names, and what was told with its answer; calls follow one another, however many a harness makes at once. */
export const written = (
  host: ToolHost,
  ours: (shown: string) => string,
  { calls: most, onSpent }: CallLimit = { calls: MOST_CALLS },
): { host: ToolHost; ledger: LedgerEntry[]; told: TraceEvent[] } => {
  const ledger: LedgerEntry[] = [];
  const told: TraceEvent[] = [];
  let last: Promise<unknown> | undefined;
  let spent: TreadleError | undefined;
  const keep = (outcome: CallOutcome): CallOutcome => {
    ledger.push({ ...outcome.entry, index: ledger.length });
    for (const { event, to, text, at } of outcome.notices ?? [])
      told.push({ kind: 'notice', event, to, text, at, calls: ledger.length });
    return outcome;
  };
  const spend = (): TreadleError => {
    if (spent) return spent;
    const message = `The budget of ${most} calls is used up`;
    spent = new TreadleError({ code: 'call_budget', message, fault: 'policy', next: 'The rollout is over: end here.' });
    onSpent?.(spent);
    return spent;
  };
  const perform: ToolHost['call'] = (name, args, options) => {
    if (ledger.length >= most) return refused(spend(), ours(name), args, ledger.length);
    const outcome = host.call(ours(name), args, options);
    return outcome instanceof Promise ? outcome.then(keep) : keep(outcome);
  };
  const call: ToolHost['call'] = (name, args, options) => {
    const done = last ? last.then(() => perform(name, args, options)) : perform(name, args, options);
    if (!(done instanceof Promise)) return done;
    const settled: Promise<unknown> = done
      .catch(() => undefined)
      .then(() => {
        if (last === settled) last = undefined;
      });
    last = settled;
    return done;
  };
  return {
    ledger,
    told,
    host: {
      tools: () => host.tools(),
      ...(host.groups ? { groups: () => host.groups!() } : {}),
      ...(host.hearing ? { hearing: host.hearing } : {}),
      call,
    },
  };
};
