import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Lines } from './lines.js';

const read = (chunks: Buffer[], limit = 1_000): string[] => {
  const out: string[] = [];
  const lines = new Lines(limit, { onLine: (line) => out.push(line), onTooLong: () => out.push('<too long>') });
  for (const chunk of chunks) lines.push(chunk);
  return out;
};

it('reads the same however the bytes are cut', () => {
  const line = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constant('x'.repeat(60)), fc.constant(''));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(400), { maxLength: 12 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((one) => `${one.replaceAll('\n', ' ')}\r\n`).join(''));
      const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
      const expected = lines
        .map((one) => one.replaceAll('\n', ' '))
        .filter((one) => one.trim() !== '' || Buffer.byteLength(`${one}\r`) > 50)
        .map((one) => (Buffer.byteLength(`${one}\r`) > 50 ? '<too long>' : one.trim()));
      expect(read(chunks, 50)).toEqual(expected);
    }),
  );
});

it('holds nothing of a line without end', () => {
  const chunk = Buffer.alloc(65_536, 'x');
  const before = process.memoryUsage().arrayBuffers;
  expect(read(Array.from({ length: 5_000 }, () => chunk))).toEqual([]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
});
