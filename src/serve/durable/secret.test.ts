import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderSecret } from './secret.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-secret-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (): string => join(folder, 'secret');

it('is drawn once, is the same ever after, and nobody else can read it', () => {
  const drawn = folderSecret(folder);
  expect(drawn).toHaveLength(32);
  expect(Buffer.from(folderSecret(folder))).toEqual(Buffer.from(drawn));
  expect(statSync(path()).mode & 0o777).toBe(0o600);
});

it('is drawn anew where it is damaged, or where somebody died while it was drawn', () => {
  writeFileSync(path(), 'half of one');
  writeFileSync(`${path()}.part`, '');
  const drawn = folderSecret(folder);
  expect(readFileSync(path())).toEqual(Buffer.from(drawn));
});

it('says so where it cannot be kept', () => {
  expect(() => folderSecret(join(folder, 'nowhere'))).toThrow(expect.objectContaining({ code: 'secret_failed' }));
});
