/** OpenEnv's door: its HTTP routes, and the WebSockets that its clients prefer. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Guard } from '../../http/guard.js';
import { sendJson } from '../../http/reply.js';
import type { Trainer } from '../../trainer.js';
import { accessOf } from '../access.js';
import { cookieOf } from '../cookies.js';
import type { GymDoor } from '../door.js';
import { jsonReader } from '../json-request.js';
import type { GymLimits } from '../limits.js';
import { problemOf, refuseWith, sendProblem } from '../problem.js';
import { isRecord } from '../record.js';
import { metadataOf, SCHEMAS } from './about.js';
import { readAction, readReset } from './actions.js';
import type { Defaults, Environment } from './environment.js';
import { environmentsOf } from './environments.js';
import type { StepResult } from './observations.js';
import { answerRpc } from './rpc.js';
import { socketsOf } from './upgrade.js';

export interface OpenEnvDoorOptions {
  trainer: Trainer;
  guard: Guard;
  limits: GymLimits;
  /** Needed for every request, where there is one. */
  token?: string | undefined;
  defaults?: Defaults | undefined;
  /** Seconds on any clock that does not go backwards. */
  now?: () => number;
}

/** Carries the session of clients that keep cookies and know no session ids (OpenEnv 0.1). */
const COOKIE = 'openenv_session';

const cookieFor = (id: string): OutgoingHttpHeaders => ({
  'set-cookie': `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`,
});

const answer = (response: ServerResponse, body: unknown, headers?: OutgoingHttpHeaders): void =>
  sendJson(response, 200, JSON.stringify(body), headers);

type Handler = (body: Record<string, unknown>, request: IncomingMessage, response: ServerResponse) => Promise<void>;

export const openEnvDoor = (options: OpenEnvDoorOptions): GymDoor => {
  const { trainer, guard, limits, token, defaults = {}, now } = options;
  const access = accessOf(guard, token);
  const { sessions: capacity, idleSeconds } = limits;
  const environments = environmentsOf({ trainer, defaults, capacity, idleSeconds, ...(now ? { now } : {}) });
  const sockets = socketsOf(environments, access, limits);
  const reader = jsonReader(limits.pendingBodies * limits.bodyBytes);
  const beating = setInterval(() => sockets.beat(), limits.heartbeatMs);
  const reaping = setInterval(() => environments.reap(), limits.reapMs);
  beating.unref();
  reaping.unref();

  /** The session a request names in its body or its address, or else the one of its cookie. */
  const named = (
    request: IncomingMessage,
    body?: Record<string, unknown>,
  ): { id: string; isCookie: boolean } | undefined => {
    const query = new URL(request.url ?? '/', 'http://door').searchParams.get('session_id');
    const id = typeof body?.session_id === 'string' ? body.session_id : query;
    if (id !== null) return { id, isCookie: false };
    const kept = cookieOf(request.headers.cookie, COOKIE);
    return kept === undefined ? undefined : { id: kept, isCookie: true };
  };

  /** An environment of its own for a request that names none; it goes again when the request comes to nothing. */
  const within = async (
    name: { id: string } | undefined,
    work: (environment: Environment) => Promise<StepResult>,
  ): Promise<[StepResult, OutgoingHttpHeaders]> => {
    const environment = name === undefined ? environments.create(true) : environments.find(name.id);
    try {
      return [await work(environment), cookieFor(environment.id)];
    } catch (thrown) {
      if (name === undefined) await environments.remove(environment);
      throw thrown;
    }
  };

  const reset: Handler = async (body, request, response) => {
    const wanted = readReset(body);
    const name = named(request, body);
    // A cookie outlives its session, and its client cannot know: it begins anew.
    const isStale = name?.isCookie && !environments.has(name.id);
    answer(response, ...(await within(isStale ? undefined : name, (environment) => environment.reset(wanted))));
  };

  const step: Handler = async (body, request, response) => {
    const action = readAction(body.action ?? body);
    const operation = typeof body.request_id === 'string' ? body.request_id.slice(0, 256) : undefined;
    answer(response, ...(await within(named(request, body), (environment) => environment.step(action, operation))));
  };

  const rpc: Handler = async (body, _request, response) => answer(response, await answerRpc({ environments }, body));

  const posts = new Map<string, Handler>([
    ['/reset', reset],
    ['/step', step],
    ['/mcp', rpc],
  ]);

  const get = (path: string, request: IncomingMessage, response: ServerResponse): void => {
    if (path === '/health') answer(response, { status: 'healthy' });
    else if (path === '/schema') answer(response, SCHEMAS);
    else if (path === '/metadata') answer(response, metadataOf());
    else if (path === '/state') {
      const name = named(request);
      answer(response, name === undefined ? { episode_id: null, step_count: 0 } : environments.find(name.id).state());
    } else {
      const message = 'GET /health /schema /metadata /state, POST /reset /step /mcp, WebSocket /ws /mcp';
      sendProblem(response, { status: 404, code: 'not_found', message });
    }
  };

  const post = async (handler: Handler, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const read = await reader.read(request, response, limits.bodyBytes);
    if (read === undefined) return;
    try {
      if (!isRecord(read.value) && handler !== rpc)
        sendProblem(response, { status: 422, code: 'bad_body', message: 'The body must be a JSON object' });
      else await handler(read.value as Record<string, unknown>, request, response);
    } catch (thrown) {
      sendProblem(response, problemOf(thrown));
    }
  };

  return {
    request: (request, response) => {
      const wrong = access.all(request);
      if (wrong !== undefined) {
        refuseWith(request, response, wrong);
        return;
      }
      const path = (request.url ?? '/').split('?', 1)[0]!;
      const handler = request.method === 'POST' ? posts.get(path) : undefined;
      if (handler !== undefined) {
        void post(handler, request, response);
        return;
      }
      if (request.method !== 'GET') {
        const message = 'POST /reset, /step and /mcp; GET the rest';
        refuseWith(request, response, { status: 405, code: 'wrong_method', message, headers: { allow: 'GET' } });
        return;
      }
      try {
        get(path, request, response);
      } catch (thrown) {
        sendProblem(response, problemOf(thrown));
      }
    },
    upgrade: sockets.upgrade,
    close: async () => {
      clearInterval(beating);
      clearInterval(reaping);
      await sockets.close();
      await environments.closeAll();
    },
  };
};
