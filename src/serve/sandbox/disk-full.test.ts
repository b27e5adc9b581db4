import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { copyFolder } from './copy-folder.js';

const full = vi.hoisted(() => ({ after: 0, code: 'ENOSPC' }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    copyFile: async (...args: Parameters<typeof real.copyFile>) => {
      if (full.after-- > 0) return real.copyFile(...args);
      writeFileSync(args[1], 'half');
      throw Object.assign(new Error('no'), { code: full.code });
    },
  };
});

const root = mkdtempSync(join(tmpdir(), 'treadle-full-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each(['ENOSPC', 'EDQUOT'])('a copy that the disk cannot hold (%s) is told and removed', async (code) => {
  const from = join(root, `from-${code}`);
  mkdirSync(join(from, 'in'), { recursive: true });
  for (const name of ['a', 'b', 'in/c']) writeFileSync(join(from, name), name);
  Object.assign(full, { after: 2, code });
  const to = join(root, `to-${code}`);
  await expect(copyFolder(from, to)).rejects.toMatchObject({
    code: 'disk_full',
    isRetryable: true,
    fault: 'infrastructure',
  });
  expect(existsSync(to)).toBe(false);
  full.after = 3;
  await copyFolder(from, to);
  expect(readFileSync(join(to, 'in/c'), 'utf8')).toBe('in/c');
});
