/**
 * What a tester asks of the state behind the face, under `/_treadle`: of the caller's own session only, by the same key or name as its
 * other requests. Not served where agents are trained: they must not reset or read what was recorded.
 */
import { asTreadleError, TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { mcpHandler } from '../mcp/handler.js';
import { textOf } from '../mcp/messages.js';
import { after, type Maybe } from '../sessions/server/turns.js';
import type { CallOutcome, ToolHost } from '../tool-host.js';
import type { Caller, Callers } from './callers.js';
import { plainProblem } from './problem.js';
import { ofThrown } from './thrown.js';
import type { FaceRequest, FaceResponse } from './types.js';

export const CONTROL = '/_treadle';
const MOST_SECONDS = 100 * 365 * 86_400;

export interface Control {
  takes(path: string): boolean;
  answer(request: FaceRequest): Maybe<FaceResponse>;
}

const json = (value: unknown, status = 200): FaceResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

const bodyOf = ({ body }: FaceRequest): Record<string, unknown> => {
  if (body === undefined || body.byteLength === 0) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw bad('The body must be a JSON object', Buffer.from(body).toString('utf8').slice(0, 80), 'Send JSON.');
};

const bad = (message: string, value: unknown, next: string): TreadleError =>
  new TreadleError({ code: 'bad_request', message, value, next, fault: 'agent' });

const secondsOf = ({ advance }: Record<string, unknown>): number => {
  if (typeof advance === 'number' && Number.isSafeInteger(advance) && advance >= 0 && advance <= MOST_SECONDS)
    return advance;
  throw bad('advance is a whole number of seconds, up to a hundred years', advance, 'Send {"advance": 3600}.');
};

const nameIn = ({ name }: Record<string, unknown>): string => {
  if (typeof name === 'string') return name;
  throw bad('A fork needs a name', name, 'Send {"name": "test-2"}; requests with x-treadle-session: test-2 use it.');
};

const info = ({ name, live }: Caller): Json => {
  const { id, status, clock, calls } = live.info();
  return { name, session: id, status, clock, calls };
};

/** Sessions of trainers are reset, forked and looked into at the trainers' door, and by nobody who acts in them. */
const FORBIDDEN = {
  status: 403,
  code: 'not_for_agents',
  message: "The token of a trainer's session opens the API and MCP; the rest is asked at the trainers' door",
};

type Act = (caller: Caller, request: FaceRequest) => Maybe<FaceResponse>;

/** Who hears of an agent's calls. */
export interface AgentHooks {
  before(call: { caller: Caller; request: FaceRequest }): void;
  after(call: { caller: Caller; request: FaceRequest; outcome: CallOutcome }): void;
  /** Webhooks that arose. */
  log(caller: Caller): readonly unknown[];
}

const heardHost = (caller: Caller, request: FaceRequest, hooks: AgentHooks): ToolHost => {
  const { host } = caller;
  return {
    hearing: host.hearing,
    tools: () => host.tools(),
    ...(host.groups ? { groups: () => host.groups?.() ?? [] } : {}),
    call: (name, args, options) => {
      hooks.before({ caller, request });
      return after(host.call(name, args, options), (outcome) => {
        hooks.after({ caller, request, outcome });
        return outcome;
      });
    },
  };
};

export const controlOf = (callers: Callers, hooks?: AgentHooks): Control => {
  const mcp = mcpHandler();
  const acts: Record<string, Act> = {
    'GET /session': (caller) => json(info(caller)),
    'DELETE /session': (caller) => after(callers.close(caller), () => ({ status: 204, headers: {}, body: undefined })),
    'POST /reset': (caller) => after(callers.reset(caller), () => json(info(caller))),
    'POST /fork': (caller, request) =>
      after(callers.fork(caller, nameIn(bodyOf(request))), (made) => json(info(made), 201)),
    'GET /diff': (caller) => after(caller.live.state(), (state) => json(state)),
    'GET /calls': (caller) => json({ calls: caller.log.list() }),
    'GET /webhooks': (caller) => json({ webhooks: hooks?.log(caller) ?? [] }),
    'POST /clock': (caller, request) =>
      after(caller.live.advance(secondsOf(bodyOf(request))), (clock) => json({ clock })),
    'POST /mcp': (caller, request) => {
      const { headers, body } = request;
      const host = hooks ? heardHost(caller, request, hooks) : caller.host;
      const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name } = headers;
      let value: unknown;
      try {
        value = JSON.parse(Buffer.from(body ?? []).toString('utf8'));
      } catch {
        throw bad('The body is not JSON', undefined, 'Send a JSON-RPC message.');
      }
      return after(
        mcp(host, value, { headers: { version, method, name } }),
        ({ status, body: said }): FaceResponse =>
          said === undefined
            ? { status, headers: {}, body: undefined }
            : { status, headers: { 'content-type': 'application/json' }, body: textOf(said) },
      );
    },
  };
  const failed = (thrown: unknown): FaceResponse => {
    const told = ofThrown(asTreadleError(thrown, 'infrastructure'));
    return plainProblem(told);
  };
  return {
    takes: (path) => path === CONTROL || path.startsWith(`${CONTROL}/`),
    answer: (request) => {
      const path = request.path.slice(CONTROL.length);
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const asked = `${method} ${path}`;
      const act = Object.hasOwn(acts, asked) ? acts[asked] : undefined;
      // Clients of MCP ask so whether there is a stream of what the server has to say by itself.
      const allow = act
        ? []
        : Object.keys(acts).flatMap((one) => (one.endsWith(` ${path}`) ? [one.split(' ')[0]] : []));
      if (allow.length > 0)
        return { status: method === 'OPTIONS' ? 204 : 405, headers: { allow: allow.join(', ') }, body: undefined };
      if (!act)
        return plainProblem({
          status: 404,
          code: 'unknown_path',
          message: `Nothing is here; there are ${Object.keys(acts).join(', ')}`,
        });
      try {
        const answered = after(callers.of(request) as Maybe<Caller>, (caller) =>
          caller.isAgent ? plainProblem(FORBIDDEN) : act(caller, request),
        );
        return answered instanceof Promise ? answered.catch(failed) : answered;
      } catch (thrown) {
        return failed(thrown);
      }
    },
  };
};
