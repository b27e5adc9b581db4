/** The `_meta` envelope that every request of revision 2026-07-28 carries in place of a handshake. */
import { isObject, type Params } from './messages.js';

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
export const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';

/** Least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export const metaOf = (params: Params): Params | undefined => (isObject(params._meta) ? params._meta : undefined);

/** A request claims the modern era by naming its version in `_meta`, however malformed the rest is. */
export const claimsEnvelope = (params: Params): boolean => {
  const meta = metaOf(params);
  return meta !== undefined && VERSION_KEY in meta;
};

/** Required keys that are absent, in the order they are reported. */
export const missingKeys = (meta: Params): string[] =>
  [VERSION_KEY, CAPABILITIES_KEY].filter((key) => meta[key] === undefined);

/** The first fault of an envelope, or undefined. Client info is optional, but not free in form. */
export const envelopeFault = (meta: Params): { key: string; problem: string } | undefined => {
  const [missing] = missingKeys(meta);
  if (missing !== undefined) return { key: missing, problem: 'missing' };
  if (typeof meta[VERSION_KEY] !== 'string') return { key: VERSION_KEY, problem: 'must be a string' };
  if (!isObject(meta[CAPABILITIES_KEY])) return { key: CAPABILITIES_KEY, problem: 'must be an object' };
  const client = meta[CLIENT_KEY];
  if (
    client !== undefined &&
    !(isObject(client) && typeof client.name === 'string' && typeof client.version === 'string')
  )
    return { key: CLIENT_KEY, problem: 'must have a name and a version' };
  const level = meta[LOG_LEVEL_KEY];
  if (level !== undefined && !LOG_LEVELS.includes(level as never))
    return { key: LOG_LEVEL_KEY, problem: `must be one of ${LOG_LEVELS.join(', ')}` };
  const progress = meta.progressToken;
  if (progress !== undefined && typeof progress !== 'string' && !Number.isSafeInteger(progress))
    return { key: 'progressToken', problem: 'must be a string or a whole number' };
  return undefined;
};
