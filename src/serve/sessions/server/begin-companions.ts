/** A session's companions as it begins: newly made, or copies of those it is forked from. */
import type { Pins } from '../../api.js';
import type { Registry } from '../../registry/registry.js';
import type { StartQueue } from '../../start-queue.js';
import { type Companions, NO_COMPANIONS } from './companions.js';
import type { Maybe } from './turns.js';
import type { WorldCache } from './world-cache.js';

interface Makers {
  registry: Registry;
  starts: StartQueue;
  worlds: WorldCache;
}

export const beginCompanions = (
  { registry, starts, worlds }: Makers,
  pins: Pins,
  sandbox: boolean,
  folder: string,
): Maybe<Companions> => {
  if (!sandbox && Object.keys(pins.servers).length === 0) return NO_COMPANIONS;
  const taken = (): Iterable<string> => worlds.get(pins.world.hash).tools.keys();
  // The MCP client and what it brings are 25 MiB that most servers never need.
  return import('./hosted.js').then(({ openCompanions }) =>
    openCompanions({ registry, pins, sandbox, folder, starts, taken }),
  );
};

/** One copy a folder, all or none. */
export const copyCompanions = async (companions: Companions, folders: readonly string[]): Promise<Companions[]> => {
  const made = await Promise.allSettled(folders.map(async (folder) => companions.fork(folder)));
  const failed = made.find((result) => result.status === 'rejected');
  const done = made.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (!failed) return done;
  await Promise.all(done.map((own) => own.close()));
  throw failed.reason;
};
