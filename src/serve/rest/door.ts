/**
 * The trainers' door: the trainer's interface over HTTP, on a port and with a token of its own. No session's token works here.
 * Opening sessions is on a timed path: paths are compiled, and what goes out is not checked against schemas again.
 */
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import { isJsonBody, readBody } from '../http/body.js';
import { type FairQueue, UNOPENED } from '../http/fair-queue.js';
import type { Guard } from '../http/guard.js';
import type { HttpLimits } from '../http/limits.js';
import type { PlainHandler } from '../http/plain/lines.js';
import { hasBody, refuse } from '../http/reply.js';
import { bearerOf, digestOf, sameDigest } from '../http/tokens.js';
import type { ServedJobs } from '../jobs/desk.js';
import type { Trainer } from '../trainer.js';
import { type Asked, type Behind, HANDLERS, orphansOf } from './handlers.js';
import { readInput, readKey } from './input.js';
import { type Found, pathMatcher } from './match.js';
import { keptAnswers, printOf } from './once.js';
import { openApiDocument } from './openapi.js';
import { bodyGate } from './pending.js';
import { type Answer, JSON_TYPE, problemAnswer, thrownAnswer } from './problem.js';
import { ROUTES } from './routes.js';

export interface RestDoor {
  trainer: Trainer;
  /** Digest of the admin token. */
  digest: string;
  guard: Guard;
  limits: HttpLimits;
  /** The text of /metrics; absent: 404. */
  metrics?: (() => Promise<string> | string) | undefined;
  /** Where work is left; absent: none is taken. */
  jobs?: ServedJobs | undefined;
  /** /metrics is answered without a token, for scrapers that hold none. */
  isMetricsOpen?: boolean | undefined;
  /** Where the opening of sessions waits behind the agents that have theirs; absent: nothing waits. */
  queue?: FairQueue | undefined;
  onDefect?: ((error: TreadleError) => void) | undefined;
}

const problem = (code: string, message: string, next?: string): TreadleError =>
  new TreadleError({ code, message, ...(next && { next }) });

const WRONG_HOST = problem('wrong_host', 'This server is not called that', 'Name it with the allowed hosts.');
const WRONG_ORIGIN = problem('wrong_origin', 'Requests from this origin are not taken');
const UNAUTHORIZED = problem('unauthorized', 'The admin token is needed', 'Send Authorization: Bearer <token>.');
const NOT_FOUND = problem('not_found', 'Nothing is here', 'See /openapi.json for what there is.');
const NOT_JSON_TYPE = problem('not_json_type', 'The body must be application/json, not compressed');
const UNWANTED = problem('unwanted_body', 'This request takes no body');
const BUSY = new TreadleError({
  code: 'too_many_requests',
  message: 'Too many bodies are being read at once',
  fault: 'infrastructure',
  isRetryable: true,
});
const CHALLENGE = { 'www-authenticate': 'Bearer realm="treadle admin"' };

const send = (response: ServerResponse, { status, type, body, headers }: Answer): void => {
  if (response.destroyed) return;
  if (body === undefined) response.writeHead(status, { ...headers });
  else {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    response.writeHead(status, {
      'content-type': type,
      'content-length': length,
      'cache-control': 'no-store',
      ...headers,
    });
  }
  response.end(body);
};

const answerWith = ({ route }: Found, made: unknown): Answer => {
  const { status, answer } = route;
  if (status === 204) return { status, type: JSON_TYPE };
  if (typeof answer === 'string') return { status, type: answer, body: made as string | Uint8Array };
  return { status, type: JSON_TYPE, body: JSON.stringify(made) };
};

/** One request, whichever way it came. */
interface Visit {
  idempotency: string | string[] | undefined;
  isGone(): boolean;
  respond(answer: Answer): void;
}

/** The door in its two forms: for node's server, and for the connections served without it. */
export interface RestDoorForms {
  listener: RequestListener;
  plain: PlainHandler;
}

