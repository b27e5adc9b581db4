/** The package's data is the same as YAML and as the JSON that a build leaves of it. */
import { expect, it } from 'vitest';
import { plainDataFiles, readDataFile } from './data-file.js';

it.each(plainDataFiles())('%s says the same as JSON', (name) => {
  const value = readDataFile(name);
  expect(JSON.parse(JSON.stringify(value))).toEqual(value);
});
