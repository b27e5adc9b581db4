/** What an agent is told of a tool. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { compileService } from '../../world/program/compile.js';
import type { CompiledTool } from '../../world/program/types.js';
import type { SessionTool } from '../tool-host.js';

export const describeTool = (name: string, service: string, compiled: CompiledTool): SessionTool => {
  const { tool } = compiled;
  return {
    service,
    name,
    description: tool.description,
    inputSchema: compiled.inputSchema,
    outputSchema: compiled.outputSchema,
    readOnly: tool.writes.length === 0,
    destructive: tool.writes.some((write) => write.delete === true),
    version: compiled.version,
  };
};

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
