/** Where the server gets a world's parts from by the world's content address: the registry's own bytes, or a corpus. */
import { parseArtifact } from '../../artifacts/registry.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Snapshot } from '../../artifacts/snapshot.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { TreadleError } from '../../errors.js';
import { addressOf, canonicalJson, sha256 } from '../../kit/hash.js';
import type { WorldParts } from '../../world/loaded.js';
import type { RegistryRecord } from '../api.js';
import type { Registry } from './registry.js';
import { changedContent } from './store.js';

export type StoredWorld = WorldParts & { snapshot: Snapshot };

export interface WorldSource {
  /**
   * Everything `loadWorld` needs, each part checked against its address. `snapshot` is the address of the state to start on; the
   * world's own when absent. A task's own snapshot (parcels over the world's images) has its place here once tasks have one.
   * Throws `unknown_world`, `changed_content`, `missing_part`, `unknown_snapshot`.
   */
  partsOf(worldHash: string, snapshot?: string): StoredWorld;
}

/** Bytes by SHA-256: a service's image, or without `service` the world's snapshot as canonical JSON. Undefined when not here. */
export type BytesOf = (sha256: string, world: WorldSpec, service?: string) => Uint8Array | undefined;

export const unknownWorld = (hash: string): TreadleError =>
  new TreadleError({
    code: 'unknown_world',
    message: 'Nobody here has the parts of this world',
    value: hash,
    next: 'Publish the world with its images, or serve the corpus that holds it.',
  });

/** Throws `unknown_snapshot` for a state that is not the world's initial one. */
export const checkSnapshot = (world: WorldSpec, snapshot: string | undefined): void => {
  if (snapshot === undefined || snapshot === world.snapshot) return;
  throw new TreadleError({
    code: 'unknown_snapshot',
    message: `World ${world.id} has no such initial state`,
    value: snapshot,
    next: 'Build the task again on this version of its world.',
  });
};

const missing = (world: WorldSpec, what: string, hash: string): TreadleError =>
  new TreadleError({
    code: 'missing_part',
    message: `World ${world.id} lacks ${what}`,
    value: hash,
    next: 'Publish the world again with all its parts.',
  });

/** Worlds whose parts were published to `registry`; images and snapshots that it does not keep itself come from `elsewhere`. */
export const recordedWorlds = (registry: Registry, elsewhere: BytesOf = () => undefined): WorldSource => {
  const known = (kind: 'world' | 'service', hash: string): boolean => {
    try {
      return registry.resolve(kind, hash).hash === hash;
    } catch (thrown) {
      if ((thrown as TreadleError).code === 'unknown_record') return false;
      throw thrown;
    }
  };
  const bytesOf = (world: WorldSpec, hash: string, service?: string): Uint8Array => {
    const kept = registry.bytes.get(hash);
    if (kept) return kept;
    const found = elsewhere(hash, world, service);
    if (!found) throw missing(world, service === undefined ? 'its snapshot' : `the image of ${service}`, hash);
    const is = sha256(found);
    if (is !== hash) throw changedContent(hash, is);
    return found;
  };
  return {
    partsOf(worldHash, start) {
      if (!known('world', worldHash)) throw unknownWorld(worldHash);
      const world = registry.read('world', worldHash) as unknown as WorldSpec;
      checkSnapshot(world, start);
      const text = Buffer.from(bytesOf(world, world.snapshot)).toString('utf8');
      const snapshot = parseArtifact('snapshot', JSON.parse(text), 'The snapshot');
      const services = world.services.map(({ id, hash }): ServiceSpec => {
        if (!known('service', hash)) throw missing(world, `its service ${id}`, hash);
        return registry.read('service', hash) as unknown as ServiceSpec;
      });
      const images = Object.fromEntries(
        world.services.map(({ id }) => [id, bytesOf(world, snapshot.databases[id] ?? '', id)]),
      );
      return { world, services, snapshot, images };
    },
  };
};

/** The first source that knows the world. */
export const firstOf = (...sources: readonly WorldSource[]): WorldSource => ({
  partsOf(worldHash, snapshot) {
    for (const source of sources) {
      try {
        return source.partsOf(worldHash, snapshot);
      } catch (thrown) {
        if ((thrown as TreadleError).code !== 'unknown_world') throw thrown;
      }
    }
    throw unknownWorld(worldHash);
  },
});

export interface PublishedWorld {
  world: RegistryRecord;
  services: Record<string, RegistryRecord>;
}

/**
 * Publishes a world with all its parts, so that `recordedWorlds` can give it. The parts may be what a stranger sent: every address
 * in the world is checked before anything is kept. `snapshot` absent: the one the images make at the world's clock, with no files.
 * Throws `bad_artifact`, `missing_part`, `changed_content`, `disk_full`.
 */
export const publishWorld = (
  registry: Registry,
  parts: { world: unknown; services: readonly unknown[]; images: WorldParts['images']; snapshot?: unknown },
): PublishedWorld => {
  const world = parseArtifact('world', parts.world, 'The world');
  const services = parts.services.map((spec) => parseArtifact('service', spec, 'The service'));
  const byHash = new Map(services.map((spec) => [addressOf(spec), spec]));
  const ids = world.services.map(({ id }) => id);
  const images = new Map(
    ids.map((id) => {
      const image = Object.hasOwn(parts.images, id) ? parts.images[id] : undefined;
      if (!(image instanceof Uint8Array)) throw missing(world, `the image of ${id}`, id);
      return [id, image];
    }),
  );
  const databases = Object.fromEntries([...images].map(([id, image]) => [id, sha256(image)]));
  const made: Snapshot = { treadle: 'snapshot/1', clock: world.clock, databases, files: {} };
  const snapshot = parseArtifact('snapshot', parts.snapshot ?? made, 'The snapshot');
  if (addressOf(snapshot) !== world.snapshot) throw changedContent(world.snapshot, addressOf(snapshot));
  for (const [id, hash] of Object.entries(databases))
    if (snapshot.databases[id] !== hash) throw changedContent(snapshot.databases[id] ?? id, hash);
  for (const { id, hash } of world.services)
    if (byHash.get(hash)?.id !== id) throw missing(world, `its service ${id}`, hash);

  for (const image of images.values()) registry.bytes.put(image);
  registry.bytes.put(Buffer.from(canonicalJson(snapshot)));
  const records = world.services.map(({ id, hash }) => [
    id,
    registry.publish('service', `${world.id}/${id}`, byHash.get(hash) as never),
  ]);
  return { services: Object.fromEntries(records), world: registry.publish('world', world.id, world as never) };
};
