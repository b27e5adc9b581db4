import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Tail } from './tail.js';

it('keeps the last bytes, however they come', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.integer({ min: 1, max: 50 }), (chunks, limit) => {
      const tail = new Tail(limit);
      for (const chunk of chunks) tail.push(Buffer.from(chunk));
      const all = Buffer.concat(chunks);
      expect(tail.bytes()).toEqual(all.subarray(Math.max(0, all.length - limit)));
      expect(tail.seen).toBe(all.length);
    }),
  );
});

it('holds little of very many small chunks', () => {
  const tail = new Tail(100_000);
  for (let i = 0; i < 5_000; i++) tail.push(Buffer.from([i % 256]));
  expect(tail.bytes().length).toBe(5_000);
});
