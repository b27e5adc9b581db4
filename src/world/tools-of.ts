/** A service's tools by the table they work on. */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Tool } from '../artifacts/tool.js';

const known = new WeakMap<ServiceSpec['tools'], ReadonlyMap<string, readonly Tool[]>>();
const NONE: readonly Tool[] = [];

/** In the order of the service; of a service that is settled, for they are sorted once. A service of a thousand tables has ten thousand tools. */
export const toolsOf = ({ tools }: Pick<ServiceSpec, 'tools'>, table: string): readonly Tool[] => {
  const found = known.get(tools);
  if (found) return found.get(table) ?? NONE;
  const made = new Map<string, Tool[]>();
  for (const tool of Object.values(tools)) {
    const list = made.get(tool.table);
    if (list) list.push(tool);
    else made.set(tool.table, [tool]);
  }
  known.set(tools, made);
  return made.get(table) ?? NONE;
};
