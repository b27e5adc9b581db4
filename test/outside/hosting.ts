/** What the tests of outside servers share: a folder for each test, and every server closed at its end. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type OutsideOptions, type OutsideService, openOutside } from '../../src/serve/outside/service.js';
import { type OutsideSpec, parseOutsideSpec } from '../../src/serve/outside/spec.js';
import { StartQueue } from '../../src/serve/start-queue.js';

const ODD = fileURLToPath(new URL('./odd-server.mjs', import.meta.url));

export const oddSpec = (mode: string, more: object = {}): OutsideSpec =>
  parseOutsideSpec({
    treadle: 'server/1',
    id: 'odd',
    title: 'Odd',
    transport: { stdio: { command: process.execPath, args: [ODD, mode] } },
    keeps: 'unknown',
    ...more,
  });

export class Hosting {
  readonly root = mkdtempSync(join(tmpdir(), 'treadle-outside-'));
  readonly starts = new StartQueue(4, 60_000);
  readonly #open: OutsideService[] = [];
  #folders = 0;

  folder(): string {
    return join(this.root, `f${this.#folders++}`);
  }

  keep(service: OutsideService): OutsideService {
    this.#open.push(service);
    return service;
  }

  async open(spec: OutsideSpec, more: Partial<OutsideOptions> = {}): Promise<OutsideService> {
    return this.keep(await openOutside(spec, { folder: this.folder(), starts: this.starts, ...more }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((service) => service.close()));
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const until = async (holds: () => boolean): Promise<void> => {
  for (let i = 0; !holds(); i++) {
    if (i > 1_500) throw new Error('never came true');
    await sleep(10);
  }
};

/** Whether a process runs; one that is dead and not yet reaped does not. */
export const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
};
