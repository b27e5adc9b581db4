/** A world ready to run: programs compiled, images opened, tool names resolved. Shared by all of its sessions. */
import type { ServiceSpec } from '../artifacts/service.js';
import type { WorldSpec } from '../artifacts/world.js';
import { TreadleError } from '../errors.js';
import { addressOf } from '../kit/hash.js';
import { compileService, openService } from './program/compile.js';
import type { CompiledTool, Program } from './program/types.js';
import { Base } from './state/base.js';
import type { Connection } from './state/connection.js';
import type { Engine } from './state/engine.js';
import { State } from './state/state.js';

export interface LoadedService {
  id: string;
  spec: ServiceSpec;
  role: 'core' | 'domain';
  program: Program;
  connection: Connection;
  /** The initial state; never written, forked by every session. */
  pristine: State;
  /** Key column per table: what the row diff matches rows by. */
  keys: Record<string, string>;
}

export interface WorldTool {
  service: LoadedService;
  tool: CompiledTool;
}

export interface LoadedWorld {
  spec: WorldSpec;
  hash: string;
  engine: Engine;
  services: ReadonlyMap<string, LoadedService>;
  /** By the name an agent uses: the service's prefix and the tool's name. */
  tools: ReadonlyMap<string, WorldTool>;
}

/** Images and specs by content address, as the corpus keeps them. */
export interface WorldParts {
  world: WorldSpec;
  services: readonly ServiceSpec[];
  /** SQLite image of each service, by service id. */
  images: Readonly<Record<string, Uint8Array>>;
  /** The specs are those that were made here: they are not laid out anew, which saves memory only where a corpus has many. */
  isAsMade?: boolean;
}

const loadService = (
  engine: Engine,
  spec: ServiceSpec,
  ref: WorldSpec['services'][number],
  image: Uint8Array,
  lazy: boolean,
): LoadedService => {
  const program = lazy ? openService(spec, ref.hash) : compileService(spec, ref.hash);
  return {
    id: spec.id,
    spec,
    role: ref.role,
    program,
    connection: engine.connection(program.ddlKey),
    pristine: State.open(Base.of(image)),
    keys: Object.fromEntries(Object.entries(spec.tables).map(([name, table]) => [name, table.key.col])),
  };
};

/**
 * Opens a world. `lazy`: tools are compiled when they are first called, as servers want it that hold hundreds of worlds. Throws
 * `missing_part` when a service or its image is not there, `tool_clash` when two tools share a name.
 */
export const loadWorld = (engine: Engine, parts: WorldParts, { lazy = false } = {}): LoadedWorld => {
  const byHash = new Map(parts.services.map((spec) => [addressOf(spec), spec]));
  const services = new Map<string, LoadedService>();
  const tools = new Map<string, WorldTool>();
  const taken = new Set<string>();
  for (const ref of parts.world.services) {
    const spec = byHash.get(ref.hash);
    const image = parts.images[ref.id];
    if (!spec || !image) {
      const next = 'Build the world again; a file of its corpus folder is missing or was changed.';
      throw new TreadleError({
        code: 'missing_part',
        message: `World ${parts.world.id} lacks its service ${ref.id}`,
        value: ref.hash,
        next,
      });
    }
    const service = loadService(engine, spec, ref, image, lazy);
    services.set(ref.id, service);
    for (const [name, tool] of service.program.tools) {
      const full = ref.prefix + name;
      if (taken.has(full.toLowerCase())) {
        const next = 'Give one of the two services a prefix.';
        throw new TreadleError({
          code: 'tool_clash',
          message: `Two tools of world ${parts.world.id} are called ${full}`,
          value: ref.id,
          next,
        });
      }
      taken.add(full.toLowerCase());
      tools.set(full, { service, tool });
    }
  }
  return { spec: parts.world, hash: addressOf(parts.world), engine, services, tools };
};

/** Gives the world's pages back; its sessions must be dropped first. */
export const unloadWorld = (world: LoadedWorld): void => {
  for (const service of world.services.values()) service.pristine.drop();
};
