import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { canonicalJson } from '../kit/hash.js';
import { readData, writeParsed, writeYaml } from './files.js';
import { forgetParsed, PARSED, yamlValue } from './parsed.js';

const dir = mkdtempSync(join(tmpdir(), 'treadle-parsed-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const at = (name: string): string => join(dir, name);

it('says what the YAML says, whatever was written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const written = writeYaml(at('a.yaml'), value);
      writeParsed(dir, [written]);
      // As artifacts are compared: minus nought is nought.
      expect(canonicalJson(yamlValue(at('a.yaml'), written.text))).toBe(canonicalJson(parse(written.text)));
    }),
    { numRuns: 200 },
  );
});

it('a file that was edited counts as it is now', () => {
  writeParsed(dir, [writeYaml(at('b.yaml'), { name: 'one' })]);
  expect(readData(at('b.yaml'))).toEqual({ name: 'one' });
  appendFileSync(at('b.yaml'), 'more: 2\n');
  expect(readData(at('b.yaml'))).toEqual({ name: 'one', more: 2 });
});

it('is never needed: lines that are cut off, odd or gone change nothing', () => {
  const written = writeYaml(at('c.yaml'), { name: 'three', list: [1, 2, 3] });
  writeParsed(dir, [written]);
  const whole = readFileSync(at(PARSED), 'utf8');
  for (const text of [whole.slice(0, -8), whole.slice(0, 40), 'nonsense\n\n', '']) {
    writeFileSync(at(PARSED), text);
    forgetParsed(dir);
    expect(yamlValue(at('c.yaml'), written.text)).toEqual({ name: 'three', list: [1, 2, 3] });
  }
  rmSync(at(PARSED));
  forgetParsed(dir);
  expect(yamlValue(at('c.yaml'), written.text)).toEqual({ name: 'three', list: [1, 2, 3] });
});
