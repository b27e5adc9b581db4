/** However the parent ends, nothing that it started outlives it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { runs, until } from './hosting.js';

const PARENT = fileURLToPath(new URL('./parent.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'treadle-orphans-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each(['is killed', 'exits'])('when the parent %s', async (how) => {
  const folder = join(root, how.replace(' ', '-'));
  const parent = spawn(process.execPath, [PARENT, folder, how], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  parent.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await until(() => said.includes('\n'));
  const pids = said.trim().split(' ').map(Number);
  expect(pids.length).toBe(6);
  if (how === 'is killed') {
    expect(pids.map(runs)).toEqual(pids.map(() => true));
    parent.kill('SIGKILL');
  }
  await until(() => pids.every((pid) => !runs(pid)));
});
