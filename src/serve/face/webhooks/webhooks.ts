/**
 * Webhooks that a document declares: arisen from what a request did to the rows, written in the document's own schema, signed where it
 * says how, and sent without holding the answer up.
 */
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Table } from '../../../artifacts/table.js';
import type { Refs } from '../../../document/refs.js';
import { wallSeconds } from '../../../kit/clock.js';
import { type Json, sha256 } from '../../../kit/hash.js';
import { wordsOf } from '../../../kit/words.js';
import { encodeRow } from '../../../world/surface/answer.js';
import type { CallOutcome } from '../../tool-host.js';
import type { AnswererOptions } from '../answer/answerer.js';
import type { Caller } from '../callers.js';
import type { DecodedRequest, FaceOperation, FaceRequest, FaceResponse } from '../types.js';
import { callbacksOf, type Declared, type DeclaredCallback, webhooksOf } from './declared.js';
import { type Effect, isTold } from './effect.js';
import { resolved } from './expression.js';
import { type SentWebhook, WebhookLog } from './log.js';
import { tablesMeant } from './meaning.js';
import { payloadOf } from './payload.js';
import { isAllowed, post } from './post.js';
import { effectsOf, rowsBefore } from './rows.js';
import { signedHeaders } from './sign.js';

export type WebhookHandler = (sent: SentWebhook) => unknown;

export interface WebhookOptions {
  /** Receives webhooks; absent: they are only logged. Callbacks go to the addresses of their requests. */
  to?: string | WebhookHandler | undefined;
  secret?: string | undefined;
  /** Hosts besides this machine that callbacks may go to. */
  hosts?: readonly string[];
  /** Milliseconds before each try after the first. */
  delays?: readonly number[];
}

export interface WebhooksGiven extends WebhookOptions {
  document: AnswererOptions;
  operations: readonly FaceOperation[];
  spec: ServiceSpec;
  seed: string;
}

/** A call that was made; of an operation, or of an agent's. */
export interface ToldCall {
  caller: Caller;
  request: FaceRequest;
  outcome?: CallOutcome | undefined;
  operation?: FaceOperation;
  decoded?: DecodedRequest | undefined;
  response?: FaceResponse;
}

export interface Webhooks {
  /** Of all that the document declares. */
  readonly names: readonly string[];
  /** Keeps what the request may delete; for calls of agents it may. */
  before(call: Pick<ToldCall, 'caller' | 'request' | 'operation'>): void;
  after(call: ToldCall): void;
  log(caller: Caller): readonly SentWebhook[];
  /** Ends when everything of the session that arose until now is sent or given up. */
  settled(caller: Caller): Promise<void>;
  /** Gives up what is under way. */
  close(): void;
}

const KEPT = 'webhooks';
const DELAYS = [250, 1_000];

const logOf = ({ kept }: Caller): WebhookLog => {
  const known = kept.get(KEPT);
  if (known instanceof WebhookLog) return known;
  const made = new WebhookLog();
  kept.set(KEPT, made);
  return made;
};

const keyPathOf = ({ key, cols }: Table): string[] => (cols[key.col]?.field ?? key.col).split('.');

const actionOf = ({ http }: FaceOperation): string | undefined => {
  const last = http.path.split('/').at(-1) ?? '';
  return last === '' || last.includes('{') ? undefined : wordsOf(last).at(0);
};

const fieldsOf = (spec: ServiceSpec, { table, row }: Effect): { [key: string]: Json } => {
  const shown = encodeRow(spec, table, row);
  return typeof shown === 'object' && shown !== null && !Array.isArray(shown) ? shown : {};
};

interface Sending {
  declared: Declared;
  kind: SentWebhook['kind'];
  url: string | undefined;
}

