/** The webhooks of a session, sent or not, in the order in which they arose. */
import type { Json } from '../../../kit/hash.js';
import type { Kept } from '../kept.js';
import type { DeclaredCallback } from './declared.js';
import type { Attempt } from './post.js';

export interface SentWebhook {
  /** 1, 2, 3 ... of the session. */
  n: number;
  /** `customer.created`, or a callback's name. */
  event: string;
  kind: 'webhook' | 'callback';
  /** Where it goes; absent where nobody receives it. */
  url?: string;
  headers: Readonly<Record<string, string>>;
  body: Json;
  /**
   * `kept`: nobody receives webhooks, it is only logged; `refused`: its address is of a host that was not allowed; `failed`: every try did.
   */
  state: 'waiting' | 'sent' | 'failed' | 'refused' | 'kept';
  attempts: Attempt[];
  /** The row it tells of. */
  row: { table: string; key: string | number };
  /** The row that registered the address, where one did. */
  endpoint?: { table: string; key: string | number };
  /** Virtual time, unix seconds. */
  at: number;
}

/** A callback that tells of what happens to a row later. */
export interface Waiting {
  callback: DeclaredCallback;
  url: string;
  table: string;
  key: string | number;
}

const MOST = 1_000;

export class WebhookLog implements Kept {
  readonly sent: SentWebhook[] = [];
  waiting: Waiting[] = [];
  count = 0;
  /** Ledger index of the last call that was told of: one that is answered again tells of nothing. */
  told = -1;
  /** Secrets that answers showed when an address was registered and that its row does not hold, by table and key. */
  secrets = new Map<string, string>();
  /** By receiver: what one of them is sent goes one after the other, and nobody waits for another. */
  readonly #lines = new Map<string, Promise<void>>();

  add(sent: SentWebhook): void {
    this.sent.push(sent);
    if (this.sent.length > MOST) this.sent.shift();
  }

  /** Runs once what the receiver was sent before is through. `deliver` never rejects. */
  queue(receiver: string, deliver: () => Promise<void>): void {
    const line = (this.#lines.get(receiver) ?? Promise.resolve()).then(deliver);
    this.#lines.set(receiver, line);
    void line.then(() => {
      if (this.#lines.get(receiver) === line) this.#lines.delete(receiver);
    });
  }

  /** Ends when all that arose until now is through. */
  async settled(): Promise<void> {
    await Promise.all(this.#lines.values());
  }

  /** A fork has sent nothing yet, but whoever waits for a row waits for the fork's too. */
  fork(): WebhookLog {
    const made = new WebhookLog();
    made.waiting = [...this.waiting];
    made.secrets = new Map(this.secrets);
    made.told = this.told;
    return made;
  }
}
