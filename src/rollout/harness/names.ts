/** A harness's names of tools, mapped back to ours. */
import type { Message } from '../../artifacts/trace.js';
import type { SessionTool } from '../../serve/tool-host.js';
import type { Harness } from './types.js';

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '_');

/**
 * Ours for a name as shown to the model: the harness's prefix taken off, its spelling and its cutting of long names undone where
 * only one of our tools fits. A tool of its own keeps its name, and so does one that does not exist.
 */
export const ourNames = (
  harness: Pick<Harness, 'toolName'>,
  tools: readonly Pick<SessionTool, 'name'>[],
): ((shown: string) => string) => {
  const exact = new Set(tools.map(({ name }) => name));
  const known = new Map<string, string>();
  const find = (shown: string): string => {
    const inner = harness.toolName(shown);
    if (inner === undefined) return shown;
    if (exact.has(inner)) return inner;
    const alike = tools.filter(({ name }) => plain(name) === plain(inner));
    if (alike.length === 1) return (alike[0] as SessionTool).name;
    const longer = tools.filter(({ name }) => inner.length >= 24 && plain(name).startsWith(plain(inner)));
    return longer.length === 1 ? (longer[0] as SessionTool).name : inner;
  };
  return (shown) => {
    const name = known.get(shown) ?? find(shown);
    known.set(shown, name);
    return name;
  };
};

/** The messages with our names in calls and in results. */
export const withOurNames = (messages: readonly Message[], ours: (shown: string) => string): Message[] =>
  messages.map((message) => ({
    ...message,
    ...(message.toolCalls ? { toolCalls: message.toolCalls.map((call) => ({ ...call, name: ours(call.name) })) } : {}),
    ...(message.role === 'tool' && message.name !== undefined ? { name: ours(message.name) } : {}),
  }));
