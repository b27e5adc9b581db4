import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FairQueue, UNOPENED } from './fair-queue.js';

const round = (): Promise<void> => new Promise((done) => setImmediate(done));

it('serves in the order of coming, later than the call, and what is added meanwhile last', async () => {
  const queue = new FairQueue();
  const served: number[] = [];
  queue.add(() => {
    served.push(1);
    queue.add(() => served.push(3));
  });
  queue.add(() => served.push(2));
  expect(served).toEqual([]);
  expect(queue.length).toBe(2);
  while (queue.length > 0) await round();
  expect(served).toEqual([1, 2, 3]);
  queue.add(() => served.push(4));
  await round();
  expect(served).toEqual([1, 2, 3, 4]);
});

it('serves one request a round while clients knock, and the rest when they have come in', async () => {
  const queue = new FairQueue();
  const served: number[] = [];
  for (let n = 0; n < 10; n++) queue.add(() => served.push(n));
  for (let n = 1; n <= 3; n++) {
    queue.knock();
    await round();
    expect(served).toHaveLength(n);
  }
  while (queue.length > 0) await round();
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('a slow request ends the slice, not the queue', async () => {
  const queue = new FairQueue();
  const served: string[] = [];
  queue.add(() => {
    for (const until = performance.now() + 8; performance.now() < until; );
    served.push('slow');
  });
  queue.add(() => served.push('next'));
  await round();
  expect(served).toEqual(['slow']);
  await round();
  expect(served).toEqual(['slow', 'next']);
});

it('sessions that were never called go first, and the others still get their turn', async () => {
  const queue = new FairQueue();
  const served: string[] = [];
  for (let n = 0; n < 20; n++) queue.add(() => served.push(`old${n}`));
  for (let n = 0; n < 40; n++) queue.add(() => served.push(`new${n}`), n);
  while (queue.length > 0) await round();
  expect(served.indexOf('old0')).toBe(31);
  expect(served.filter((each) => each.startsWith('new'))).toEqual(Array.from({ length: 40 }, (_, n) => `new${n}`));
  expect(served.filter((each) => each.startsWith('old'))).toEqual(Array.from({ length: 20 }, (_, n) => `old${n}`));
  expect(served.indexOf('new39')).toBe(40);
});

it('sessions opened first are served first, whoever asks first, and those to be opened after them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.nat(9), fc.constant(UNOPENED)), { maxLength: 60 }), async (ranks) => {
      const queue = new FairQueue();
      const served: [number, number][] = [];
      for (const [at, rank] of ranks.entries()) queue.add(() => served.push([rank, at]), rank);
      while (queue.length > 0) await round();
      const fair = (a: [number, number], b: [number, number]) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1);
      expect(served).toEqual(ranks.map((rank, at): [number, number] => [rank, at]).sort(fair));
    }),
  );
});
