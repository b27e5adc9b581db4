/** A worker's house: the corpus opened to read, under the records that the front has, with a session server of its own over it. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Corpus } from '../../corpus/corpus.js';
import { publishCorpus } from '../../corpus/publish.js';
import { eventWeaver } from '../../dynamics/weaver.js';
import type { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { faultyBlobs } from '../../serve/blobs/faulty.js';
import { openBlobs } from '../../serve/blobs/open.js';
import { DiskWatch } from '../../serve/durable/disk-watch.js';
import { faultsOfEnvironment } from '../../serve/durable/faults/seeded.js';
import type { Durability } from '../../serve/durable/session/durability.js';
import { HouseKeeping } from '../../serve/durable/session/house-keeping.js';
import { workerKeeping } from '../../serve/durable/session/worker-keeping.js';
import { faultRule } from '../../serve/faults/rule.js';
import { remoteDesk } from '../../serve/jobs/link.js';
import { workOnJobs } from '../../serve/jobs/worker.js';
import { parseOutsideSpec } from '../../serve/outside/spec.js';
import type { ServerLimits } from '../../serve/sessions/server/options.js';
import { SessionServer } from '../../serve/sessions/server/session-server.js';
import { remoteOwnership } from '../../serve/workers/ownership/remote.js';
import type { Rpc } from '../../serve/workers/rpc/rpc.js';
import type { MakeHouse, WorkerHouse } from '../../serve/workers/worker/house.js';
import { registryOfFront } from '../../serve/workers/worker/registry.js';
import { Engine } from '../../world/state/engine.js';
import { warn } from '../ui.js';
import { boundHeap } from './heap.js';
import { jobWork } from './jobs/work.js';
import { warmUp } from './warm-up.js';

/** What the front tells every worker; JSON. */
export interface WorkerOrders {
  dir: string;
  /** Where each worker makes a folder of its own, for ledgers and resting sessions. */
  folder: string;
  /** How sessions are kept; absent: they end with their worker. */
  keeping?: { folder: string; durability: Durability; blobs: string; diskReserve?: number; leaseMs?: number };
  limits: Partial<Omit<ServerLimits, 'now'>>;
  faults?: { rules: string[]; seed: string };
  warm: boolean;
  lean: boolean;
}

/** Its lease, log and savepoints; the front has the store. A lease that is lost ends the process: the front starts another. */
const openKept = async (
  name: string,
  { folder, durability, blobs: where, diskReserve = 0, leaseMs }: NonNullable<WorkerOrders['keeping']>,
  rpc: Rpc,
  onDefect: (error: TreadleError) => void,
) => {
  const faults = faultsOfEnvironment(process.env, { who: `${name} ${process.pid}` });
  const blobs = faultyBlobs(openBlobs(where, { sync: durability === 'disk' }), faults);
  const disk = new DiskWatch(folder, diskReserve);
  await disk.begin();
  const house = await HouseKeeping.open({
    name,
    folder,
    durability,
    ownership: remoteOwnership(rpc),
    blobs,
    faults,
    disk,
    lost: () => rpc.link.end(),
    onDefect,
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  return { house, blobs, disk };
};

/** Throws what opening the corpus throws, and `damaged_registry`. */
export const workerHouse: MakeHouse = async (name, welcome, rpc): Promise<WorkerHouse> => {
  const { dir, folder, keeping, limits, faults, warm, lean } = welcome.house as unknown as WorkerOrders;
  boundHeap(lean);
  const corpus = Corpus.open(dir);
  const registry = registryOfFront(welcome, rpc, (content) => parseOutsideSpec(content) as unknown as Json);
  const published = publishCorpus(registry, corpus);
  const engine = await Engine.start();
  const onDefect = (error: TreadleError): void => warn(`${name}: ${error.line()}`);
  const kept = keeping && (await openKept(name, keeping, rpc, onDefect));
  const incarnation = kept?.house.incarnation ?? `${name}#${randomUUID()}`;
  const server = new SessionServer({
    engine,
    registry,
    partsOf: (hash) => published.source.partsOf(hash),
    folder: join(folder, incarnation.replace('#', '.')),
    ...(kept ? { blobs: kept.blobs, keeping: kept.house.keeping } : {}),
    limits,
    ...(faults ? { faults: { rules: faults.rules.map(faultRule), seed: faults.seed } } : {}),
    weaver: eventWeaver,
    onDefect,
  });
  /** Of jobs that trainers left with the server. */
  let working: Promise<void> | undefined;
  return {
    incarnation,
    server,
    registry,
    ...(kept && keeping ? { keeping: workerKeeping(kept.house, keeping.folder) } : {}),
    warm: async (pace) => {
      if (kept)
        working = workOnJobs({
          name: incarnation,
          desk: remoteDesk(rpc),
          blobs: kept.blobs,
          work: jobWork(corpus, engine),
          ...pace,
        });
      if (warm) await warmUp({ registry, server }, pace);
    },
    close: async () => {
      // The item that it is at is finished, or was given back.
      await working;
      await server.shutDown();
      kept?.disk.end();
      rmSync(server.folder, { recursive: true, force: true });
      engine.close();
      registry.close();
    },
  };
};
