/**
 * The REST face of a world: a request of the document's own form in, its answer out, over the same sessions that agents have
 * (issue "a stateful fake of any API"). Transports are elsewhere; nothing here throws for what a client can send.
 */
import type { Binding, Face } from '../../artifacts/face.js';
import type { Tier } from '../../artifacts/tool.js';
import { type SchemaChecks, schemaChecks } from '../../document/checks.js';
import { basesOf, httpOperations } from '../../document/http.js';
import type { Node } from '../../document/node.js';
import { refsOf } from '../../document/refs.js';
import { asTreadleError, type TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { after, type Maybe } from '../sessions/server/turns.js';
import type { Beside, CallOutcome } from '../tool-host.js';
import { type AnswerContext, type Answerer, answererOf } from './answer/answerer.js';
import { etagOf, precondition } from './answer/etag.js';
import type { Caller, Callers } from './callers.js';
import { withNotices } from './notices.js';
import { plainProblem } from './problem.js';
import { asGet } from './procedure.js';
import { notAcceptable } from './request/accept.js';
import { argumentsOf } from './request/arguments.js';
import { credentialIn } from './request/credential.js';
import { decode, isFaceError } from './request/decode.js';
import { DEFAULT_LIMITS, type Limits } from './request/limits.js';
import { withPlainMark } from './request/page-mark.js';
import { type Found, type Router, routerOf } from './request/router.js';
import { saidBy } from './request/said.js';
import { ofThrown } from './thrown.js';
import type { DecodedRequest, FaceError, FaceOperation, FaceRequest, FaceResponse } from './types.js';

export interface FaceOptions {
  root: Node;
  /** Of the specification that the document is written in. */
  version: string;
  face: Pick<Face, 'bindings' | 'unbound'>;
  /** The name that a caller's session has for the tool of an operation, where it offers it; the binding's own when absent. */
  toolOf?: (operation: FaceOperation, caller: Caller) => string | undefined;
  /** What is generated beside the rows follows from it. */
  seed: string;
  callers: Callers;
  /** Operations behind which nothing stands are refused with 501 instead of answered by example. */
  strict?: boolean;
  /** Requests without a key are refused with 401. */
  needsKey?: boolean;
  /** Most bytes of a body; 10 MiB when absent. */
  bodyBytes?: number;
  /** Filled in by those who need to know the operations first. */
  hooks?: FaceHooks;
  /** Hears of what went wrong on our side. */
  onDefect?: (error: TreadleError) => void;
}

export interface FaceEvent {
  operation: FaceOperation;
  request: FaceRequest;
  caller: Caller;
  /** An error as the operation's document writes it. */
  fail(error: FaceError): FaceResponse;
}

export interface FaceAnswered extends FaceEvent {
  decoded: DecodedRequest | undefined;
  response: FaceResponse;
  outcome?: CallOutcome | undefined;
}

/** What befell a request before its operation. */
export interface Struck {
  /** Of whoever struck, for the log. */
  rule: string;
  /** Nothing goes on before it ends. */
  wait?: Promise<void>;
  /** In place of the operation. */
  response?: FaceResponse;
}

export interface FaceHooks {
  /** Injected faults. */
  before?: (event: FaceEvent) => Struck | undefined;
  /** Hears of every answer: webhooks. */
  after?: (event: FaceAnswered) => void;
}

type Named = { found: Found; answerer: Answerer; caller: Caller };

export class RestFace {
  readonly operations: readonly FaceOperation[];
  readonly router: Router;
  readonly checks: SchemaChecks;
  readonly callers: Callers;
  readonly #options: FaceOptions;
  readonly #limits: Limits;
  readonly #answerers = new Map<FaceOperation, Answerer>();
  readonly #document: { root: Node; refs: ReturnType<typeof refsOf>; version: string };

  constructor(options: FaceOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...(options.bodyBytes ? { bytes: options.bodyBytes } : {}) };
    this.callers = options.callers;
    const { root, version, face } = options;
    const refs = refsOf(root);
    this.#document = { root, refs, version };
    this.checks = schemaChecks(root, version, refs);
    const bindings = new Map(face.bindings.map((binding) => [binding.operation, binding]));
    const why = new Map(face.unbound.map((one) => [one.operation, one.why]));
    this.operations = httpOperations(root, refs).map((http) => ({
      http,
      binding: bindings.get(http.label),
      why: why.get(http.label),
    }));
    this.router = routerOf(this.operations, basesOf(root));
  }

  /** Never throws and never rejects. */
  answer(request: FaceRequest): Maybe<FaceResponse> {
    try {
      const answered = this.#answer(request);
      return answered instanceof Promise ? answered.catch((thrown: unknown) => this.#defect(thrown)) : answered;
    } catch (thrown) {
      return this.#defect(thrown);
    }
  }

  #defect(thrown: unknown): FaceResponse {
    const error = asTreadleError(thrown, 'infrastructure');
    const told = ofThrown(error);
    if (told.status >= 500 && told.status !== 503) this.#options.onDefect?.(error);
    return plainProblem(told);
  }

  #answer(request: FaceRequest): Maybe<FaceResponse> {
    const found = this.router.find(request.method, request.path, saidBy(request));
    if (found === undefined)
      return plainProblem({
        status: 404,
        code: 'unknown_path',
        message: `The document has no path that fits ${request.path.slice(0, 200)}`,
      });
    if ('allow' in found) {
      const called = found.allow.includes('GET') ? asGet(request) : undefined;
      return called ? this.#answer(called) : notAllowed(request, found.allow);
    }
    const answerer = this.answererOf(found.operation);
    const own = credentialIn(found.operation, request, this.#document.refs);
    const caller = this.callers.of(request, this.#options.needsKey, own);
    if (caller === undefined) {
      const message = 'An API key is needed';
      const headers = { 'www-authenticate': 'Bearer realm="treadle"' };
      return answerer.failure({ status: 401, code: 'unauthorized', message, headers }, this.#context(request, 0));
    }
    return after(caller, (known) => this.#forCaller({ found, answerer, caller: known }, request));
  }

  answererOf(operation: FaceOperation): Answerer {
    const known = this.#answerers.get(operation);
    if (known) return known;
    const made = answererOf(operation, this.#document);
    this.#answerers.set(operation, made);
    return made;
  }

  #context(request: FaceRequest, now: number, decoded?: DecodedRequest): AnswerContext {
    return { request, decoded, seed: this.#options.seed, now };
  }

  #forCaller(named: Named, request: FaceRequest): Maybe<FaceResponse> {
    const { found, answerer, caller } = named;
    const { operation } = found;
    const at = caller.live.clock;
    const { before, after: hears } = this.#options.hooks ?? {};
    const event: FaceEvent = {
      operation,
      request,
      caller,
      fail: (error) => answerer.failure(error, this.#context(request, at)),
    };
    const struck = before?.(event);
    const log = (status: number, decoded?: DecodedRequest, outcome?: CallOutcome): void =>
      caller.log.add({
        method: request.method,
        path: request.path,
        query: request.query,
        operation: operation.http.label,
        operationId: operation.http.id,
        params: decoded && byName(decoded.params),
        body: decoded?.body,
        tool: outcome?.entry.tool,
        status,
        ...(struck ? { fault: struck.rule } : {}),
        at,
      });
    const done = (response: FaceResponse, decoded?: DecodedRequest, outcome?: CallOutcome): FaceResponse => {
      log(response.status, decoded, outcome);
      hears?.({ ...event, decoded, response, outcome });
      return request.method === 'HEAD' ? { ...response, body: undefined } : response;
    };
    if (struck?.response) {
      const { response, wait } = struck;
      return after(decode(operation, found, request, this.checks), (decoded) => {
        // Told now: whoever gives up waiting for it looks into the log at once.
        log(response.status, isFaceError(decoded) ? undefined : decoded);
        return after(wait, () => (request.method === 'HEAD' ? { ...response, body: undefined } : response));
      });
    }
    return after(struck?.wait, () => {
      const unacceptable = notAcceptable(operation, request.headers.accept);
      if (unacceptable) return done(answerer.failure(unacceptable, this.#context(request, at)));
      const read = decode(operation, found, request, this.checks, this.#limits);
      return after(read, (decoded) => {
        if (isFaceError(decoded)) return done(answerer.failure(decoded, this.#context(request, at)));
        return after(this.#perform(named, request, decoded, at), ({ response, outcome }) =>
          done(response, decoded, outcome),
        );
      });
    });
  }

  #perform(
    { found, answerer, caller }: Named,
    request: FaceRequest,
    decoded: DecodedRequest,
    at: number,
  ): Maybe<{ response: FaceResponse; outcome?: CallOutcome }> {
    const { operation } = found;
    const context = this.#context(request, at, decoded);
    const name = this.#toolOf(operation, caller);
    const binding = name === undefined ? undefined : operation.binding;
    const isGrounded = binding !== undefined && binding.tier !== 'synthetic';
    if (!isGrounded && this.#options.strict) {
      const why = operation.why ?? binding?.evidence ?? 'no tool of this session stands behind it';
      const message = `Nothing grounds what ${operation.http.label} does: ${why}`;
      return { response: answerer.failure({ status: 501, code: 'not_grounded', message }, context) };
    }
    if (name === undefined || binding === undefined)
      return { response: withTier(answerer.example(context), 'synthetic') };
    const run = (): Maybe<{ response: FaceResponse; outcome?: CallOutcome }> => {
      const key = request.headers['idempotency-key'];
      const isWrite = request.method !== 'GET' && request.method !== 'HEAD';
      const once =
        key !== undefined && isWrite ? { operation: `rest:${operation.http.label}:${key}`.slice(0, 256) } : {};
      const sent = argumentsOf(binding, withPlainMark(operation.http, binding, decoded));
      let told: Beside = {};
      const beside = (said: Beside): void => {
        told = said;
      };
      const called = caller.host.call(name, sent as Json, { ...once, beside });
      return after(called, (outcome) => ({
        outcome,
        response: withNotices(this.#shown(answerer, outcome, told, context, binding), outcome.notices),
      }));
    };
    const condition = request.headers['if-match'];
    if (condition === undefined || request.method === 'GET' || request.method === 'HEAD')
      return after(run(), (made) => ({ ...made, response: this.#unchanged(request, made.response) }));
    return after(this.#current(found, caller, request, context), (current) => {
      const failed = current === undefined ? undefined : precondition(request, etagOf(current));
      return failed === 412
        ? {
            response: answerer.failure(
              { status: 412, code: 'precondition_failed', message: 'The row has changed: its ETag is another' },
              context,
            ),
          }
        : run();
    });
  }

  #toolOf(operation: FaceOperation, caller: Caller): string | undefined {
    const { toolOf } = this.#options;
    return toolOf ? toolOf(operation, caller) : operation.binding?.tool;
  }

  #shown(
    answerer: Answerer,
    outcome: CallOutcome,
    told: Beside,
    context: AnswerContext,
    binding: Binding,
  ): FaceResponse {
    const { page, failure } = told;
    if (outcome.ok)
      return withTier(answerer.success(wrapped(outcome.result, binding), { ...context, page }), binding.tier);
    const { code, status } = outcome.error ?? { code: 'internal_error', status: 500 };
    const message = failure?.message ?? code.replaceAll('_', ' ');
    return answerer.failure({ status, code, message, field: failure?.field }, context);
  }

  /** 304 where the client has what would be answered. */
  #unchanged(request: FaceRequest, response: FaceResponse): FaceResponse {
    const { etag } = response.headers;
    if (request.headers['if-none-match'] === undefined || typeof etag !== 'string' || response.status !== 200)
      return response;
    if (precondition(request, etag) !== 304) return response;
    const { 'content-type': _, ...headers } = response.headers;
    return { status: 304, headers, body: undefined };
  }

  /** The body that a GET of the same path would answer with now. */
  #current(found: Found, caller: Caller, request: FaceRequest, context: AnswerContext): Maybe<string | undefined> {
    const get = this.router.find('GET', request.path, saidBy(request));
    if (get === undefined || 'allow' in get || get.operation === found.operation) return undefined;
    const { binding } = get.operation;
    const name = this.#toolOf(get.operation, caller);
    if (name === undefined || binding === undefined) return undefined;
    const read = { params: context.decoded?.params ?? {} };
    return after(caller.host.call(name, argumentsOf(binding, read) as Json), (outcome) => {
      if (!outcome.ok) return undefined;
      const { body } = this.answererOf(get.operation).success(wrapped(outcome.result, binding), context);
      return typeof body === 'string' ? body : undefined;
    });
  }
}

/** A row that the tool answers with alone, where the document has it. */
const wrapped = (result: Json, { answer }: Binding): Json =>
  answer.bare ? answer.path.reduceRight<Json>((inner, name) => ({ [name]: inner }), result) : result;

/** Says on what an answer rests, where that is not the document. */
const withTier = (response: FaceResponse, tier: Tier): FaceResponse => {
  if (tier !== 'spec') response.headers['x-treadle-tier'] = tier;
  return response;
};

const byName = (params: Readonly<Record<string, Json>>): Record<string, Json> =>
  Object.fromEntries(Object.entries(params).map(([key, value]) => [key.slice(key.indexOf(' ') + 1), value]));

const notAllowed = (request: FaceRequest, allow: readonly string[]): FaceResponse => {
  const methods = [...new Set([...allow, ...(allow.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].join(', ');
  if (request.method === 'OPTIONS') return { status: 204, headers: { allow: methods }, body: undefined };
  const problem = plainProblem({
    status: 405,
    code: 'method_not_allowed',
    message: `${request.method} is not among ${methods}`,
  });
  return { ...problem, headers: { ...problem.headers, allow: methods } };
};
