/** Webhooks on their way: written once, signed for each who receives them, logged, sent without holding anybody up. */
import type { Table } from '../../../artifacts/table.js';
import { wallSeconds } from '../../../kit/clock.js';
import { type Json, sha256 } from '../../../kit/hash.js';
import { encodeRow } from '../../../world/surface/answer.js';
import type { Declared } from './declared.js';
import { groupOf } from './declared.js';
import type { Effect } from './effect.js';
import type { SentWebhook, WebhookLog } from './log.js';
import { payloadOf } from './payload.js';
import { isAllowed, post } from './post.js';
import { signedHeaders } from './sign.js';
import type { ToldCall, WebhookHandler, WebhooksGiven } from './webhooks.js';

export interface Receiver {
  /** Absent: the handler, or nobody. */
  url: string | undefined;
  secret: string | undefined;
  /** A request gave the address: only this machine and hosts that were allowed are called. */
  isGiven?: boolean;
  endpoint?: SentWebhook['endpoint'];
}

export interface Sending {
  declared: Declared;
  kind: SentWebhook['kind'];
  receivers: readonly Receiver[];
}

export interface Sender {
  send(sending: Sending, effect: Effect, call: ToldCall, log: WebhookLog): void;
  /** Gives up what is under way. */
  close(): void;
}

const DELAYS = [250, 1_000];

const parsedOr = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};

const keyPathOf = ({ key, cols }: Table): string[] => (cols[key.col]?.field ?? key.col).split('.');

export const senderOf = (given: WebhooksGiven): Sender => {
  const { document, spec, seed, to, hosts = [], delays = DELAYS } = given;
  const end = new AbortController();

  const deliver = async (sent: SentWebhook, method: string, body: string): Promise<void> => {
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
    const { url, headers } = sent;
    const isTaken = await post({ url, method, headers, body }, { signal: end.signal, delays, attempted });
    sent.state = isTaken ? 'sent' : 'failed';
  };

  const stateFor = ({ url, isGiven }: Receiver): SentWebhook['state'] => {
    if (url === undefined && typeof to !== 'function') return 'kept';
    return isGiven && url !== undefined && !isAllowed(url, hosts) ? 'refused' : 'waiting';
  };

  return {
    send: ({ declared, kind, receivers }, { table, key, change, row }, { caller, request }, log) => {
      const now = caller.live.clock;
      const held = spec.tables[table] as Table;
      const shown = encodeRow(spec, table, row);
      const fields = typeof shown === 'object' && shown !== null && !Array.isArray(shown) ? shown : {};
      // One event, whoever hears of it.
      const payload = payloadOf(
        declared,
        { table, key, change, fields },
        document,
        { seed, now, n: log.count + 1, origin: request.origin },
        held.cols[held.key.col]?.hidden ? undefined : keyPathOf(held),
      );
      for (const receiver of receivers) {
        const n = ++log.count;
        const { url, secret, endpoint } = receiver;
        const id = `msg_${sha256(`${seed}\n${caller.name}\n${n}\n${declared.name}`).slice(0, 24)}`;
        const event = groupOf(declared.http) ?? declared.name;
        const signing = { secret, id, event, at: wallSeconds(), body: payload.body };
        const sent: SentWebhook = {
          n,
          event: declared.name,
          kind,
          ...(url === undefined ? {} : { url }),
          headers: { 'content-type': payload.type, ...signedHeaders(declared.http.params, signing) },
          body: parsedOr(payload.body),
          state: stateFor(receiver),
          attempts: [],
          row: { table, key },
          ...(endpoint ? { endpoint } : {}),
          at: now,
        };
        log.add(sent);
        if (sent.state !== 'waiting') continue;
        const method = declared.http.method.toUpperCase();
        log.queue(url ?? '', () => deliver(sent, method, payload.body));
      }
    },
    close: () => end.abort(),
  };
};
