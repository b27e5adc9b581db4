/**
 * Requests and answers over a link, both ways at once. Beside them go visits: what the front forwards of agents, whose head and body
 * nobody here reads, and which cost no promise.
 */
import { asTreadleError, TreadleError } from '../../../errors.js';
import { failureOf, failureText } from '../frames/failure.js';
import { type Frame, KIND, nextId, type Piece } from '../frames/frame.js';
import { type Link, linkClosed } from '../frames/link.js';

export interface Answer {
  /** What JSON can say; `undefined` arrives as null. */
  value: unknown;
  bytes?: Uint8Array | undefined;
}

export interface Asked {
  bytes: Buffer;
  /** Of a request that may be sent again under the same number; 0 for none. */
  number: number;
}

export interface RequestOptions {
  bytes?: Uint8Array | undefined;
  number?: number | undefined;
  /** Milliseconds after which it rejects with `worker_late`, whatever becomes of it; absent: it waits as long as the link is open. */
  ms?: number | undefined;
}

export type Handler = (params: unknown, asked: Asked) => Answer | Promise<Answer>;

/** Hears the reply to a visit: its head and body, or why there is none. */
export type Replied = (head: string, body: Buffer, failed?: TreadleError) => void;

/** Answers a visit; `reply` is called once, now or later. Must not throw. */
export type VisitHandler = (
  head: string,
  body: Buffer,
  number: number,
  reply: (head: string, body: readonly Piece[]) => void,
) => void;

interface Waiting {
  resolve(answer: Answer & { bytes: Buffer }): void;
  reject(error: TreadleError): void;
  timer?: NodeJS.Timeout | undefined;
}

const NOTHING: readonly Piece[] = [];

const unknownMethod = (method: string): TreadleError =>
  new TreadleError({
    code: 'unknown_method',
    message: 'The other process of the server knows no such request',
    value: method.slice(0, 80),
    next: 'Both must be of one version of treadle.',
    fault: 'infrastructure',
  });

const late = (method: string, ms: number): TreadleError =>
  new TreadleError({
    code: 'worker_late',
    message: `A process of the server did not answer within ${ms} ms`,
    value: method,
    next: 'Ask again.',
    fault: 'infrastructure',
    isRetryable: true,
  });

export class Rpc {
  readonly #handlers = new Map<string, Handler>();
  readonly #listeners = new Map<string, (params: unknown, bytes: Buffer) => void>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #visits = new Map<number, Replied>();
  readonly #closings: ((why: TreadleError) => void)[] = [];
  #visited: VisitHandler | undefined;
  #last = 0;
  #why: TreadleError | undefined;

