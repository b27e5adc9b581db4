/** A corpus ready to serve: published to a registry, with a session server over it. */
import { resolve } from 'node:path';
import { Corpus } from '../../corpus/corpus.js';
import { readData } from '../../corpus/files.js';
import { type PublishedCorpus, publishCorpus } from '../../corpus/publish.js';
import { eventWeaver } from '../../dynamics/weaver.js';
import type { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { folderBlobs } from '../../serve/blobs/folder.js';
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
  close(): Promise<void>;
}

export interface HouseOptions {
  dir: string;
  /** Registry, ledgers, parked sessions and blobs; temporary where absent. */
  data?: string | undefined;
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

/** Throws what opening the corpus or the data folder throws. */
export const openHouse = async ({ dir, data, servers, limits, faults, onDefect }: HouseOptions): Promise<House> => {
  const corpus = Corpus.open(dir);
  const check = (content: Json): Json => parseOutsideSpec(content) as unknown as Json;
  const registry = openRegistry({ server: check, ...(data === undefined ? {} : { folder: `${data}/registry` }) });
  try {
    const published = publishCorpus(registry, corpus);
    publishServers(registry, servers);
    const engine = await Engine.start();
    const server = new SessionServer({
      engine,
      registry,
      partsOf: (hash) => published.source.partsOf(hash),
      ...(data === undefined ? {} : { folder: `${data}/sessions`, blobs: folderBlobs(`${data}/blobs`) }),
      limits,
      ...(faults ? { faults } : {}),
      weaver: eventWeaver,
      onDefect,
    });
    const close = async (): Promise<void> => {
      await server.shutDown();
      engine.close();
      registry.close();
    };
    return { corpus, registry, published, server, close };
  } catch (thrown) {
    registry.close();
    throw thrown;
  }
};
