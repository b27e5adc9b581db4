/**
 * Webhooks that a document declares: arisen from what a request did to the rows, and who is told of them: the receiver of all, the
 * addresses that the session registered, and those that a request gave to be called back at.
 */
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Table } from '../../../artifacts/table.js';
import { wordsOf } from '../../../kit/words.js';
import type { CallOutcome } from '../../tool-host.js';
import type { AnswererOptions } from '../answer/answerer.js';
import type { Caller } from '../callers.js';
import type { DecodedRequest, FaceOperation, FaceRequest, FaceResponse } from '../types.js';
import { callbacksOf, type Declared, type DeclaredCallback, webhooksOf } from './declared.js';
import { type Effect, isTold } from './effect.js';
import { type Endpoint, endpointTablesOf } from './endpoints.js';
import { resolved } from './expression.js';
import { type SentWebhook, WebhookLog } from './log.js';
import { tablesMeant } from './meaning.js';
import { SENT_HEADER } from './post.js';
import { endpointsOf, isRegistration, noteSecret, receiversOf } from './registered.js';
import { effectsOf, rowsBefore } from './rows.js';
import { type Receiver, senderOf } from './sending.js';

export type WebhookHandler = (sent: SentWebhook) => unknown;

export interface WebhookOptions {
  /** Receives all webhooks. Those that were registered receive what they ask for, callbacks go to the addresses of their requests. */
  to?: string | WebhookHandler | undefined;
  secret?: string | undefined;
  /** Hosts besides this machine that callbacks and registered addresses may be of. */
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

const logOf = ({ kept }: Caller): WebhookLog => {
  const known = kept.get(KEPT);
  if (known instanceof WebhookLog) return known;
  const made = new WebhookLog();
  kept.set(KEPT, made);
  return made;
};

const actionOf = ({ http }: FaceOperation): string | undefined => {
  const last = http.path.split('/').at(-1) ?? '';
  return last === '' || last.includes('{') ? undefined : wordsOf(last).at(0);
};

/** Of a table, those that may tell of its rows; found when first asked for. */
const byTable = (
  declared: readonly Declared[],
  tables: readonly string[],
): ((table: string) => readonly Declared[]) => {
  let found: Map<string, Declared[]> | undefined;
  return (table) => {
    if (found === undefined) {
      found = new Map();
      for (const one of declared)
        for (const meant of tablesMeant(one.meaning, tables)) found.set(meant, [...(found.get(meant) ?? []), one]);
    }
    return found.get(table) ?? [];
  };
};

const tellsOfDeletes = ({ meaning: { changes } }: Declared): boolean =>
  !changes.has('insert') && !changes.has('update');

/** Undefined for a document that declares none. */
export const webhooksFor = (given: WebhooksGiven): Webhooks | undefined => {
  const { document, operations, spec, to, secret } = given;
  const { root, refs } = document;
  const plain = webhooksOf(root, refs);
  const tables = Object.keys(spec.tables);
  const callbacks = new Map<FaceOperation, DeclaredCallback[]>();
  // Callbacks of an operation that registers addresses: they are for those that did.
  const subscribed: DeclaredCallback[] = [];
  const declaring = operations.map((operation) => [operation, callbacksOf(operation, refs)] as const);
  if (plain.length === 0 && declaring.every(([, own]) => own.length === 0)) return undefined;
  const endpoints = endpointTablesOf(operations, spec);
  for (const [operation, all] of declaring) {
    const isForRows = ({ meaning }: Declared): boolean =>
      isRegistration(endpoints, operation, tablesMeant(meaning, tables));
    subscribed.push(...all.filter(isForRows));
    const own = all.filter((callback) => !isForRows(callback));
    if (own.length > 0) callbacks.set(operation, own);
  }
  const webhooksOfTable = byTable([...plain, ...subscribed], tables);
  const onlyForRows = new Set<Declared>(subscribed);
  const sender = senderOf(given);
  const keepsRows = [...plain, ...subscribed].some(tellsOfDeletes);
  const before = new WeakMap<FaceRequest, ReturnType<typeof rowsBefore>>();

  const tell = ({ caller, ...event }: ToldCall, effects: readonly Effect[]): void => {
    const log = logOf(caller);
    const action = event.operation && actionOf(event.operation);
    let known: Endpoint[] | undefined;
    const all: Receiver = { url: typeof to === 'string' ? to : undefined, secret };
    for (const effect of effects)
      for (const declared of webhooksOfTable(effect.table)) {
        if (!isTold(declared.meaning, effect, spec.tables[effect.table] as Table, action)) continue;
        known ??= endpointsOf(caller, spec, endpoints.values());
        const rows = receiversOf({ caller, spec, log, secret }, known, declared, effect);
        const isForAll = to !== undefined || (rows.length === 0 && !onlyForRows.has(declared));
        const receivers = isForAll ? [all, ...rows] : rows;
        const kind = onlyForRows.has(declared) ? 'callback' : 'webhook';
        sender.send({ declared, kind, receivers }, effect, { caller, ...event }, log);
      }
  };

  const callBack = (event: ToldCall, effects: readonly Effect[]): void => {
    const log = logOf(event.caller);
    const { operation, response, decoded, request } = event;
    const action = operation && actionOf(operation);
    const send = (declared: Declared, url: string, effect: Effect): void =>
      sender.send({ declared, kind: 'callback', receivers: [{ url, secret, isGiven: true }] }, effect, event, log);
    for (const { callback, url, table, key } of log.waiting) {
      const effect = effects.find((one) => one.table === table && one.key === key);
      if (effect && isTold(callback.meaning, effect, spec.tables[table] as Table, action)) send(callback, url, effect);
    }
    if (operation === undefined || response === undefined) return;
    for (const callback of callbacks.get(operation) ?? []) {
      const url = resolved(callback.expression, { request, decoded, response });
      const [effect] = effects;
      if (url === undefined || effect === undefined) continue;
      const { table, key } = effect;
      const { meaning } = callback;
      if (isTold(meaning, effect, spec.tables[table] as Table, action)) send(callback, url, effect);
      // What its name tells of may happen to the row later.
      if (meaning.word !== undefined) log.waiting.push({ callback, url, table, key });
    }
  };

  const names = [...plain, ...subscribed, ...[...callbacks.values()].flat()].map(({ name }) => name);
  return {
    names: [...new Set(names)],
    before: ({ caller, operation, request }) => {
      if (keepsRows && (operation === undefined || operation.http.method === 'delete'))
        before.set(request, rowsBefore(caller, spec.id));
    },
    after: (event) => {
      const { outcome, request, caller, operation, response } = event;
      const earlier = before.get(request);
      try {
        if (!outcome?.ok || outcome.entry.touched.length === 0) return;
        const log = logOf(caller);
        if (outcome.entry.index <= log.told) return;
        log.told = outcome.entry.index;
        // A webhook that was sent to this server itself would go on for ever.
        if (request.headers[SENT_HEADER] !== undefined) return;
        const effects = effectsOf(caller, spec, outcome.entry.touched, earlier);
        const registered = operation && endpoints.get(operation);
        if (registered && response) noteSecret(log, registered, effects, response);
        tell(event, effects);
        callBack(event, effects);
      } finally {
        earlier?.drop();
      }
    },
    log: (caller) => logOf(caller).sent,
    settled: (caller) => logOf(caller).settled(),
    close: () => sender.close(),
  };
};
