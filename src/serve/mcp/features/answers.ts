/** What the methods of the optional features answer. Undefined for a method that is none of theirs, or not in that revision. */

import type { ToolHost } from '../../tool-host.js';
import { LOG_LEVELS } from '../envelope.js';
import { contradictingParam } from '../headers.js';
import { ErrorCode, failure, isObject, type Params, type Reply, success } from '../messages.js';
import type { Answer, Request } from '../methods.js';
import { MOST_WATCHED } from './changes.js';
import type { CompletionRequest, Features, PromptResult } from './features.js';
import { listen } from './listen.js';
import { featureServer } from './serve.js';

type Handle = (host: ToolHost, request: Request) => Reply | Promise<Reply>;

export interface FeatureAnswers {
  /** tools/call, when the tool is a feature's. */
  call(host: ToolHost, request: Request, name: string): Promise<Reply> | undefined;
  other: (host: ToolHost, request: Request) => ReturnType<Answer> | undefined;
}

export interface Signed {
  /** Ends every modern result. */
  signature: string;
  /** The `_meta` of it. */
  server: object;
}

/** Lists and contents may change at any time here, and are one client's own. */
const FRESH = '"ttlMs":0,"cacheScope":"private"';

const bad = ({ id }: Request, message: string, data?: unknown): Reply =>
  failure(id, ErrorCode.invalidParams, message, 200, data);

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((item) => typeof item === 'string');

const shown = (text: string): string => text.slice(0, 200);

const completionOf = ({ ref, argument, context = {} }: Params): CompletionRequest | undefined => {
  if (!isObject(ref) || !isObject(argument) || !isObject(context)) return undefined;
  const { name, value } = argument;
  const known = context.arguments ?? {};
  if (typeof name !== 'string' || typeof value !== 'string' || !isTexts(known)) return undefined;
  if (ref.type === 'ref/prompt' && typeof ref.name === 'string')
    return { of: { prompt: ref.name }, argument: name, value, known };
  if (ref.type === 'ref/resource' && typeof ref.uri === 'string')
    return { of: { resource: ref.uri }, argument: name, value, known };
  return undefined;
};

export const featureAnswers = (features: Features, { signature, server }: Signed): FeatureAnswers => {
  const { tools, resources, prompts, complete, changes } = features;
  const serve = featureServer(signature);
  const result = (request: Request, members: string): Reply =>
    success(request.id, request.revision.era === 'modern' ? `{${members},${signature}}` : `{${members}}`);
  const cacheable = (request: Request): string => (request.revision.era === 'modern' ? `,${FRESH}` : '');
  const listed =
    (name: string, list: () => readonly object[]): Handle =>
    (_host, request) =>
      request.params.cursor === undefined
        ? result(request, `"${name}":${JSON.stringify(list())}${cacheable(request)}`)
        : bad(request, 'The listing has one page; params.cursor is none of ours');

  const read: Handle = (host, request) => {
    const { uri } = request.params;
    if (typeof uri !== 'string') return bad(request, 'params.uri must be a string');
    return serve(host, request, async (caller) => {
      const contents = await resources!.read(uri, caller);
      // 2025-11-25 and before have a code of their own for this.
      const code = request.revision.era === 'modern' ? ErrorCode.invalidParams : ErrorCode.resourceNotFound;
      if (contents === undefined) return failure(request.id, code, 'Resource not found', 200, { uri });
      return `"contents":${JSON.stringify(contents)}${cacheable(request)}`;
    });
  };

  const get: Handle = (host, request) => {
    const { name, arguments: args = {} } = request.params;
    if (typeof name !== 'string') return bad(request, 'params.name must be a string');
    if (!isTexts(args)) return bad(request, 'params.arguments must be an object of strings');
    return serve(host, request, async (caller) => {
      const prompt: PromptResult | string | undefined = await prompts!.get(name, args, caller);
      if (prompt === undefined) return bad(request, `Unknown prompt: ${shown(name)}`);
      return typeof prompt === 'string' ? bad(request, prompt) : JSON.stringify(prompt).slice(1, -1);
    });
  };

  const completion: Handle = async (_host, request) => {
    const asked = completionOf(request.params);
    if (asked === undefined) return bad(request, 'params need a ref to a prompt or a resource, and an argument');
    const values = await complete!(asked);
    if (values === undefined) return bad(request, 'There is nothing of that name to complete');
    const page = { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 };
    return result(request, `"completion":${JSON.stringify(page)}`);
  };

  const watching =
    (isWatched: boolean): Handle =>
    (_host, request) => {
      const { uri } = request.params;
      const watched = request.exchange.connection?.watched;
      if (typeof uri !== 'string') return bad(request, 'params.uri must be a string');
      if (watched === undefined) return failure(request.id, ErrorCode.invalidRequest, 'This needs a session');
      if (isWatched && !watched.has(uri) && watched.size >= MOST_WATCHED)
        return bad(request, `A session watches at most ${MOST_WATCHED} resources`);
      if (isWatched) watched.add(uri);
      else watched.delete(uri);
      return success(request.id, '{}');
    };

  const setLevel: Handle = (_host, request) => {
    const { level } = request.params;
    const { connection } = request.exchange;
    if (!LOG_LEVELS.includes(level as never))
      return bad(request, `params.level must be one of ${LOG_LEVELS.join(', ')}`);
    if (connection === undefined) return failure(request.id, ErrorCode.invalidRequest, 'This needs a session');
    connection.logLevel = level as string;
    return success(request.id, '{}');
  };

  const both = new Map<string, Handle>();
  const classic = new Map<string, Handle>();
  const modern = new Map<string, Handle>();
  if (resources) {
    both.set('resources/list', listed('resources', resources.list));
    both.set('resources/templates/list', listed('resourceTemplates', resources.templates));
    both.set('resources/read', read);
    if (resources.subscribe)
      classic.set('resources/subscribe', watching(true)).set('resources/unsubscribe', watching(false));
  }
  if (prompts) both.set('prompts/list', listed('prompts', prompts.list)).set('prompts/get', get);
  if (complete) both.set('completion/complete', completion);
  if (features.logging) classic.set('logging/setLevel', setLevel);
  if (changes) modern.set('subscriptions/listen', (_host, request) => listen(features, changes, server, request));

  return {
    call: (host, request, name) => {
      const run = tools?.run(name);
      if (run === undefined) return undefined;
      const args = (request.params.arguments ?? {}) as Params;
      const against = contradictingParam(request.exchange.headers, tools!.list(), name, args);
      if (against !== undefined && request.revision.era === 'modern')
        return Promise.resolve(
          failure(
            request.id,
            ErrorCode.headerMismatch,
            `Header and body disagree: ${against.header} against ${against.body}`,
            400,
            { mismatch: against },
          ),
        );
      return serve(
        host,
        request,
        async (caller) => JSON.stringify(await run(args, caller)).slice(1, -1),
        (error) => JSON.stringify({ content: [{ type: 'text', text: error.line() }], isError: true }).slice(1, -1),
      );
    },
    other: (host, request) => {
      const own = request.revision.era === 'modern' ? modern : classic;
      return (both.get(request.method) ?? own.get(request.method))?.(host, request);
    },
  };
};
