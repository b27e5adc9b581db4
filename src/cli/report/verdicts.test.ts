/** The table of `treadle certify`. */
import { describe, expect, it } from 'vitest';
import type { Certificate } from '../../artifacts/certificate.js';
import { legend, VALIDATORS, verdictLines, verdictRows } from './verdicts.js';

const certificate = (
  kind: 'world' | 'service',
  failing: readonly string[],
  ids = VALIDATORS.map(({ id }) => id),
): Certificate => ({
  treadle: 'certificate/1',
  kind,
  subject: 'b'.repeat(64),
  name: kind,
  pass: failing.length === 0,
  findings: ids.map((id) => ({ id, pass: !failing.includes(id), evidence: [] })),
});

describe('the table', () => {
  it('has a column for each of the twelve', () => {
    expect(VALIDATORS.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(legend()).toMatch(/^1 schema .* 7 service graph .* 11 determinism {2}12 isolation$/);
  });
  it('has a line for the world and one a service, with what each was judged by', () => {
    const rows = verdictRows('alpha', {
      shop: certificate(
        'service',
        ['effects'],
        VALIDATORS.slice(0, 6).map(({ id }) => id),
      ),
      world: certificate('world', ['effects', 'violable']),
    });
    expect(rows.map(({ name, kind, pass }) => [name, kind, pass])).toEqual([
      ['alpha', 'world', false],
      ['shop', 'service', false],
    ]);
    const lines = verdictLines(rows, (text) => `<${text}>`);
    expect(lines).toEqual([
      'world    1  2  3  4  5  6  7  8  9 10 11 12',
      'alpha    ✓  ✓  ✓  ✓  ✓<  ✗>  ✓  ✓  ✓<  ✗>  ✓  ✓',
      '  shop   ✓  ✓  ✓  ✓  ✓<  ✗>  ·  ·  ·  ·  ·  ·',
    ]);
  });
  it('takes a world without certificates, findings it does not know, and names of any length', () => {
    expect(verdictRows('alpha', {})).toEqual([]);
    expect(verdictLines([], (text) => text)).toHaveLength(1);
    const [row] = verdictRows('x'.repeat(300), { world: certificate('world', [], ['mystery']) });
    expect(Object.values(row?.marks ?? {})).toEqual(Array(12).fill('none'));
    expect(verdictLines(row ? [row] : [], (text) => text)[1]?.length).toBeLessThan(100);
  });
});
