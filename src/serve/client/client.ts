/** The trainer's side of a Treadle server, from another process or machine (`treadle/client`). */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type * as api from '../api.js';
import type { ServedJobs } from '../jobs/desk.js';
import type { JobInfo, JobItem } from '../jobs/request.js';
import type { Operation } from '../rest/handlers.js';
import { ROUTES, type Route } from '../rest/routes.js';
import type { CallOutcome, SessionTool } from '../tool-host.js';
import type { SessionState, Trainer } from '../trainer.js';
import { readJson } from './failure.js';
import { persist, RETRY, type RetryPolicy } from './retry.js';
import { httpTransport, type Transport } from './transport.js';

export { TreadleError } from '../../errors.js';
export { inProcess } from '../sessions/server/in-process.js';
export type { Trainer } from '../trainer.js';

export interface ConnectOptions {
  /** Of the server's admin door: `http://127.0.0.1:4711`; a path before the API's own is kept. */
  url: string;
  /** The admin token. */
  token: string;
  /** Calls off every request that is under way. There are no time limits but this one. */
  signal?: AbortSignal;
  /** Most connections at once; 128 when absent. */
  sockets?: number;
  retry?: Partial<RetryPolicy>;
}

export interface RemoteTrainer extends Trainer {
  /** Work left with the server: rollouts and gates that its worker processes do (`--workers`, `--data`). Throws `no_jobs`. */
  readonly work: ServedJobs;
  /** The same server and connections, under another signal. */
  with(options: { signal: AbortSignal }): RemoteTrainer;
  /** Hangs up; sessions stay open. */
  disconnect(): void;
}

type Filter = Readonly<Record<string, string | undefined>>;

interface Ask {
  params?: Readonly<Record<string, string>>;
  query?: Filter | undefined;
  body?: unknown;
  key?: string | undefined;
}

const BY_OPERATION = new Map<Operation, Route>(ROUTES.map((route) => [route.operation, route]));