export const restDoor = (door: RestDoor): RestDoorForms => {
  const { trainer, digest, guard, limits, metrics, jobs, isMetricsOpen = false, queue, onDefect } = door;
  const match = pathMatcher(ROUTES);
  const answers = keptAnswers(elapsedMs);
  const gate = bodyGate(limits.pendingBodies);
  let document: object | undefined;
  const behind: Behind = {
    trainer,
    metrics,
    jobs,
    document: () => {
      document ??= openApiDocument(ROUTES);
      return document;
    },
  };

  const perform = async (found: Found, asked: Asked, isGone: () => boolean): Promise<Answer> => {
    const { operation } = found.route;
    try {
      const made = await HANDLERS[operation](behind, asked);
      // Without a key nobody can ask for this answer again, and so nobody would ever close what it opened.
      if (isGone() && asked.once === undefined)
        for (const id of orphansOf(operation, made)) await trainer.close(id).catch(() => undefined);
      return answerWith(found, made);
    } catch (thrown) {
      return thrownAnswer(thrown, onDefect);
    }
  };

  const serve = (found: Found, target: string, text: string, { idempotency, isGone, respond }: Visit): void => {
    const { method } = found.route;
    try {
      const key = method === 'GET' ? undefined : readKey(idempotency);
      const asked = readInput(found, target, text, key);
      if (key === undefined) void perform(found, asked, isGone).then(respond);
      else void answers.once(key, printOf(method, target, text), () => perform(found, asked, isGone)).then(respond);
    } catch (thrown) {
      respond(thrownAnswer(thrown, onDefect));
    }
  };

  const inTurn = (found: Found, job: () => void): void => {
    if (queue !== undefined && found.route.operation === 'openSession') queue.add(job, UNOPENED);
    else job();
  };

  /** The route of a request that may go on, or what it is refused with. */
  const admit = (method: string, url: string, headers: IncomingHttpHeaders, hasContent: boolean): Found | Answer => {
    if (!guard.isHost(headers.host)) return problemAnswer(WRONG_HOST);
    if (!guard.isOrigin(headers.origin)) return problemAnswer(WRONG_ORIGIN);
    const mark = url.indexOf('?');
    const found = match(method, mark === -1 ? url : url.slice(0, mark));
    const route = found !== undefined && 'route' in found ? found.route : undefined;
    const isOpen = route?.open === true || (isMetricsOpen && route?.operation === 'getMetrics');
    if (!isOpen) {
      const token = bearerOf(headers.authorization);
      if (token === undefined || !sameDigest(digestOf(token), digest)) return problemAnswer(UNAUTHORIZED, CHALLENGE);
    }
    if (found === undefined) return problemAnswer(NOT_FOUND);
    if ('allow' in found) {
      const { allow } = found;
      return problemAnswer(problem('method_not_allowed', `Here only ${allow}`), { allow });
    }
    if (!hasContent) return found;
    if (found.route.request === undefined) return problemAnswer(UNWANTED);
    return isJsonBody(headers) ? found : problemAnswer(NOT_JSON_TYPE);
  };

  const tooLarge = (limit: number): Answer => problemAnswer(problem('too_large', `A body has at most ${limit} bytes`));

  const listener: RequestListener = (request, response) => {
    const { headers, method = 'GET', url = '' } = request;
    const say = ({ status, body, headers: more }: Answer): void =>
      refuse(request, response, status, body as string, more);
    const found = admit(method, url, headers, hasBody(request));
    if ('status' in found) return say(found);
    const visit: Visit = {
      idempotency: headers['idempotency-key'],
      isGone: () => response.destroyed || response.socket?.destroyed === true,
      respond: (answer) => send(response, answer),
    };
    if (!hasBody(request)) return serve(found, url, '', visit);
    const limit = found.route.bodyBytes ?? limits.bodyBytes;
    const release = gate.enter(request, limit);
    if (release === undefined) return say(problemAnswer(BUSY));
    readBody(request, limit, (body) => {
      release();
      if (!('fault' in body)) inTurn(found, () => serve(found, url, body.text, visit));
      else if (body.fault === 'too_large') say(tooLarge(limit));
      else say(problemAnswer(problem('not_utf8', 'The body is not UTF-8')));
    });
  };

  const plain: PlainHandler = ({ url, headers, length }, content, reply) => {
    const respond = ({ status, type, body, headers: more }: Answer): void =>
      reply.send(status, type, typeof body === 'object' ? [body] : body, more);
    const found = admit('POST', url, headers, length > 0);
    if ('status' in found) return respond(found);
    const limit = found.route.bodyBytes ?? limits.bodyBytes;
    if (length > limit) return respond(tooLarge(limit));
    const visit: Visit = { idempotency: headers['idempotency-key'], isGone: () => reply.isGone, respond };
    inTurn(found, () => serve(found, url, content.toString('utf8'), visit));
  };

  return { listener, plain };
};
