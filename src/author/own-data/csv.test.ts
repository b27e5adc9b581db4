import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCsv } from './csv.js';

const cells = (text: string): string[][] => readCsv(text).records.map((record) => record.cells);

it.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    '\uFEFFa;b\r\n1;"x;y"\r\n',
    [
      ['a', 'b'],
      ['1', 'x;y'],
    ],
  ],
  [
    'a\tb\n1\t2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\n"say ""hi""","two\nlines"\n',
    [
      ['a', 'b'],
      ['say "hi"', 'two\nlines'],
    ],
  ],
  [
    'a,b\n\n  \n1,\n',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  ['a\n""\n', [['a'], ['']]],
  [
    '"a,b",c\n1,2',
    [
      ['a,b', 'c'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\n 1 ," 2 "\n',
    [
      ['a', 'b'],
      ['1', ' 2 '],
    ],
  ],
])('%j', (text, expected) => expect(cells(text)).toEqual(expected));

it('tells on which line a record begins, and a quote that stays open', () => {
  expect(readCsv('a\n"x\ny"\nz').records.map(({ line }) => line)).toEqual([1, 2, 4]);
  expect(readCsv('a\n1\n"open\n').openQuote).toBe(3);
});

it('reads back whatever was written', () => {
  const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 2 }), { minLength: 1 }), (rows) => {
      const text = rows.map((row) => row.map(quoted).join(',')).join('\n');
      expect(cells(text)).toEqual(rows);
    }),
  );
});

it('takes 100,000 rows', () => {
  const text = `id,name\n${Array.from({ length: 100_000 }, (_, i) => `${i},"n ${i}"`).join('\n')}`;
  expect(readCsv(text).records).toHaveLength(100_001);
});