/** Undefined for a document that declares none. */
export const webhooksFor = (given: WebhooksGiven): Webhooks | undefined => {
  const { document, operations, spec, seed, to, secret, hosts = [], delays = DELAYS } = given;
  const { root } = document;
  const refs: Refs = document.refs;
  const webhooks = webhooksOf(root, refs);
  const callbacks = new Map<FaceOperation, DeclaredCallback[]>();
  for (const operation of operations) {
    const own = callbacksOf(operation, refs);
    if (own.length > 0) callbacks.set(operation, own);
  }
  if (webhooks.length === 0 && callbacks.size === 0) return undefined;
  let ofTable: Map<string, Declared[]> | undefined;
  const webhooksOfTable = (table: string): readonly Declared[] => {
    if (ofTable === undefined) {
      ofTable = new Map();
      for (const declared of webhooks)
        for (const meant of tablesMeant(declared.meaning, Object.keys(spec.tables)))
          ofTable.set(meant, [...(ofTable.get(meant) ?? []), declared]);
    }
    return ofTable.get(table) ?? [];
  };
  const end = new AbortController();
  const tellsOfDeletes = webhooks.some(
    ({ meaning }) => !meaning.changes.has('insert') && !meaning.changes.has('update'),
  );
  const before = new WeakMap<FaceRequest, ReturnType<typeof rowsBefore>>();

  const deliver = async (sent: SentWebhook, method: string, body: string): Promise<void> => {
    if (sent.state !== 'waiting') return;
    const attempted = (attempt: SentWebhook['attempts'][number]): void => {
      sent.attempts.push(attempt);
    };
    if (sent.url === undefined) {
      try {
        await (to as WebhookHandler)(structuredClone(sent));
        sent.state = 'sent';
      } catch (thrown) {
        attempted({ error: thrown instanceof Error ? thrown.message : String(thrown) });
        sent.state = 'failed';
      }
      return;
    }
    const isTaken = await post(
      { url: sent.url, method, headers: sent.headers, body },
      { signal: end.signal, delays, attempted },
    );
    sent.state = isTaken ? 'sent' : 'failed';
  };

  const send = ({ declared, kind, url }: Sending, effect: Effect, { caller, request }: ToldCall): void => {
    const log = logOf(caller);
    const n = ++log.count;
    const now = caller.live.clock;
    const { table, key, change } = effect;
    const held = spec.tables[table] as Table;
    const payload = payloadOf(
      declared,
      { table, key, change, fields: fieldsOf(spec, effect) },
      document,
      { seed, now, n, origin: request.origin },
      held.cols[held.key.col]?.hidden ? undefined : keyPathOf(held),
    );
    const id = `msg_${sha256(`${seed}\n${caller.name}\n${n}\n${declared.name}`).slice(0, 24)}`;
    const signing = { secret, id, event: declared.name, at: wallSeconds(), body: payload.body };
    const isReceived = url !== undefined || typeof to === 'function';
    const sent: SentWebhook = {
      n,
      event: declared.name,
      kind,
      ...(url === undefined ? {} : { url }),
      headers: { 'content-type': payload.type, ...signedHeaders(declared.http.params, signing) },
      body: parsedOr(payload.body),
      state: !isReceived
        ? 'kept'
        : kind === 'callback' && url !== undefined && !isAllowed(url, hosts)
          ? 'refused'
          : 'waiting',
      attempts: [],
      row: { table, key },
      at: now,
    };
    log.add(sent);
    const method = declared.http.method.toUpperCase();
    log.last = log.last.then(() => deliver(sent, method, payload.body));
  };

  const callBack = (event: ToldCall, effects: readonly Effect[]): void => {
    const log = logOf(event.caller);
    const { operation, response, decoded, request } = event;
    const action = operation && actionOf(operation);
    for (const { callback, url, table, key } of log.waiting) {
      const effect = effects.find((one) => one.table === table && one.key === key);
      if (effect && isTold(callback.meaning, effect, spec.tables[table] as Table, action))
        send({ declared: callback, kind: 'callback', url }, effect, event);
    }
    if (operation === undefined || response === undefined) return;
    for (const callback of callbacks.get(operation) ?? []) {
      const url = resolved(callback.expression, { request, decoded, response });
      const [effect] = effects;
      if (url === undefined || effect === undefined) continue;
      const { table, key } = effect;
      const { meaning } = callback;
      if (isTold(meaning, effect, spec.tables[table] as Table, action))
        send({ declared: callback, kind: 'callback', url }, effect, event);
      // What its name tells of may happen to the row later.
      if (meaning.word !== undefined) log.waiting.push({ callback, url, table, key });
    }
  };

  const names = [...webhooks, ...[...callbacks.values()].flat()].map(({ name }) => name);
  return {
    names: [...new Set(names)],
    before: ({ caller, operation, request }) => {
      if (tellsOfDeletes && (operation === undefined || operation.http.method === 'delete'))
        before.set(request, rowsBefore(caller, spec.id));
    },
    after: (event) => {
      const { outcome, request, caller, operation } = event;
      const earlier = before.get(request);
      try {
        if (!outcome?.ok || outcome.entry.touched.length === 0) return;
        const log = logOf(caller);
        if (outcome.entry.index <= log.told) return;
        log.told = outcome.entry.index;
        const effects = effectsOf(caller, spec, outcome.entry.touched, earlier);
        const action = operation && actionOf(operation);
        for (const effect of effects)
          for (const declared of webhooksOfTable(effect.table))
            if (isTold(declared.meaning, effect, spec.tables[effect.table] as Table, action))
              send({ declared, kind: 'webhook', url: typeof to === 'string' ? to : undefined }, effect, event);
        callBack(event, effects);
      } finally {
        earlier?.drop();
      }
    },
    log: (caller) => logOf(caller).sent,
    settled: (caller) => logOf(caller).last,
    close: () => end.abort(),
  };
};

const parsedOr = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};
