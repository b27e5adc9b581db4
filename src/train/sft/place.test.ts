/** An export and the one before it: one of the two is whole at every moment. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endScratch, putInPlace, startScratch } from './place.js';

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'place-'));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

const write = (root: string, text: string, file = 'train.jsonl'): void => {
  mkdirSync(join(root, 'data'), { recursive: true });
  writeFileSync(join(root, 'data', file), text);
  writeFileSync(join(root, 'README.md'), text);
};
const read = (): string[] =>
  [join('data', 'train.jsonl'), 'README.md'].map((path) =>
    existsSync(join(out, path)) ? readFileSync(join(out, path), 'utf8') : 'gone',
  );

it('the new one takes the place of the old one, with all of its files', () => {
  write(out, 'old');
  write(out, 'old', 'validation.jsonl');
  const scratch = startScratch(out);
  write(join(scratch, 'new'), 'new');
  putInPlace(out);
  endScratch(out);
  expect(read()).toEqual(['new', 'new']);
  expect(readdirSync(join(out, 'data'))).toEqual(['train.jsonl']);
  expect(readdirSync(out).sort()).toEqual(['README.md', 'data']);
});

it("somebody else's files in the folder stay", () => {
  write(out, 'old');
  writeFileSync(join(out, 'data', 'notes.txt'), 'mine');
  writeFileSync(join(out, '.gitattributes'), 'mine');
  const scratch = startScratch(out);
  write(join(scratch, 'new'), 'new');
  putInPlace(out);
  endScratch(out);
  expect(readdirSync(join(out, 'data')).sort()).toEqual(['notes.txt', 'train.jsonl']);
  expect(readdirSync(out).sort()).toEqual(['.gitattributes', 'README.md', 'data']);
});

it('a failure on the way puts the old one back', () => {
  write(out, 'old');
  const scratch = startScratch(out);
  write(join(scratch, 'new'), 'new');
  // The new card is not there: the last move fails.
  rmSync(join(scratch, 'new', 'README.md'));
  expect(() => putInPlace(out)).toThrow(/ENOENT/);
  endScratch(out);
  expect(read()).toEqual(['old', 'old']);
});

it.each([1, 2, 3])('a process that died behind move %i left the old one to the next export', (moves) => {
  write(out, 'old');
  const scratch = startScratch(out);
  write(join(scratch, 'new'), 'new');
  const before = join(scratch, 'before');
  mkdirSync(before);
  const steps = [
    () => renameSync(join(out, 'data'), join(before, 'data')),
    () => renameSync(join(out, 'README.md'), join(before, 'README.md')),
    () => renameSync(join(scratch, 'new', 'data'), join(out, 'data')),
  ];
  for (const step of steps.slice(0, moves)) step();
  startScratch(out);
  endScratch(out);
  expect(read()).toEqual(['old', 'old']);
});

it('one that died while it tidied up left the new one', () => {
  write(out, 'new');
  const scratch = startScratch(out);
  mkdirSync(join(scratch, 'before'));
  write(join(scratch, 'before'), 'old');
  startScratch(out);
  endScratch(out);
  expect(read()).toEqual(['new', 'new']);
});
