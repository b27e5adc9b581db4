/** A corpus ready to serve: published to a registry, with a session server over it. */
import { resolve } from 'node:path';
import { Corpus } from '../../corpus/corpus.js';
import { readData } from '../../corpus/files.js';
import { type PublishedCorpus, publishCorpus } from '../../corpus/publish.js';
import { eventWeaver } from '../../dynamics/weaver.js';
import type { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { type Embedded, type EmbeddedOptions, openEmbedded } from '../../serve/durable/embedded.js';
import { faultsOfEnvironment } from '../../serve/durable/faults/seeded.js';
import type { Durability } from '../../serve/durable/session/durability.js';
import type { TakenUp } from '../../serve/durable/session/house-keeping.js';
import type { ServerFaults } from '../../serve/faults/session-faults.js';
import { parseOutsideSpec } from '../../serve/outside/spec.js';
import { openRegistry, type Registry } from '../../serve/registry/registry.js';
import type { ServerLimits } from '../../serve/sessions/server/options.js';
import { SessionServer } from '../../serve/sessions/server/session-server.js';
import { Engine } from '../../world/state/engine.js';

export interface House {
  corpus: Corpus;
  registry: Registry;
  published: PublishedCorpus;
  server: SessionServer;
  /** What became of the sessions that servers before left in the data folder. */
  taken?: TakenUp;
  close(): Promise<void>;
}

export interface HouseOptions {
  dir: string;
  /** Registry, ledgers, parked sessions, savepoints and logs; temporary where absent, and sessions end with the process then. */
  data?: string | undefined;
  /** How sessions are kept; only with `data`. */
  durability?: Durability;
  /** Where savepoints go; a folder of `data` when absent. */
  blobs?: string | undefined;
  diskReserve?: number;
  /** Files that describe outside MCP servers. */
  servers: readonly string[];
  limits: Partial<ServerLimits>;
  faults?: ServerFaults | undefined;
  onDefect: (error: TreadleError) => void;
}

export const publishServers = (registry: Registry, files: readonly string[]): void => {
  for (const file of files) {
    const spec = readData(resolve(file)) as { id?: unknown };
    registry.publish('server', String(spec?.id ?? ''), spec as Json);
  }
};

const keepingOf = (
  { durability = 'none', blobs, diskReserve, onDefect }: HouseOptions,
  folder: string,
): EmbeddedOptions => ({
  folder,
  durability,
  blobs,
  ...(diskReserve === undefined ? {} : { diskReserve }),
  faults: faultsOfEnvironment(process.env),
  onDefect,
});

/** Throws what opening the corpus or the data folder throws. */
export const openHouse = async (options: HouseOptions): Promise<House> => {
  const { dir, data, servers, limits, faults, onDefect } = options;
  const corpus = Corpus.open(dir);
  const check = (content: Json): Json => parseOutsideSpec(content) as unknown as Json;
  const registry = openRegistry({ server: check, ...(data === undefined ? {} : { folder: `${data}/registry` }) });
  let embedded: Embedded | undefined;
  try {
    if (data !== undefined) embedded = await openEmbedded(keepingOf(options, data));
    const published = publishCorpus(registry, corpus);
    publishServers(registry, servers);
    const engine = await Engine.start();
    const server = new SessionServer({
      engine,
      registry,
      partsOf: (hash) => published.source.partsOf(hash),
      ...(data === undefined ? {} : { folder: `${data}/sessions` }),
      ...(embedded
        ? { blobs: embedded.data.blobs, keeping: embedded.house.keeping, secret: embedded.data.secret }
        : {}),
      limits,
      ...(faults ? { faults } : {}),
      weaver: eventWeaver,
      onDefect,
    });
    const taken = await embedded?.house.takeOver();
    const close = async (): Promise<void> => {
      await server.shutDown();
      await embedded?.close();
      engine.close();
      registry.close();
    };
    return { corpus, registry, published, server, ...(taken ? { taken } : {}), close };
  } catch (thrown) {
    await embedded?.close();
    registry.close();
    throw thrown;
  }
};
