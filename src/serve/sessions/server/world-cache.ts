/**
 * Loaded worlds, shared by all sessions on them: a world as it is, or with the rows that a task adds to it, one of a task. Those
 * that nobody uses go when there are too many.
 */
import type { Grounding } from '../../../artifacts/task.js';
import { asTreadleError } from '../../../errors.js';
import { sameArtifact } from '../../../kit/hash.js';
import { dropGrounded, groundedWorld } from '../../../world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld, type WorldParts } from '../../../world/loaded.js';
import type { Engine } from '../../../world/state/engine.js';

interface Kept {
  world: LoadedWorld;
  /** Sessions that have states of it, and worlds that were made of it. */
  users: number;
  /** The key of the world that a task's rows were added to. */
  of?: string;
}

export interface WorldSources {
  /** By the world's content address. */
  partsOf(worldHash: string): WorldParts;
  /** By the task's content address. */
  groundingOf(taskHash: string): Grounding | undefined;
}

/** Specs as the JSON parser lays them out: half of what a schema's copies weigh. Their addresses were checked when they were read. */
const compact = (parts: WorldParts): WorldParts =>
  parts.isAsMade
    ? parts
    : {
        ...parts,
        services: parts.services.map((spec) => sameArtifact(spec, JSON.parse(JSON.stringify(spec)) as typeof spec)),
      };

/** What a world is asked for by: its content address, and that of the task whose rows it has. */
export const worldKey = (worldHash: string, taskHash?: string): string =>
  taskHash === undefined ? worldHash : `${worldHash}+${taskHash}`;

export class WorldCache {
  readonly #kept = new Map<string, Kept>();

  constructor(
    readonly engine: Engine,
    readonly sources: WorldSources,
    /** Worlds kept without a user, grounded ones counted with them. */
    readonly most: number,
  ) {}

  get size(): number {
    return this.#kept.size;
  }

  /** Another may be loaded without one of these going. */
  get hasRoom(): boolean {
    return this.#kept.size < this.most;
  }

  isLoaded(key: string): boolean {
    return this.#kept.has(key);
  }

  /** The world, to be read from now; `hold` it to keep it. Throws what reading and compiling throw, as a world's fault. */
  get(key: string): LoadedWorld {
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.world;
    }
    const kept = this.#load(key);
    this.#kept.set(key, kept);
    return kept.world;
  }

  hold(key: string): LoadedWorld {
    const world = this.get(key);
    (this.#kept.get(key) as Kept).users++;
    return world;
  }

  letGo(key: string): void {
    const kept = this.#kept.get(key);
    if (kept) kept.users--;
  }

  close(): void {
    // A grounded world goes before the one under it, whose states it shares.
    for (const key of [...this.#kept.keys()].filter((known) => this.#kept.get(known)?.of !== undefined))
      this.#unload(key);
    for (const key of [...this.#kept.keys()]) this.#unload(key);
  }

  #load(key: string): Kept {
    const [hash, task] = key.split('+') as [string, string | undefined];
    try {
      if (task !== undefined) return this.#ground(hash, task);
      this.#makeRoom();
      return { world: loadWorld(this.engine, compact(this.sources.partsOf(hash)), { lazy: true }), users: 0 };
    } catch (thrown) {
      throw asTreadleError(thrown, 'world', 'world_unreadable');
    }
  }

  /** One insert a row, once for all sessions of the task. */
  #ground(hash: string, task: string): Kept {
    const under = this.hold(hash);
    try {
      this.#makeRoom();
      return { world: groundedWorld(under, this.sources.groundingOf(task)), users: 0, of: hash };
    } catch (thrown) {
      this.letGo(hash);
      throw thrown;
    }
  }

  #makeRoom(): void {
    for (const [key, { users }] of this.#kept) {
      if (this.hasRoom) return;
      if (users === 0) this.#unload(key);
    }
  }

  #unload(key: string): void {
    const { world, of } = this.#kept.get(key) as Kept;
    this.#kept.delete(key);
    const under = of === undefined ? undefined : this.#kept.get(of);
    if (under === undefined) unloadWorld(world);
    else {
      dropGrounded(under.world, world);
      under.users--;
    }
  }
}
