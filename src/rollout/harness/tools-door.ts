/** The tools of running rollouts over MCP (streamable HTTP): one port, one token a rollout. */
import type { LedgerEntry } from '../../artifacts/trace.js';
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

/** The host with every call written down under our names; calls follow one another, however many a harness makes at once. */
export const written = (host: ToolHost, ours: (shown: string) => string): { host: ToolHost; ledger: LedgerEntry[] } => {
  const ledger: LedgerEntry[] = [];
  let last: Promise<unknown> | undefined;
  const keep = (outcome: CallOutcome): CallOutcome => {
    ledger.push({ ...outcome.entry, index: ledger.length });
    return outcome;
  };
  const perform: ToolHost['call'] = (name, args, options) => {
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
    host: { tools: () => host.tools(), ...(host.groups ? { groups: () => host.groups!() } : {}), call },
  };
};
