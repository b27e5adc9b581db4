import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readHtml } from '../../../test/e2e/tree.js';
import { type Bars, lyingBars, standingBars } from './plots.js';

const rects = (html: string): number[] =>
  [...html.matchAll(/<rect[^>]* width="([^"]*)" height="([^"]*)"/g)].flatMap(([, w, h]) => [Number(w), Number(h)]);

it('whatever the labels and numbers, a plot is whole and stays within its picture', () => {
  const bars = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.nat(5_000_000)), { maxLength: 60 });
  fc.assert(
    fc.property(bars, fc.string({ unit: 'binary' }), (given, title) => {
      for (const html of [lyingBars(title, given as Bars), standingBars(title, given as Bars)]) {
        const { fault, tags } = readHtml(html);
        expect(fault).toBeUndefined();
        expect([...tags].filter((tag) => !['figure', 'figcaption', 'svg', 'rect', 'text'].includes(tag))).toEqual([]);
        expect(rects(html).every((n) => n >= 0 && n <= 920)).toBe(true);
      }
    }),
  );
});

it('the longest bar is the largest number, and what is left out is one line', () => {
  const html = lyingBars(
    'countries',
    [
      ['FR', 10],
      ['DE', 5],
      ['IT', 1],
      ['ES', 1],
    ],
    2,
  );
  const widths = [...html.matchAll(/width="(\d+)"/g)].map(([, w]) => Number(w));
  expect(widths[0]).toBe(2 * (widths[1] as number));
  expect(html).toContain('2 more');
  expect(html).not.toContain('>IT<');
});
