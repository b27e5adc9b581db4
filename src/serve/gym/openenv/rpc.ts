/** OpenEnv's pseudo-MCP: JSON-RPC without a handshake, with sessions made and closed by methods of its own. */
import type { Notice } from '../../../artifacts/firing.js';
import { TreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import { noticeText } from '../../sessions/notices.js';
import { problemOf } from '../problem.js';
import { isRecord } from '../record.js';
import { readReset } from './actions.js';
import type { Environment } from './environment.js';
import type { Environments } from './environments.js';

type Params = Record<string, unknown>;
export type RpcReply = Record<string, Json>;

/** Where a request came in: a socket's own environment is what requests without a session_id mean. */
export interface RpcContext {
  environments: Environments;
  own?: Environment | undefined;
}

const CODE = {
  parse: -32700,
  invalid: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  server: -32000,
} as const;

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Json,
  ) {
    super(message);
  }
}

const failed = (id: Json, code: number, message: string, data?: Json): RpcReply => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

export const rpcParseError = (why: string): RpcReply => failed(null, CODE.parse, why);

const nameOf = (params: Params, key: string): string => {
  const value = params[key];
  if (typeof value === 'string' && value !== '' && value.length <= 256) return value;
  throw new RpcError(CODE.params, `params.${key} must be a text`);
};

const target = ({ environments, own }: RpcContext, params: Params): Environment => {
  if (params.session_id === undefined && own !== undefined) return own;
  if (params.session_id === undefined)
    throw new RpcError(CODE.params, 'params.session_id is needed; openenv/session/create gives one');
  const id = nameOf(params, 'session_id');
  return own?.id === id ? own : environments.find(id);
};

const create = async ({ environments, own }: RpcContext, params: Params): Promise<Json> => {
  if (own !== undefined) return { session_id: own.id };
  const request = readReset(params);
  const environment = environments.create(true);
  const isNamed = [request.task, request.scenario, request.world].some((named) => named !== undefined);
  // Without a task and a default the episode waits for the reset that names one.
  if (!isNamed && !environment.hasDefault) return { session_id: environment.id };
  try {
    await environment.reset(request);
  } catch (thrown) {
    await environments.remove(environment);
    throw thrown;
  }
  return { session_id: environment.id };
};

const close = async ({ environments, own }: RpcContext, params: Params): Promise<Json> => {
  const id = nameOf(params, 'session_id');
  if (own?.id === id && !own.held)
    throw new RpcError(CODE.invalid, 'This session is the socket’s own: close the socket');
  await environments.remove(environments.find(id));
  return { session_id: id, closed: true };
};

const list = async (context: RpcContext, params: Params): Promise<Json> => {
  const isLoose = params.session_id === undefined && context.own === undefined;
  const environment = isLoose ? context.environments.create(true) : target(context, params);
  try {
    const tools = await environment.tools();
    return {
      tools: tools.map(({ name, description, input_schema }) => ({
        name,
        description,
        inputSchema: input_schema as Json,
      })),
    };
  } finally {
    if (isLoose) await context.environments.remove(environment);
  }
};

/** As MCP shows a result, and under `data`, where OpenEnv's client looks. */
const call = async (context: RpcContext, params: Params, operation: string | undefined): Promise<Json> => {
  const tool = nameOf(params, 'name');
  const environment = target(context, params);
  const step = await environment.step({ type: 'call_tool', tool, args: params.arguments ?? {} }, operation);
  const { result = null, error = null, notices = [] } = step.observation;
  const told = notices as { from: Notice['to']; text: string }[];
  return {
    content: [JSON.stringify(result), ...told.map(({ from: to, text }) => noticeText({ to, text }))].map((text) => ({
      type: 'text',
      text,
    })),
    structuredContent: result,
    data: result,
    isError: error !== null,
    ...(step.done ? { done: true, reward: step.reward } : {}),
  };
};

const run = (context: RpcContext, method: string, params: Params, operation?: string): Promise<Json> => {
  switch (method) {
    case 'openenv/session/create':
      return create(context, params);
    case 'openenv/session/close':
      return close(context, params);
    case 'tools/list':
      return list(context, params);
    case 'tools/call':
      return call(context, params, operation);
    default:
      throw new RpcError(CODE.method, `No method ${method.slice(0, 100)}`);
  }
};

const refusal = (id: Json, thrown: unknown): RpcReply => {
  if (thrown instanceof RpcError) return failed(id, thrown.code, thrown.message, thrown.data);
  const { code: reason, message, next } = problemOf(thrown);
  const isOurs = thrown instanceof TreadleError;
  if (!isOurs) return failed(id, CODE.internal, message, { reason });
  const retry: Record<string, Json> = thrown.isRetryable ? { retry_after_s: 5 } : {};
  const code = thrown.isRetryable ? CODE.server : thrown.fault === 'input' ? CODE.params : CODE.internal;
  return failed(id, code, message, { reason, ...(next === undefined ? {} : { next }), ...retry });
};

const isId = (value: unknown): value is string | number | null =>
  value === null || typeof value === 'string' || Number.isSafeInteger(value);

/** Answers one request. Never rejects. A request without an id is answered too, with the id null, as OpenEnv does. */
export const answerRpc = async (context: RpcContext, value: unknown, operation?: string): Promise<RpcReply> => {
  if (!isRecord(value)) return failed(null, CODE.invalid, 'A request is an object');
  const { id = null, jsonrpc = '2.0', method, params } = value;
  if (!isId(id)) return failed(null, CODE.invalid, 'id must be a text or a whole number');
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    return failed(id, CODE.invalid, 'jsonrpc must be "2.0" and method a text');
  if (params !== undefined && params !== null && !isRecord(params))
    return failed(id, CODE.params, 'params must be an object');
  try {
    return { jsonrpc: '2.0', id, result: await run(context, method, params ?? {}, operation) };
  } catch (thrown) {
    return refusal(id, thrown);
  }
};
