/** The argument that names the row a tool acts on. */
import type { Tool } from '../../artifacts/tool.js';

/** Its `key` argument; else, for an action, the first required argument that holds a key of its own table. */
export const subjectArg = (tool: Tool): string | undefined => {
  const args = Object.entries(tool.args);
  const key = args.find(([, arg]) => arg.role === 'key');
  if (key || tool.op !== 'action') return key?.[0];
  return args.find(([, arg]) => arg.required && arg.ref === tool.table && arg.type !== 'list')?.[0];
};
