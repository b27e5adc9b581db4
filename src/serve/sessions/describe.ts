/** What an agent is told of a tool. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { WorldSpec } from '../../artifacts/world.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { compileService } from '../../world/program/compile.js';
import type { CompiledTool } from '../../world/program/types.js';
import type { SessionTool } from '../tool-host.js';

export const describeTool = (name: string, service: string, compiled: CompiledTool): SessionTool => {
  const { tool } = compiled;
  return {
    service,
    name,
    description: tool.description,
    // Made when they are asked for: servers keep a listing as text, and the schemas of a world weigh more than its data.
    get inputSchema() {
      return compiled.inputSchema;
    },
    get outputSchema() {
      return compiled.outputSchema;
    },
    readOnly: tool.writes.length === 0,
    destructive: tool.writes.some((write) => write.delete === true),
    get version() {
      return compiled.version;
    },
  };
};

/** By world and service: one listing for all sessions, whichever services each is offered and whatever rows its task adds. */
const listings = new WeakMap<WorldSpec, Map<string, SessionTool[]>>();

/** The tools of one service of a loaded world, the same array each time. */
export const toolsOfService = (world: LoadedWorld, service: string): SessionTool[] => {
  const known = listings.get(world.spec) ?? new Map<string, SessionTool[]>();
  listings.set(world.spec, known);
  const made =
    known.get(service) ??
    [...world.tools]
      .filter(([, tool]) => tool.service.id === service)
      .map(([name, { tool }]) => describeTool(name, service, tool));
  known.set(service, made);
  return made;
};

/** The listings of the services offered, in the world's order. */
export const toolGroups = (world: LoadedWorld, offered: ReadonlySet<string>): SessionTool[][] =>
  [...world.services.keys()].filter((id) => offered.has(id)).map((id) => toolsOfService(world, id));

/** The tools that a session on these services of a world would be offered, without opening one. */
export const toolsOffered = (
  world: WorldSpec,
  services: readonly ServiceSpec[],
  offered: readonly string[],
): SessionTool[] =>
  world.services
    .filter(({ id }) => offered.includes(id))
    .flatMap(({ id, prefix }) => {
      const spec = services.find((candidate) => candidate.id === id);
      return spec ? [...compileService(spec).tools].map(([name, tool]) => describeTool(prefix + name, id, tool)) : [];
    });
