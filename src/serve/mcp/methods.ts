/** What each method of each era answers. */
import type { TreadleError } from '../../errors.js';
import type { CallOptions, CallOutcome, ToolHost } from '../tool-host.js';
import { SERVER_KEY } from './envelope.js';
import { featureAnswers } from './features/answers.js';
import { capabilitiesOf, type Features } from './features/features.js';
import { ownIdentity, type ServerIdentity } from './identity.js';
import { ErrorCode, failure, type Id, isObject, type Params, type Reply, success } from './messages.js';
import { logNotices, setLevel } from './notices.js';
import { CLASSIC_REVISIONS, classicRevision, MODERN_VERSIONS, type Revision } from './revisions.js';
import type { Exchange } from './route.js';
import { callJson, toolsPieces } from './tools.js';

export interface McpOptions {
  server?: ServerIdentity;
  /** Shown to the model by some clients. */
  instructions?: string;
  /** What is offered beside the hosts' tools; nothing when absent. */
  features?: Features;
  /** Hears of hosts that threw; the client only learns that something broke. */
  onDefect?: (error: TreadleError) => void;
}

export interface Request {
  id: Id;
  method: string;
  params: Params;
  revision: Revision;
  exchange: Exchange;
}

export type Answer = (host: ToolHost, request: Request) => Reply | Promise<Reply>;

const optionsOf = ({ operation, forwarded }: Exchange): CallOptions | undefined => {
  if (operation === undefined && forwarded === undefined) return undefined;
  return { ...(operation === undefined ? {} : { operation }), ...(forwarded === undefined ? {} : { forwarded }) };
};

/** A session's tools never change, but they are that session's own. */
const LISTING_CACHE = '"ttlMs":3600000,"cacheScope":"private"';

/** The answers for one server identity, whose text is made once. They throw what the host throws. */
export const answersOf = ({ server = ownIdentity(), instructions, features }: McpOptions): Answer => {
  const told = instructions === undefined ? {} : { instructions };
  const about = { capabilities: capabilitiesOf(features), ...told };
  /** A session that may be told of events logs them; the others need not hear of it. */
  const aboutLogging = { capabilities: capabilitiesOf({ ...features, logging: true }), ...told };
  const meta = { [SERVER_KEY]: server };
  const signature = `"resultType":"complete","_meta":${JSON.stringify(meta)}`;
  const beside = features && featureAnswers(features, { signature, server: meta });
  const more = features?.tools;
  const caching = more?.listChanged ? '"ttlMs":0,"cacheScope":"private"' : LISTING_CACHE;
  const discovery = (what: object): string =>
    `{${JSON.stringify({ supportedVersions: MODERN_VERSIONS, ...what }).slice(1, -1)},${LISTING_CACHE},${signature}}`;
  const [discovered, discoveredLogging] = [discovery(about), discovery(aboutLogging)];

  const initialize: Answer = (host, { id, params, exchange }) => {
    if (typeof params.protocolVersion !== 'string')
      return failure(id, ErrorCode.invalidParams, 'params.protocolVersion must be a string');
    const agreed = classicRevision(params.protocolVersion) ?? CLASSIC_REVISIONS[0]!;
    if (exchange.connection) {
      exchange.connection.agreed = agreed;
      if (isObject(params.capabilities)) exchange.connection.capabilities = params.capabilities;
    }
    const own = host.hearing ? aboutLogging : about;
    return success(id, JSON.stringify({ protocolVersion: agreed.version, ...own, serverInfo: server }));
  };

  const list: Answer = (host, { id, params, revision }) => {
    if (params.cursor !== undefined)
      return failure(id, ErrorCode.invalidParams, 'The listing has one page; params.cursor is none of ours');
    const end = revision.era === 'modern' ? `,${caching},${signature}}` : '}';
    return success(id, ['{"tools":', ...toolsPieces(host, revision, more?.list()), end]);
  };

  const call: Answer = (host, request) => {
    const { id, params, revision, exchange } = request;
    const { name, arguments: args } = params;
    if (typeof name !== 'string') return failure(id, ErrorCode.invalidParams, 'params.name must be a string');
    if (args !== undefined && !isObject(args))
      return failure(id, ErrorCode.invalidParams, 'params.arguments must be an object');
    if (beside !== undefined) {
      const answered = beside.call(host, request, name);
      if (answered !== undefined) return answered;
    }
    const shown = (outcome: CallOutcome): Reply => {
      if (outcome.error?.code === 'unknown_tool')
        return failure(id, ErrorCode.invalidParams, `Unknown tool: ${name.slice(0, 100)}`);
      if (outcome.notices) logNotices(host, request, outcome.notices);
      const members = callJson(outcome, revision);
      return success(id, revision.era === 'modern' ? `{${members},${signature}}` : `{${members}}`);
    };
    // Most tools answer at once, and a promise each would cost as much as the call.
    const outcome = host.call(name, args ?? {}, optionsOf(exchange));
    return outcome instanceof Promise ? outcome.then(shown) : shown(outcome);
  };

  return (host, request) => {
    const modern = request.revision.era === 'modern';
    switch (request.method) {
      case 'tools/call':
        return call(host, request);
      case 'tools/list':
        return list(host, request);
      case 'server/discover':
        if (modern) return success(request.id, host.hearing ? discoveredLogging : discovered);
        break;
      case 'initialize':
        if (!modern) return initialize(host, request);
        break;
      case 'logging/setLevel': {
        const set = modern ? undefined : setLevel(host, request);
        if (set) return set;
        break;
      }
      case 'ping':
        if (!modern) return success(request.id, '{}');
        break;
    }
    const answered = beside?.other(host, request);
    if (answered !== undefined) return answered;
    return failure(
      request.id,
      ErrorCode.methodNotFound,
      `No method ${request.method.slice(0, 100)} in ${request.revision.version}`,
      modern ? 404 : 200,
    );
  };
};
