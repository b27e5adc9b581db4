/** Idempotency keys: the same request under the same key runs once and has one answer, also while the first still runs. */
import { hash } from 'node:crypto';
import { TreadleError } from '../../errors.js';
import type { Answer } from './problem.js';

export interface OnceLimits {
  keys: number;
  /** Bytes of kept answers. They hold session tokens, so they stay in memory and not for long. */
  bytes: number;
  ms: number;
}

export const ONCE_LIMITS: OnceLimits = { keys: 10_000, bytes: 67_108_864, ms: 600_000 };

interface Kept {
  print: string;
  answer: Answer;
  bytes: number;
  until: number;
}

/** What makes two requests the same one. */
export const printOf = (method: string, target: string, body: string): string =>
  hash('sha256', `${method} ${target}\n${body}`, 'base64');

const conflict = (key: string): TreadleError =>
  new TreadleError({
    code: 'idempotency_conflict',
    message: 'This Idempotency-Key was used for another request',
    value: key,
    next: 'Use a new key for a new request.',
  });

/** Bytes of an entry besides its answer's body. */
const OVERHEAD = 512;

const sizeOf = ({ body }: Answer): number =>
  OVERHEAD + (body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);

export interface Answers {
  /** Throws `idempotency_conflict`, and `too_many_running` (retryable) when no more keys can be watched. `run` must not reject. */
  once(key: string, print: string, run: () => Promise<Answer>): Promise<Answer>;
  readonly size: number;
  readonly bytes: number;
}

/** `now` in milliseconds. Retryable refusals are not kept: they had no effect, and the next try may do better. */
export const keptAnswers = (now: () => number, limits: OnceLimits = ONCE_LIMITS): Answers => {
  const running = new Map<string, { print: string; answer: Promise<Answer> }>();
  /** In the order in which they were answered, and so in which they end. */
  const kept = new Map<string, Kept>();
  let bytes = 0;

  const drop = (key: string, entry: Kept): void => {
    kept.delete(key);
    bytes -= entry.bytes;
  };

  const tidy = (): void => {
    const at = now();
    for (const [key, entry] of kept) {
      if (entry.until > at && bytes <= limits.bytes && kept.size + running.size <= limits.keys) return;
      drop(key, entry);
    }
  };

  const keep = (key: string, print: string, answer: Answer): void => {
    const entry = { print, answer, bytes: sizeOf(answer), until: now() + limits.ms };
    kept.set(key, entry);
    bytes += entry.bytes;
  };

  return {
    once: (key, print, run) => {
      tidy();
      const known = running.get(key) ?? kept.get(key);
      if (known !== undefined) {
        if (known.print !== print) throw conflict(key);
        return Promise.resolve(known.answer);
      }
      if (running.size >= limits.keys) {
        const message = 'Too many requests are under way';
        throw new TreadleError({ code: 'too_many_running', message, fault: 'infrastructure', isRetryable: true });
      }
      const answer = run().then((made) => {
        running.delete(key);
        if (made.status !== 503) keep(key, print, made);
        tidy();
        return made;
      });
      running.set(key, { print, answer });
      return answer;
    },
    get size() {
      return running.size + kept.size;
    },
    get bytes() {
      return bytes;
    },
  };
};
