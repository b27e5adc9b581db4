import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RESERVED_TOOL_NAMES, TOOL_NAME } from '../../artifacts/service.js';
import { fitNames } from './names.js';

it('names are fit and unique whatever the server calls its tools', () => {
  const own = fc.oneof(
    fc.constantFrom(
      ...RESERVED_TOOL_NAMES,
      'State',
      'a.b',
      'a_b',
      'A_B',
      'a_b_2',
      '',
      '_',
      '9',
      'x'.repeat(64),
      'x'.repeat(90),
    ),
    fc.string({ unit: 'binary', maxLength: 80 }),
  );
  const id = fc.constantFrom('a', 'files', 'i'.repeat(63));
  const prefix = fc.constantFrom(undefined, 'p_', 'P'.repeat(32));
  fc.assert(
    fc.property(fc.array(own, { maxLength: 40 }), id, prefix, (originals, server, before) => {
      const names = fitNames(originals, server, before);
      expect(names.filter((name) => !TOOL_NAME.test(name))).toEqual([]);
      expect(names.filter((name) => RESERVED_TOOL_NAMES.some((one) => one === name.toLowerCase()))).toEqual([]);
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(originals.length);
      expect(fitNames(originals, server, before)).toEqual(names);
    }),
    { numRuns: 500 },
  );
});

it('leaves fit ones alone', () => {
  expect(fitNames(['read_file', 'getUser', 'close'], 'files')).toEqual(['read_file', 'getUser', 'files_close']);
  expect(fitNames(['read_file', 'close'], 'files', 'fs_')).toEqual(['fs_read_file', 'fs_close']);
});
