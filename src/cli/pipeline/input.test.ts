import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sha256 } from '../../kit/hash.js';
import { readInput } from './input.js';

let dir: string;
let back: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-input-'));
  writeFileSync(join(dir, 'brief.md'), 'a hotel in Rome\n');
  writeFileSync(join(dir, 'api.yaml'), 'openapi: 3.0.0\n');
  mkdirSync(join(dir, 'bakery'));
  back = process.cwd();
});
afterAll(() => {
  process.chdir(back);
  rmSync(dir, { recursive: true, force: true });
});

it.each(['a hotel in Rome', 'bakery', 'hotel/restaurant', 'Größe 面包店', 'we sell .json files', 'x'.repeat(50_000)])(
  'words are a brief: %.40s',
  async (text) => {
    process.chdir(dir);
    expect(await readInput(`  ${text} `)).toEqual({ kind: 'brief', text, name: 'brief', hash: sha256(text) });
  },
);

it('files are what they end like', async () => {
  expect(await readInput(join(dir, 'brief.md'))).toMatchObject({ kind: 'brief', text: 'a hotel in Rome\n' });
  expect(await readInput(join(dir, 'api.yaml'))).toMatchObject({ kind: 'document', name: 'api' });
});

it.each(['nowhere.yaml', './nowhere', '../nowhere', '/nowhere', '~/nowhere', 'a/b.json'])(
  'a path that is not there is no brief: %s',
  (path) => expect(readInput(path)).rejects.toMatchObject({ code: 'missing_file', value: path }),
);

it('a folder that was meant as a path is no brief', () =>
  expect(readInput(join(dir, 'bakery'))).rejects.toMatchObject({ code: 'not_a_file' }));

it.each(['', '  \n\t '])('nothing is no brief: %j', (text) =>
  expect(readInput(text)).rejects.toMatchObject({ code: 'empty_brief' }),
);
