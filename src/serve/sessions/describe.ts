/** What an agent is told of a tool. */
import type { LoadedService } from '../../world/loaded.js';
import type { CompiledTool } from '../../world/program/types.js';
import type { SessionTool } from '../tool-host.js';

export const describeTool = (name: string, service: LoadedService, compiled: CompiledTool): SessionTool => {
  const { tool } = compiled;
  return {
    service: service.id,
    name,
    description: tool.description,
    inputSchema: compiled.inputSchema,
    outputSchema: compiled.outputSchema,
    readOnly: tool.writes.length === 0,
    destructive: tool.writes.some((write) => write.delete === true),
    version: compiled.version,
  };
};