const targetOf = ({ path }: Route, { params = {}, query = {} }: Ask): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (typeof value === 'string' && value !== '' && value !== '.' && value !== '..') return encodeURIComponent(value);
    throw new TreadleError({ code: 'bad_request', message: `path.${name}: a name is needed`, value });
  });
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`;
};

type Asker = <T>(operation: Operation, ask?: Ask) => Promise<T>;
type Fetcher = (operation: Operation, ask: Ask) => Promise<Uint8Array>;

const trainerOver = (ask: Asker, fetchBytes: Fetcher): Trainer => {
  const about = <T>(operation: Operation, id: string, rest: Ask = {}): Promise<T> =>
    ask(operation, { ...rest, params: { id, ...rest.params } });
  return {
    info: () => ask<api.ServerInfo>('getInfo'),
    open: (body, once) => ask<api.OpenedSession>('openSession', { body, key: once?.key }),
    session: (id) => about<api.SessionInfo>('getSession', id),
    sessions: ({ limit, ...filter } = {}) =>
      ask<api.SessionInfo[]>('listSessions', {
        query: { ...filter, ...(limit === undefined ? {} : { limit: String(limit) }) },
      }),
    tools: (id) => about<SessionTool[]>('getTools', id),
    call: (id, body) => about<CallOutcome>('callTool', id, { body }),
    fork: (id, body = {}, once) => about<api.OpenedSession[]>('forkSession', id, { body, key: once?.key }),
    snapshot: (id, once) => about<{ snapshot: string; hash: string }>('takeSnapshot', id, { key: once?.key }),
    restore: (id, snapshot, once) =>
      about<api.SessionInfo>('restoreSnapshot', id, { params: { snapshot }, key: once?.key }),
    dropSnapshot: (id, snapshot, once) => about<void>('dropSnapshot', id, { params: { snapshot }, key: once?.key }),
    reset: (id, once) => about<api.SessionInfo>('resetSession', id, { key: once?.key }),
    pause: (id, once) => about<api.SessionInfo>('pauseSession', id, { key: once?.key }),
    resume: (id, once) => about<api.SessionInfo>('resumeSession', id, { key: once?.key }),
    close: (id, answer) => about<api.SessionInfo>('closeSession', id, { body: { answer } }),
    verify: (id, body = {}) => about<api.ServedVerdict>('verifySession', id, { body }),
    events: (id) => about<api.SessionEvents>('getEvents', id),
    takeNotices: (id, once) => about<Pick<api.SessionEvents, 'notices'>>('takeNotices', id, { key: once?.key }),
    ledger: (id) => about<api.SessionLedger>('getLedger', id),
    state: (id) => about<SessionState>('getState', id),
    image: (id, service, which) => fetchBytes('getImage', { params: { id, service }, query: { which } }),
    statistics: (filter) => ask<api.ToolStatistics[]>('getStatistics', { query: { ...filter } }),
    publish: (kind, name, content) =>
      ask<api.RegistryRecord>('publishRecord', { params: { kind }, body: { name, content } }),
    resolve: (kind, reference) => ask<api.RegistryRecord>('resolveRecord', { params: { kind }, query: { reference } }),
    read: (kind, reference) => ask<Json>('readRecord', { params: { kind }, query: { reference } }),
    records: (kind, name) => ask<api.RegistryRecord[]>('listRecords', { params: { kind }, query: { name } }),
    deprecate: (kind, reference, because) =>
      ask<api.RegistryRecord>('deprecateRecord', { params: { kind }, body: { reference, because } }),
  };
};

const jobsOver = (ask: Asker): ServedJobs => ({
  submit: (body, once) => ask<JobInfo>('submitJob', { body, key: once?.key }),
  jobs: () => ask<JobInfo[]>('listJobs'),
  job: (id) => ask<JobInfo>('getJob', { params: { id } }),
  results: (id, { after, limit } = {}) =>
    ask<JobItem[]>('getResults', {
      params: { id },
      query: { after, ...(limit === undefined ? {} : { limit: String(limit) }) },
    }),
  cancel: (id) => ask<void>('cancelJob', { params: { id } }),
});

const remote = (transport: Transport, options: ConnectOptions): RemoteTrainer => {
  const policy = { ...RETRY, ...options.retry };
  const { token, signal } = options;
  // As many listeners as requests are under way: no leak, and no reason to warn of one.
  if (signal) setMaxListeners(0, signal);
  const exchange = (operation: Operation, ask: Ask): ReturnType<typeof persist> => {
    const route = BY_OPERATION.get(operation)!;
    const isRead = route.method === 'GET';
    const headers = {
      authorization: `Bearer ${token}`,
      ...(!isRead && { 'idempotency-key': ask.key ?? randomUUID() }),
    };
    const body = ask.body === undefined ? undefined : JSON.stringify(ask.body);
    return persist(transport, { method: route.method, path: targetOf(route, ask), headers, body, signal }, policy);
  };
  const asked: Asker = async <T>(operation: Operation, ask: Ask = {}) => {
    const heard = await exchange(operation, ask);
    return (heard.status === 204 ? undefined : readJson(heard)) as T;
  };
  const trainer = trainerOver(asked, async (operation, ask) => {
    const { body } = await exchange(operation, ask);
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  });
  return {
    ...trainer,
    work: jobsOver(asked),
    with: ({ signal: other }) => remote(transport, { ...options, signal: other }),
    disconnect: () => transport.close(),
  };
};

/**
 * A Trainer over HTTP. Requests that the server puts off (503) and broken connections are tried again under one idempotency
 * key, so that nothing runs twice; a refusal is thrown as the TreadleError it was on the server. Besides those, methods reject
 * with `no_connection`, `aborted` and `bad_answer`. Throws `bad_url` and `bad_token`.
 */
export const connect = (options: ConnectOptions): RemoteTrainer => {
  if (!/^[\x21-\x7e]+$/.test(options.token))
    throw new TreadleError({
      code: 'bad_token',
      message: 'The admin token is empty or holds characters that a header cannot',
      next: 'Use the token that the server printed at its start.',
    });
  return remote(httpTransport(options.url, options.sockets ?? 128), options);
};
