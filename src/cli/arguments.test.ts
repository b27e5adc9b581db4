import { expect, it } from 'vitest';
import { realNumber, risingSeconds, shortText, wholeNumber } from './arguments.js';

const bad = expect.objectContaining({
  code: 'bad_option',
  message: expect.stringContaining('--n'),
  next: expect.stringContaining('--n'),
});

it.each(['1', '3', '10', '007'])('a whole number: %s', (text) =>
  expect(wholeNumber('--n', 10)(text)).toBe(Number(text)),
);
it.each(['0', '11', '-1', '1.5', '1e1', '0x2', '', ' ', 'NaN', 'Infinity', '１', '9'.repeat(400)])(
  'no whole number: %j',
  (text) => expect(() => wholeNumber('--n', 10)(text)).toThrow(bad),
);
it('nought where it is allowed', () => expect(wholeNumber('--n', 10, 0)('0')).toBe(0));

it.each(['0', '0.5', '1', '1e-3'])('a number: %s', (text) => expect(realNumber('--n', 0, 1)(text)).toBe(Number(text)));
it.each(['-0.1', '1.1', '', 'hot', 'NaN', 'Infinity'])('no such number: %j', (text) =>
  expect(() => realNumber('--n', 0, 1)(text)).toThrow(bad),
);

it('a short text', () => {
  expect(shortText('--n', 'x')(' ü ')).toBe(' ü ');
  for (const text of ['', '  ', 'x'.repeat(1001)]) expect(() => shortText('--n', 'x')(text)).toThrow(bad);
  expect(() => shortText('--n', 'x')('x'.repeat(1001))).toThrow(expect.objectContaining({ value: '1001 characters' }));
});

it('seconds that rise', () => {
  const read = risingSeconds('--resting', 3, '30,300,1800');
  expect(read('0,5, 5')).toEqual([0, 5, 5]);
  for (const text of ['', '1,2', '1,2,3,4', '3,2,1', '1,-2,3', '1,2,x', '1,,3', '1,2,99999999'])
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'bad_option' }));
});
