/** A parent that hosts a stubborn server and a sandbox with a process that left its group, and is then killed by the test. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openOutside } from '../../src/serve/outside/service.js';
import { openSandbox } from '../../src/serve/sandbox/sandbox.js';
import { StartQueue } from '../../src/serve/start-queue.js';
import { oddSpec } from './hosting.js';

const read = async (file: string): Promise<string> => {
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(10);
  return readFileSync(file, 'utf8');
};

export const host = async (root: string): Promise<void> => {
  const starts = new StartQueue(2, 30_000);
  const folder = join(root, 'server');
  await openOutside(oddSpec('stubborn'), { folder, starts });
  const paused = await openOutside(oddSpec('stubborn'), { folder: join(root, 'paused'), starts });
  await paused.pause();
  // One that is over already: its number is nobody's of ours any more.
  await (await openOutside(oddSpec('plain'), { folder: join(root, 'over'), starts })).close();
  const sandbox = await openSandbox(join(root, 'sandbox'));
  const stray = `trap '' TERM; setsid sh -c 'trap "" TERM HUP; echo $$ > stray; while :; do sleep 1; done' & wait`;
  const started = sandbox.start('/bin/sh', ['-c', stray]);
  const files = ['server/pids', 'paused/pids', 'sandbox/stray'];
  const pids = await Promise.all(files.map((file) => read(join(root, file))));
  process.stdout.write(`${[...pids.join(' ').trim().split(/\s+/), started.pid].join(' ')}\n`);
};
