/** A worker's house: the corpus opened to read, under the records that the front has, with a session server of its own over it. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Corpus } from '../../corpus/corpus.js';
import { publishCorpus } from '../../corpus/publish.js';
import { eventWeaver } from '../../dynamics/weaver.js';
import type { Json } from '../../kit/hash.js';
import { folderBlobs } from '../../serve/blobs/folder.js';
import { faultRule } from '../../serve/faults/rule.js';
import { parseOutsideSpec } from '../../serve/outside/spec.js';
import type { ServerLimits } from '../../serve/sessions/server/options.js';
import { SessionServer } from '../../serve/sessions/server/session-server.js';
import type { MakeHouse, WorkerHouse } from '../../serve/workers/worker/house.js';
import { registryOfFront } from '../../serve/workers/worker/registry.js';
import { Engine } from '../../world/state/engine.js';
import { warn } from '../ui.js';
import { boundHeap } from './heap.js';
import { warmUp } from './warm-up.js';

/** What the front tells every worker; JSON. */
export interface WorkerOrders {
  dir: string;
  /** Where each worker makes a folder of its own, for ledgers and resting sessions. */
  folder: string;
  /** Where all of them keep what outlives a session; absent: nowhere. */
  blobs?: string;
  limits: Partial<Omit<ServerLimits, 'now'>>;
  faults?: { rules: string[]; seed: string };
  warm: boolean;
  lean: boolean;
}

/** Throws what opening the corpus throws, and `damaged_registry`. */
export const workerHouse: MakeHouse = async (name, welcome, rpc): Promise<WorkerHouse> => {
  const { dir, folder, blobs, limits, faults, warm, lean } = welcome.house as unknown as WorkerOrders;
  boundHeap(lean);
  const incarnation = `${name}#${randomUUID()}`;
  const corpus = Corpus.open(dir);
  const registry = registryOfFront(welcome, rpc, (content) => parseOutsideSpec(content) as unknown as Json);
  const published = publishCorpus(registry, corpus);
  const engine = await Engine.start();
  const server = new SessionServer({
    engine,
    registry,
    partsOf: (hash) => published.source.partsOf(hash),
    folder: join(folder, incarnation),
    ...(blobs === undefined ? {} : { blobs: folderBlobs(blobs) }),
    limits,
    ...(faults ? { faults: { rules: faults.rules.map(faultRule), seed: faults.seed } } : {}),
    weaver: eventWeaver,
    onDefect: (error) => warn(`${name}: ${error.line()}`),
  });
  return {
    incarnation,
    server,
    registry,
    ...(warm ? { warm: (pace) => warmUp({ registry, server }, pace) } : {}),
    close: async () => {
      await server.shutDown();
      engine.close();
      registry.close();
    },
  };
};
