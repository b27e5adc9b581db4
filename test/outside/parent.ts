/** A parent that hosts a stubborn server and a sandbox with a process that left its group, and is then killed by the test. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** The shell that is to outlive us; it must be one of ours. */
const keeper = (): number | undefined => {
  if (process.platform !== 'linux') return undefined;
  const ours = (pid: string): boolean => {
    try {
      const isChild = readFileSync(`/proc/${pid}/stat`, 'utf8').includes(`) S ${process.pid} `);
      return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read -r op id');
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter(ours)
    .map(Number)[0];
};

export const host = async (root: string): Promise<void> => {
  const starts = new StartQueue(2, 30_000);
  const folder = join(root, 'server');
  await openOutside(oddSpec('stubborn'), { folder, starts });
  const paused = await openOutside(oddSpec('stubborn'), { folder: join(root, 'paused'), starts });
  await paused.pause();
  // One that is over already: its number is nobody's of ours any more.
  await (await openOutside(oddSpec('plain'), { folder: join(root, 'over'), starts })).close();
  // Somebody ends the keeper: another one must take over what is on its list.
  const kept = keeper();
  if (process.platform === 'linux' && kept === undefined) throw new Error('there is no keeper');
  if (kept !== undefined) process.kill(kept, 'SIGKILL');
  while (kept !== undefined && (keeper() ?? kept) === kept) await sleep(10);
  const sandbox = await openSandbox(join(root, 'sandbox'));
  const stray = `trap '' TERM; setsid sh -c 'trap "" TERM HUP; echo $$ > stray; while :; do sleep 1; done' & wait`;
  const started = sandbox.start('/bin/sh', ['-c', stray]);
  const files = ['server/pids', 'paused/pids', 'sandbox/stray'];
  const pids = await Promise.all(files.map((file) => read(join(root, file))));
  process.stdout.write(`${[...pids.join(' ').trim().split(/\s+/), started.pid].join(' ')}\n`);
};