  /** Frames are read from the next round of the event loop on, so that handlers set now miss none. */
  constructor(readonly link: Link) {
    setImmediate(() => link.open({ frame: (frame) => this.#frame(frame), closed: (why) => this.#closed(why) }));
  }

  get isClosed(): boolean {
    return this.#why !== undefined || this.link.isClosed;
  }

  /** Requests and visits that were not answered. */
  get underWay(): number {
    return this.#waiting.size + this.#visits.size;
  }

  handle(method: string, handler: Handler): void {
    this.#handlers.set(method, handler);
  }

  onNotice(method: string, listener: (params: unknown, bytes: Buffer) => void): void {
    this.#listeners.set(method, listener);
  }

  onVisit(handler: VisitHandler): void {
    this.#visited = handler;
  }

  /** Called once when the link is closed; at once where it is. */
  onClosed(heard: (why: TreadleError) => void): void {
    if (this.#why) heard(this.#why);
    else this.#closings.push(heard);
  }

  /** Rejects with what the handler threw, `worker_link` when the link closes first, `worker_late`, `frame_too_large`. */
  request(method: string, params: unknown, options: RequestOptions = {}): Promise<Answer & { bytes: Buffer }> {
    const { bytes, number = 0, ms } = options;
    return new Promise((resolve, reject) => {
      const id = this.#id();
      const head = JSON.stringify([method, params ?? null]);
      const body = bytes === undefined ? NOTHING : [bytes];
      if (!this.link.send({ kind: KIND.request, id, number, head, body })) {
        reject(this.#why ?? linkClosed('it is gone'));
        return;
      }
      const timer =
        ms === undefined
          ? undefined
          : setTimeout(() => {
              this.#waiting.delete(id);
              reject(late(method, ms));
            }, ms);
      timer?.unref();
      this.#waiting.set(id, { resolve, reject, timer });
    });
  }

  /** Nobody answers. False where the link is closed. Throws `frame_too_large`. */
  notify(method: string, params: unknown, bytes?: Uint8Array): boolean {
    const head = JSON.stringify([method, params ?? null]);
    return this.link.send({ kind: KIND.notice, id: 0, number: 0, head, body: bytes === undefined ? NOTHING : [bytes] });
  }

  /** `done` is called once, never before this returns. */
  visit(head: string, body: readonly Piece[], number: number, done: Replied): void {
    const id = this.#id();
    try {
      if (this.link.send({ kind: KIND.visit, id, number, head, body })) {
        this.#visits.set(id, done);
        return;
      }
      this.#fail(done, this.#why ?? linkClosed('it is gone'));
    } catch (thrown) {
      this.#fail(done, asTreadleError(thrown, 'infrastructure'));
    }
  }

  #fail(done: Replied, why: TreadleError): void {
    setImmediate(() => done('', Buffer.alloc(0), why));
  }

  #id(): number {
    do this.#last = nextId(this.#last);
    while (this.#waiting.has(this.#last) || this.#visits.has(this.#last));
    return this.#last;
  }

  #frame(frame: Frame): void {
    switch (frame.kind) {
      case KIND.visit:
        this.#visit(frame);
        return;
      case KIND.reply: {
        const done = this.#visits.get(frame.id);
        this.#visits.delete(frame.id);
        done?.(frame.head, frame.body);
        return;
      }
      default:
        this.#said(frame);
    }
  }

  #visit({ id, head, body, number }: Frame): void {
    const reply = (said: string, pieces: readonly Piece[]): void => {
      try {
        this.link.send({ kind: KIND.reply, id, number: 0, head: said, body: pieces });
      } catch (thrown) {
        this.link.send({ kind: KIND.failure, id, number: 0, head: failureText(thrown), body: NOTHING });
      }
    };
    if (this.#visited) this.#visited(head, body, number, reply);
    else
      this.link.send({ kind: KIND.failure, id, number: 0, head: failureText(unknownMethod('visit')), body: NOTHING });
  }

  #said(frame: Frame): void {
    let value: unknown;
    try {
      value = JSON.parse(frame.head);
    } catch {
      this.#broken('its head is not JSON', frame.head);
      return;
    }
    if (frame.kind === KIND.answer) this.#settle(frame.id, ({ resolve }) => resolve({ value, bytes: frame.body }));
    else if (frame.kind === KIND.failure) {
      const error = failureOf(value);
      if (error === undefined) {
        this.#broken('it is a failure that says none', frame.head);
        return;
      }
      const visited = this.#visits.get(frame.id);
      this.#visits.delete(frame.id);
      if (visited) visited('', frame.body, error);
      else this.#settle(frame.id, ({ reject }) => reject(error));
    } else {
      const [method, params] = Array.isArray(value) ? (value as unknown[]) : [];
      if (typeof method !== 'string') this.#broken('it asks for nothing', frame.head);
      else if (frame.kind === KIND.notice) this.#noticed(method, params, frame.body);
      else void this.#answer(frame, method, params);
    }
  }

  #noticed(method: string, params: unknown, body: Buffer): void {
    try {
      this.#listeners.get(method)?.(params, body);
    } catch (thrown) {
      this.#broken(asTreadleError(thrown, 'infrastructure').message, method);
    }
  }

  async #answer({ id, number, body }: Frame, method: string, params: unknown): Promise<void> {
    const fail = (thrown: unknown): void => {
      this.link.send({ kind: KIND.failure, id, number: 0, head: failureText(thrown), body: NOTHING });
    };
    try {
      const handler = this.#handlers.get(method);
      if (!handler) throw unknownMethod(method);
      const { value, bytes } = await handler(params, { bytes: body, number });
      const head = JSON.stringify(value ?? null);
      this.link.send({ kind: KIND.answer, id, number: 0, head, body: bytes === undefined ? NOTHING : [bytes] });
    } catch (thrown) {
      fail(thrown);
    }
  }

  #settle(id: number, act: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    act(waiting);
  }

  #broken(why: string, value: string): void {
    this.link.close(
      new TreadleError({
        code: 'bad_frame',
        message: `What came over a worker's link cannot be read: ${why}`,
        value: value.slice(0, 80),
        next: 'Both ends must be of one version of treadle; this is a defect if they are.',
        fault: 'infrastructure',
      }),
    );
  }

  #closed(why: TreadleError): void {
    this.#why = why;
    const lost = why.code === 'worker_link' ? why : linkClosed(why.message);
    for (const id of [...this.#waiting.keys()]) this.#settle(id, ({ reject }) => reject(lost));
    const visits = [...this.#visits.values()];
    this.#visits.clear();
    for (const done of visits) done('', Buffer.alloc(0), lost);
    for (const heard of this.#closings) heard(why);
  }
}
