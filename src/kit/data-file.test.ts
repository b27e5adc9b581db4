/** The package's data is the same as YAML and as the JSON that a build leaves of it. */
import { expect, it } from 'vitest';
import { plainDataFiles, readDataFile, readDataParts } from './data-file.js';

it.each(plainDataFiles())('%s says the same as JSON', (name) => {
  const value = readDataFile(name);
  expect(JSON.parse(JSON.stringify(value))).toEqual(value);
});

it('a file of many documents says the same as JSON, part by part', () => {
  const parts = readDataParts('lexicon');
  expect(parts.length).toBeGreaterThan(100);
  for (const part of parts) expect(JSON.parse(JSON.stringify(part.value()))).toEqual(part.value());
});
