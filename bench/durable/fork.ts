/** What a fork costs of the processor by how much was changed before it: nothing kept, kept by reference, and kept as the whole session that it was before. */
import { join } from 'node:path';
import { memoryBlobs } from '../../src/serve/blobs/memory.js';
import { processClock } from '../../src/serve/durable/clock.js';
import { memoryOwnership } from '../../src/serve/durable/ownership/memory.js';
import { imageBytes } from '../../src/serve/durable/session/bytes.js';
import { HouseKeeping } from '../../src/serve/durable/session/house-keeping.js';
import { imageOfActive } from '../../src/serve/sessions/server/saved.js';
import type { SessionServer } from '../../src/serve/sessions/server/session-server.js';
import { Engine } from '../../src/world/state/engine.js';
import { fixtureServer } from '../../test/fixtures/server.js';
import { inFolder, type Options } from '../serve/options.js';
import { median, round } from '../serve/report.js';

const LEVELS = ['off', 'none', 'call'] as const;
type Level = (typeof LEVELS)[number];
const FORKS = 40;
/** No savepoint while it is timed. */
const NEVER = { quietMs: 1e9, busyMs: 1e9, requests: 1e9, bytes: 1e12 };

/** Of this process: others that want the processor too do not count. */
const cpuUs = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from);
  return user + system;
};

interface Lane {
  server: SessionServer;
  house?: HouseKeeping;
}

const laneOf = async (engine: Engine, level: Level, dir: string): Promise<Lane> => {
  const limits = { capacity: 100_000 };
  if (level === 'off') return { server: fixtureServer(engine, limits).server };
  const house = await HouseKeeping.open({
    name: level,
    folder: join(dir, level),
    durability: level,
    ownership: memoryOwnership(processClock),
    blobs: memoryBlobs(),
    times: NEVER,
    onDefect: (error) => console.log(error.line()),
  });
  return { house, server: fixtureServer(engine, limits, { keeping: house.keeping }).server };
};

/** A session with so many rows of its own, saved where it is kept; and then one more. */
const grown = async ({ server, house }: Lane, rows: number): Promise<string> => {
  const { id } = await server.open({ task: 'fixture/new-customer-1' });
  const live = server.live(id);
  const add = async (n: number) => {
    const { ok } = await live.call('create_customer', { name: `New ${n}`, email: `new${n}@mail.example` });
    if (!ok) throw new Error('create_customer was refused');
  };
  for (let n = 1; n < rows; n++) await add(n);
  const kept = house?.keeper.of(live);
  if (kept) await house?.savepoints.save(kept);
  await add(rows);
  return id;
};

const forkUs = async ({ server, house }: Lane, id: string): Promise<number> => {
  const from = process.cpuUsage();
  const made = [];
  for (let n = 0; n < FORKS; n++) made.push(...(await server.fork(id)));
  const us = cpuUs(from) / FORKS;
  for (const { id: fork } of made) {
    const live = server.live(fork);
    house?.keeper.letGo(live);
    server.letGo(live);
  }
  return us;
};

/** What a fork wrote before it referred to its parent, put together but not written. */
const wholeUs = async ({ server }: Lane, id: string): Promise<number> => {
  const live = server.live(id);
  return live.on((session) => {
    const from = process.cpuUsage();
    imageBytes(imageOfActive(live, session));
    return cpuUs(from);
  });
};

export const runFork = (options: Options): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const [sizes, rounds] = options.small ? [[1, 100], 2] : [[1, 100, 10_000], 7];
    const engine = await Engine.start();
    const fork_us: Record<string, Record<string, number>> = {};
    for (const rows of sizes) {
      const lanes = new Map<Level, { lane: Lane; id: string }>();
      for (const level of LEVELS) {
        const lane = await laneOf(engine, level, join(dir, String(rows)));
        lanes.set(level, { lane, id: await grown(lane, rows) });
      }
      const seen: Record<string, number[]> = { off: [], none: [], call: [], whole: [] };
      for (let n = 0; n <= rounds; n++)
        for (const [level, { lane, id }] of lanes) {
          const us = await forkUs(lane, id);
          if (n > 0) seen[level]?.push(us);
          if (n > 0 && level === 'call') seen.whole?.push(await wholeUs(lane, id));
        }
      fork_us[`rows_${rows}`] = Object.fromEntries(
        Object.entries(seen).map(([name, all]) => [name, round(median(all), 1)]),
      );
      for (const { lane } of lanes.values()) await lane.server.shutDown();
    }
    engine.close();
    return { fork_us };
  });
