/** A corpus ready to serve: published to a registry, with a session server over it. */
import { resolve } from 'node:path';
import { Corpus } from '../../corpus/corpus.js';
import { readData } from '../../corpus/files.js';
import { type PublishedCorpus, publishCorpus } from '../../corpus/publish.js';
import { asTreadleError, type TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { folderBlobs } from '../../serve/blobs/folder.js';
import { warmListing } from '../../serve/mcp/tools.js';
import { parseOutsideSpec } from '../../serve/outside/spec.js';
import { openRegistry, type Registry } from '../../serve/registry/registry.js';
import { toolsOfService } from '../../serve/sessions/describe.js';
import { type ServerLimits, SessionServer } from '../../serve/sessions/server/session-server.js';
import { MOST_READY, readyTool } from '../../world/program/lazy-tool.js';
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
  onDefect: (error: TreadleError) => void;
}

const publishServers = (registry: Registry, files: readonly string[]): void => {
  for (const file of files) {
    const spec = readData(resolve(file)) as { id?: unknown };
    registry.publish('server', String(spec?.id ?? ''), spec as Json);
  }
};

/** Throws what opening the corpus or the data folder throws. */
export const openHouse = async ({ dir, data, servers, limits, onDefect }: HouseOptions): Promise<House> => {
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

/** Reads tasks and loads worlds ahead, between requests, so that the first session on each does not wait for the disk. */
export const warmUp = async (house: House, isOver: () => boolean): Promise<void> => {
  house.server.isWarming = true;
  await readAhead(house, isOver);
  house.server.isWarming = false;
};

const readAhead = async ({ registry, server }: House, isOver: () => boolean): Promise<void> => {
  const breath = (): Promise<void> => new Promise((done) => setImmediate(done));
  for (const { name, version } of registry.list('task')) {
    if (isOver()) return;
    await attempt(() => server.openings.warm(`${name}@${version}`));
    await breath();
  }
  const hashes = registry
    .list('world')
    .map(({ hash }) => hash)
    .slice(0, server.limits.worlds);
  let tools = 0;
  for (const hash of hashes) {
    if (isOver()) return;
    await attempt(() => {
      const world = server.worlds.get(hash);
      tools += world.tools.size;
      for (const service of world.services.keys()) warmListing(toolsOfService(world, service));
    });
    await breath();
  }
  // Where all of them can be kept, compiling them now spares the first calls half a millisecond each.
  if (tools > MOST_READY) return;
  for (const hash of hashes)
    for (const { tool } of server.worlds.get(hash).tools.values()) {
      if (isOver()) return;
      await attempt(() => readyTool(tool));
      if (tools++ % 16 === 0) await breath();
    }
};

/** What cannot be read ahead is told to who asks for it. */
const attempt = async (work: () => unknown): Promise<TreadleError | undefined> => {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    return asTreadleError(thrown, 'world');
  }
};
