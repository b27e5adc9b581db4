import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StartQueue } from './start-queue.js';

const deferred = <T>() => {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('StartQueue', () => {
  it('starts in order, and never more than its limit at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ turns: fc.nat(4), fails: fc.boolean(), throws: fc.boolean() }), { maxLength: 24 }),
        async (limit, starts) => {
          const queue = new StartQueue(limit, 60_000);
          const begun: number[] = [];
          let now = 0;
          let most = 0;
          const ended = await Promise.allSettled(
            starts.map(({ turns, fails, throws }, i) =>
              queue.run(() => {
                begun.push(i);
                most = Math.max(most, ++now);
                if (throws) {
                  now--;
                  throw new Error('at once');
                }
                return (async () => {
                  for (let t = 0; t < turns; t++) await turn();
                  now--;
                  if (fails) throw new Error('later');
                  return i;
                })();
              }),
            ),
          );
          expect(begun).toEqual(starts.map((_, i) => i));
          expect(most).toBeLessThanOrEqual(limit);
          expect(ended.map((end) => end.status === 'rejected')).toEqual(starts.map((s) => s.fails || s.throws));
          expect([queue.running, queue.waiting]).toEqual([0, 0]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('refuses whom it has no room for, and says that a retry is sensible', async () => {
    const queue = new StartQueue(1, 60_000, 1);
    const first = deferred<number>();
    const a = queue.run(() => first.promise);
    const b = queue.run(async () => 2);
    await expect(queue.run(async () => 3)).rejects.toMatchObject({ code: 'starting_too_many', isRetryable: true });
    first.resolve(1);
    expect(await Promise.all([a, b])).toEqual([1, 2]);
    expect(await queue.run(async () => 4)).toBe(4);
  });

  it('gives up on a start that hangs, tells it so, and goes on', async () => {
    const queue = new StartQueue(1, 20);
    let told: unknown;
    const hung = queue.run(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            told = signal.reason;
            reject(new Error('undone'));
          });
        }),
    );
    const next = queue.run(async () => 'next');
    await expect(hung).rejects.toMatchObject({ code: 'start_timeout', isRetryable: true });
    expect(told).toMatchObject({ code: 'start_timeout' });
    expect(await next).toBe('next');
  });

  it('keeps the place of a start that is cut until it has undone itself', async () => {
    const queue = new StartQueue(1, 60_000);
    const undone = deferred<void>();
    const cut = new AbortController();
    const first = queue.run(() => undone.promise, cut.signal);
    let began = false;
    const second = queue.run(async () => {
      began = true;
    });
    await turn();
    cut.abort();
    await expect(first).rejects.toMatchObject({ code: 'start_cut' });
    expect([began, queue.running]).toEqual([false, 1]);
    undone.resolve();
    await second;
    expect(began).toBe(true);
  });

  it('does not lose its place for ever to a start that never settles', async () => {
    const queue = new StartQueue(1, 10);
    await expect(queue.run(() => new Promise(() => {}))).rejects.toMatchObject({ code: 'start_timeout' });
    expect(queue.running).toBe(1);
    expect(await queue.run(async () => 'later')).toBe('later');
    expect(queue.running).toBe(0);
  });

  it('lets whoever waits leave, without starting', async () => {
    const queue = new StartQueue(1, 60_000);
    const first = deferred<number>();
    const a = queue.run(() => first.promise);
    const cut = new AbortController();
    const b = queue.run(() => Promise.reject(new Error('began')), cut.signal);
    const c = queue.run(async () => 3);
    cut.abort();
    await expect(b).rejects.toMatchObject({ code: 'start_cut' });
    await expect(queue.run(async () => 0, AbortSignal.abort())).rejects.toMatchObject({ code: 'start_cut' });
    first.resolve(1);
    expect(await Promise.all([a, c])).toEqual([1, 3]);
  });
});
