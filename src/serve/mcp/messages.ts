/** JSON-RPC 2.0 as MCP uses it: messages in, replies out. Replies are text already, so that a result is serialised once. */

export type Id = string | number;
export type Params = Record<string, unknown>;

/** JSON text, or its pieces: bytes that many replies share are not encoded again for each. */
export type Body = string | readonly (string | Uint8Array)[];

const sizeOf = (piece: string | Uint8Array): number =>
  typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength;

/** Bytes of a body. */
export const lengthOf = (body: Body): number =>
  typeof body === 'string' ? sizeOf(body) : body.reduce((sum, piece) => sum + sizeOf(piece), 0);

export interface Reply {
  /** HTTP status; other transports ignore it. */
  status: number;
  /** The JSON-RPC response; absent where none is due. */
  body?: Body;
}

export const textOf = (body: Body): string =>
  typeof body === 'string'
    ? body
    : body.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8'))).join('');

export const ErrorCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Refusals of the HTTP edge that JSON-RPC has no code for. */
  refused: -32000,
  /** Before 2026-07-28; since then it is invalidParams. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

export type Message =
  | { kind: 'request'; id: Id; method: string; params: Params }
  | { kind: 'notification'; method: string; params: Params }
  | { kind: 'response'; id: unknown; result?: unknown; error?: unknown }
  | { kind: 'invalid'; id: Id | null; why: string };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is Id => typeof value === 'string' || Number.isSafeInteger(value);

/** Reads one parsed JSON value as a message; `params` absent is an empty object. */
export const readMessage = (value: unknown): Message => {
  if (!isObject(value)) return { kind: 'invalid', id: null, why: 'A message is a JSON object' };
  const { jsonrpc, id, method, params } = value;
  const known = isId(id) ? id : null;
  if (jsonrpc !== '2.0') return { kind: 'invalid', id: known, why: 'jsonrpc must be "2.0"' };
  if (method === undefined && ('result' in value || 'error' in value))
    return { kind: 'response', id, result: value.result, error: value.error };
  if (typeof method !== 'string') return { kind: 'invalid', id: known, why: 'method must be a string' };
  if (params !== undefined && !isObject(params)) return { kind: 'invalid', id: known, why: 'params must be an object' };
  if (id === undefined) return { kind: 'notification', method, params: params ?? {} };
  if (!isId(id)) return { kind: 'invalid', id: null, why: 'id must be a string or a whole number' };
  return { kind: 'request', id, method, params: params ?? {} };
};

/** `result` is JSON text. */
export const success = (id: Id, result: Body): Reply => {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  return { status: 200, body: typeof result === 'string' ? `${head}${result}}` : [head, ...result, '}'] };
};

export const failure = (
  id: Id | null,
  code: number,
  message: string,
  status = 200,
  data?: unknown,
): Reply & { body: string } => ({
  status,
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } }),
});

export const ACCEPTED: Reply = { status: 202 };
