/** A machine whose serving process dies and comes back, all in one process: what is kept of its sessions is real. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FixtureServer, fixtureServer } from '../../../../test/fixtures/server.js';
import type { TreadleError } from '../../../errors.js';
import type { Engine } from '../../../world/state/engine.js';
import type { Blobs } from '../../blobs/blobs.js';
import { memoryBlobs } from '../../blobs/memory.js';
import type { ServerLimits, SessionServerOptions } from '../../sessions/server/options.js';
import { processClock } from '../clock.js';
import { memoryOwnership } from '../ownership/memory.js';
import type { Ownership } from '../ownership/ownership.js';
import { HouseKeeping, type HouseKeepingOptions, type TakenUp } from './house-keeping.js';

export interface Running extends FixtureServer {
  house: HouseKeeping;
  taken: TakenUp;
  defects: TreadleError[];
}

type Options = Partial<Omit<HouseKeepingOptions, 'folder' | 'name'>> & {
  limits?: Partial<ServerLimits>;
  server?: Partial<Omit<SessionServerOptions, 'engine' | 'registry' | 'limits' | 'keeping'>>;
};

export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'treadle-machine-'));
  readonly blobs: Blobs = memoryBlobs();
  readonly ownership: Ownership = memoryOwnership(processClock);
  readonly #running = new Set<Running>();

  constructor(
    readonly engine: Engine,
    readonly usual: Options = {},
  ) {}

  /** Takes up whatever processes before it left. */
  async start(given: Options = {}): Promise<Running> {
    const running = await this.startBeside(given);
    running.taken = await running.house.takeOver();
    return running;
  }

  /** Another process beside those that run: it takes up nothing by itself. */
  async startBeside(given: Options = {}): Promise<Running> {
    const { limits, server: more, ...options } = { ...this.usual, ...given };
    const defects: TreadleError[] = [];
    const onDefect = (error: TreadleError): void => void defects.push(error);
    const house = await HouseKeeping.open({
      name: 'w',
      folder: this.folder,
      durability: 'call',
      ownership: this.ownership,
      blobs: this.blobs,
      onDefect,
      ...options,
    });
    const fixture = fixtureServer(this.engine, limits, { ...more, keeping: house.keeping });
    const running: Running = { ...fixture, house, defects, taken: { sessions: [], damage: [] } };
    this.#running.add(running);
    return running;
  }

  /** Nothing is saved, and nobody is told. */
  kill(running: Running): void {
    running.house.abandon();
    this.#running.delete(running);
  }

  async restart(running: Running, options: Options = {}): Promise<Running> {
    this.kill(running);
    return this.start(options);
  }

  async stop(running: Running): Promise<void> {
    this.#running.delete(running);
    await running.server.shutDown();
  }

  async end(): Promise<void> {
    for (const running of this.#running) await this.stop(running);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
