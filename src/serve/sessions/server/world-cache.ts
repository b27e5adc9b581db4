/** Loaded worlds by hash, shared by all sessions on them; those that nobody uses go when there are too many. */
import { asTreadleError } from '../../../errors.js';
import { sameArtifact } from '../../../kit/hash.js';
import { type LoadedWorld, loadWorld, unloadWorld, type WorldParts } from '../../../world/loaded.js';
import type { Engine } from '../../../world/state/engine.js';

interface Kept {
  world: LoadedWorld;
  /** Sessions that have states of it. */
  users: number;
}

/** Specs as the JSON parser lays them out: half of what a schema's copies weigh. Their addresses were checked when they were read. */
const compact = (parts: WorldParts): WorldParts => ({
  ...parts,
  services: parts.services.map((spec) => sameArtifact(spec, JSON.parse(JSON.stringify(spec)) as typeof spec)),
});

export class WorldCache {
  readonly #kept = new Map<string, Kept>();

  constructor(
    readonly engine: Engine,
    readonly partsOf: (hash: string) => WorldParts,
    /** Worlds kept without a user. */
    readonly most: number,
  ) {}

  get size(): number {
    return this.#kept.size;
  }

  isLoaded(hash: string): boolean {
    return this.#kept.has(hash);
  }

  /** The world, to be read from now; `hold` it to keep it. Throws what reading and compiling throw, as a world's fault. */
  get(hash: string): LoadedWorld {
    const known = this.#kept.get(hash);
    if (known) {
      this.#kept.delete(hash);
      this.#kept.set(hash, known);
      return known.world;
    }
    return this.#load(hash).world;
  }

  hold(hash: string): LoadedWorld {
    const world = this.get(hash);
    (this.#kept.get(hash) as Kept).users++;
    return world;
  }

  letGo(hash: string): void {
    const kept = this.#kept.get(hash);
    if (kept) kept.users--;
  }

  close(): void {
    for (const { world } of this.#kept.values()) unloadWorld(world);
    this.#kept.clear();
  }

  #load(hash: string): Kept {
    this.#makeRoom();
    try {
      const kept = { world: loadWorld(this.engine, compact(this.partsOf(hash)), { lazy: true }), users: 0 };
      this.#kept.set(hash, kept);
      return kept;
    } catch (thrown) {
      throw asTreadleError(thrown, 'world', 'world_unreadable');
    }
  }

  #makeRoom(): void {
    for (const [hash, { world, users }] of this.#kept) {
      if (this.#kept.size < this.most) return;
      if (users > 0) continue;
      unloadWorld(world);
      this.#kept.delete(hash);
    }
  }
}
