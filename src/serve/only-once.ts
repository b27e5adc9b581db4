/** Answers by idempotency key: the same request under the same key has one effect and one answer. */
import { TreadleError } from '../errors.js';
import { canonicalJson } from '../kit/hash.js';
import type { Once } from './trainer.js';

const REMEMBERED = 10_000;

export const keyConflict = (key: string): TreadleError =>
  new TreadleError({
    code: 'idempotency_conflict',
    message: 'This key was used for another request',
    value: key,
    next: 'Give every request a key of its own.',
  });

export type OnlyOnce = <T>(once: Once | undefined, request: unknown, work: () => Promise<T>) => Promise<T>;

/** A failure is not kept: it may be tried again. Throws `idempotency_conflict`. */
export const onlyOnce = (): OnlyOnce => {
  const known = new Map<string, { request: string; answer: Promise<unknown> }>();
  return <T>(once: Once | undefined, request: unknown, work: () => Promise<T>): Promise<T> => {
    if (once?.key === undefined) return work();
    const { key } = once;
    const text = canonicalJson(request ?? null);
    const earlier = known.get(key);
    if (earlier) {
      if (earlier.request === text) return earlier.answer as Promise<T>;
      throw keyConflict(key);
    }
    const answer = work();
    known.set(key, { request: text, answer });
    answer.catch(() => known.delete(key));
    if (known.size > REMEMBERED) known.delete(known.keys().next().value as string);
    return answer;
  };
};
