import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rowMaker } from './rows.js';

const OFTEN = 300;
const name = fc.oneof(
  fc.constantFrom(
    'id',
    'order',
    'constructor',
    'toString',
    'a"b',
    "a'b",
    'a b',
    '1',
    '01',
    '',
    'été',
    '\u2028',
    '"], x: [',
    'values',
  ),
  fc.string({ maxLength: 8 }),
);

it('the hundredth object of a kind is like the first', () => {
  fc.assert(
    fc.property(
      fc.array(
        name.filter((each) => each !== '__proto__'),
        { maxLength: 8 },
      ),
      (names) => {
        const make = rowMaker<number>(names);
        const first = make(names.map((_, i) => i));
        for (let n = 0; n < OFTEN; n++) {
          const row = make(names.map((_, i) => i));
          expect(row).toEqual(first);
          expect(Object.keys(row)).toEqual(Object.keys(first));
        }
      },
    ),
    { numRuns: 60 },
  );
});

it('no object holds on to the values or to another object', () => {
  const make = rowMaker<number>(['a', 'b']);
  const values = [0, 0];
  const rows = Array.from({ length: OFTEN }, (_, n) => {
    values[0] = n;
    return make(values);
  });
  rows.forEach((row, n) => {
    expect(row).toEqual({ a: n, b: 0 });
  });
});

it('names that are more than can be written down are set one by one', () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `c${i}`);
  const make = rowMaker<number>(names);
  const rows = Array.from({ length: OFTEN }, () => make(names.map((_, i) => i)));
  expect(rows.at(-1)).toEqual(rows[0]);
});
