/** NeMo Gym's door: a resources server whose tools are those of the session that the cookie names. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Guard } from '../../http/guard.js';
import { sendJson } from '../../http/reply.js';
import { noticeText } from '../../sessions/notices.js';
import type { Trainer } from '../../trainer.js';
import { accessOf } from '../access.js';
import { cookieOf } from '../cookies.js';
import type { GymDoor } from '../door.js';
import { jsonReader } from '../json-request.js';
import type { GymLimits } from '../limits.js';
import { type Problem, problemOf, refuseWith, sendProblem } from '../problem.js';
import { answerOf, readVerify } from './answer.js';
import { mcpRoute, TOKEN_HEADER } from './mcp.js';
import { aggregateMetrics } from './metrics.js';
import { readSeed } from './rows.js';
import { type GymSession, gymSessions } from './sessions.js';

export interface NemoGymDoorOptions {
  trainer: Trainer;
  guard: Guard;
  limits: GymLimits;
  /** Needed for every request but those to `/mcp`, which agents make: they have their session's token instead. */
  token?: string | undefined;
  /** What is seeded by a row that names no task. */
  defaults?: { task?: string | undefined } | undefined;
  /** How agents that call tools over MCP name this server. */
  name?: string;
  /** Seconds on any clock that does not go backwards. */
  now?: () => number;
}

const COOKIE = 'treadle_session';
const DAY = 86_400;

/** Sent again with every answer: Gym's agents keep the cookies of the last one alone. */
const cookieFor = (cookie: string): OutgoingHttpHeaders => ({
  'set-cookie': `${COOKIE}=${cookie}; Path=/; Max-Age=${14 * DAY}; HttpOnly; SameSite=Lax`,
});

const TOOL_PATH = /^\/([A-Za-z0-9_-]{1,64})$/;

const ENDED: Problem = {
  status: 404,
  code: 'unknown_session',
  message: 'The session of this cookie has ended',
  next: 'Seed another with POST /seed_session.',
};

const sendText = (response: ServerResponse, text: string, headers: OutgoingHttpHeaders): void => {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers });
  response.end(text);
};

type Work = (value: unknown, headers: OutgoingHttpHeaders) => Promise<void>;

export const nemoGymDoor = (options: NemoGymDoorOptions): GymDoor => {
  const { trainer, guard, limits, token, defaults, name = 'treadle', now } = options;
  const access = accessOf(guard, token);
  const { sessions: capacity, idleSeconds, bodyBytes, rolloutBytes } = limits;
  const sessions = gymSessions({ trainer, capacity, idleSeconds, ...(now ? { now } : {}) });
  const reader = jsonReader(limits.pendingBodies * bodyBytes);
  const mcp = mcpRoute(sessions, reader, bodyBytes);
  const reaping = setInterval(() => sessions.reap(), limits.reapMs);
  reaping.unref();

  const cookieIn = (request: IncomingMessage): string | undefined => cookieOf(request.headers.cookie, COOKIE);

  const withBody = async (
    request: IncomingMessage,
    response: ServerResponse,
    bytes: number,
    headers: OutgoingHttpHeaders,
    work: Work,
  ): Promise<void> => {
    const read = await reader.read(request, response, bytes, headers);
    if (read === undefined) return;
    try {
      await work(read.value, headers);
    } catch (thrown) {
      sendProblem(response, problemOf(thrown), headers);
    }
  };

  const seed = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    withBody(request, response, rolloutBytes, {}, async (row) => {
      const opened = await sessions.seed(readSeed(row, defaults?.task), cookieIn(request));
      const block = {
        server_name: name,
        url_path: '/mcp',
        transport: 'http',
        headers: { [TOKEN_HEADER]: opened.token },
      };
      sendJson(response, 200, JSON.stringify({ mcp: block }), cookieFor(opened.cookie));
    });

  /** The session behind the cookie, or undefined when the request was refused. */
  const admit = (request: IncomingMessage, response: ServerResponse): [GymSession, OutgoingHttpHeaders] | undefined => {
    const no = (problem: Problem): undefined => refuseWith(request, response, problem) as undefined;
    const cookie = cookieIn(request);
    const next = 'Seed one with POST /seed_session, and send its cookie.';
    if (cookie === undefined)
      return no({ status: 400, code: 'no_session', message: 'No session cookie was sent', next });
    const found = sessions.byCookie(cookie);
    if (found.state === 'gone') return no(ENDED);
    if (found.state === 'unknown')
      return no({ status: 401, code: 'unknown_cookie', message: 'This session cookie is none of ours', next });
    return [found.session, cookieFor(cookie)];
  };

  const verify = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const admitted = admit(request, response);
    if (admitted === undefined) return;
    const [session, cookie] = admitted;
    await withBody(request, response, rolloutBytes, cookie, async (value, headers) => {
      const body = readVerify(value);
      const { reward, milestones, reached, invalid } = await session.verify(answerOf(body.response.output));
      const broken = {
        mask_sample: true,
        failure_kind: `${name}:verifier`,
        failure_reason: 'The verifier broke: this reward measures nothing',
      };
      const judged = { reward, milestones, reached, mask_sample: false, ...(invalid ? broken : {}) };
      sendJson(response, 200, JSON.stringify({ ...body, ...judged }), headers);
    });
  };

  /**
   * What the agent gets wrong is the tool's output with 200, as in Gym's own servers: the model reads it and mends it. Gym's agents
   * give the model the body as it is, so that what a scenario tells stands under the result, in a paragraph of its own.
   */
  const call = async (tool: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const admitted = admit(request, response);
    if (admitted === undefined) return;
    const [session, cookie] = admitted;
    await withBody(request, response, bodyBytes, cookie, async (args, headers) => {
      const key = request.headers['idempotency-key'];
      const { result, notices } = await session.call(tool, args, typeof key === 'string' ? { operation: key } : {});
      if (notices) sendText(response, [JSON.stringify(result), ...notices.map(noticeText)].join('\n\n'), headers);
      else sendJson(response, 200, JSON.stringify(result), headers);
    });
  };

  const aggregate = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    withBody(request, response, rolloutBytes, {}, async (body) => {
      sendJson(response, 200, JSON.stringify(aggregateMetrics(body)));
    });

  const post = (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> | undefined => {
    if (path === '/seed_session') return seed(request, response);
    if (path === '/verify') return verify(request, response);
    if (path === '/aggregate_metrics') return aggregate(request, response);
    const tool = TOOL_PATH.exec(path)?.[1];
    return tool === undefined ? undefined : call(tool, request, response);
  };

  return {
    request: (request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0]!;
      const wrong = path === '/mcp' ? access.place(request) : access.all(request);
      const found = wrong === undefined && request.method === 'POST' && path !== '/mcp';
      if (wrong !== undefined) refuseWith(request, response, wrong);
      else if (path === '/mcp') void mcp(request, response);
      else if (found && post(path, request, response) !== undefined) return;
      else if (request.method === 'GET' && path === '/health') sendJson(response, 200, '{"status":"healthy"}');
      // The state that a verdict needs goes with the session: a stored rollout cannot be judged again.
      else if (request.method === 'GET' && path === '/reverify_mode') sendJson(response, 200, '"unsupported"');
      else {
        const message = 'POST /seed_session, /verify, /aggregate_metrics, /mcp or a tool; GET /reverify_mode';
        refuseWith(request, response, { status: 404, code: 'not_found', message });
      }
    },
    close: async () => {
      clearInterval(reaping);
      await sessions.closeAll();
    },
  };
};
