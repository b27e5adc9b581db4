/** Which revision a request speaks. The body decides, the headers are held against it. */
import type { Connection, Outlet } from './connection.js';
import { claimsEnvelope, envelopeFault, metaOf, missingKeys, VERSION_KEY } from './envelope.js';
import { contradiction, type McpHeaders, type Mismatch, omission } from './headers.js';
import { ErrorCode, failure, type Id, type Params, type Reply } from './messages.js';
import {
  CLASSIC_REVISIONS,
  classicRevision,
  isModern,
  MODERN_VERSIONS,
  modernRevision,
  type Revision,
  UNNAMED_REVISION,
} from './revisions.js';

export interface Exchange {
  /** Absent on stdio, where there is nothing to hold the body against. */
  headers?: McpHeaders;
  /** What is remembered of this client from request to request; a transport with connections keeps it, plain HTTP does not. */
  connection?: Connection;
  /** How to reach the client while the request runs, where it reads a stream. */
  outlet?: Outlet;
  /** The client's name for this request (Idempotency-Key), under which it may be sent again. */
  operation?: string;
  /** The front's name for it, where one forwarded it; see `CallOptions`. */
  forwarded?: string;
}

export type Route = { revision: Revision } | { refused: Reply };

const mismatched = (id: Id, mismatch: Mismatch): Route => ({
  refused: failure(
    id,
    ErrorCode.headerMismatch,
    `Header and body disagree: ${mismatch.header} against ${mismatch.body}`,
    400,
    { mismatch },
  ),
});

/** The revision of a request that claims no envelope; an unknown one named in the header is refused. */
export const classicOf = (exchange: Exchange): Revision | undefined => {
  const named = exchange.headers?.version;
  if (named !== undefined) return classicRevision(named);
  return exchange.connection?.agreed ?? UNNAMED_REVISION;
};

export const unsupportedClassic = (id: Id | null, version: string): Reply =>
  failure(id, ErrorCode.refused, `Protocol version ${version} is not served here`, 400, {
    supported: [...MODERN_VERSIONS, ...CLASSIC_REVISIONS.map((revision) => revision.version)],
    requested: version,
  });

const modernRoute = (id: Id, method: string, params: Params, meta: Params, headers?: McpHeaders): Route => {
  const fault = envelopeFault(meta);
  if (fault !== undefined)
    return {
      refused: failure(id, ErrorCode.invalidParams, `Bad _meta envelope: ${fault.key} ${fault.problem}`, 400, {
        envelope: fault,
      }),
    };
  const version = meta[VERSION_KEY] as string;
  const against = headers && contradiction(headers, method, version);
  if (against) return mismatched(id, against);
  const revision = modernRevision(version);
  if (revision === undefined)
    return {
      refused: failure(id, ErrorCode.unsupportedVersion, `Protocol version ${version} is not served here`, 400, {
        supported: MODERN_VERSIONS,
        requested: version,
      }),
    };
  const lacking = headers && omission(headers, method, params);
  return lacking ? mismatched(id, lacking) : { revision };
};

/** Decides the revision of a request, or how it is refused. `initialize` is classic unless it carries a sound modern envelope. */
export const routeOf = (id: Id, method: string, params: Params, exchange: Exchange): Route => {
  const { headers } = exchange;
  const named = headers?.version;
  const meta = metaOf(params);
  const claims = meta !== undefined && claimsEnvelope(params);
  const handshake =
    method === 'initialize' && !(claims && envelopeFault(meta) === undefined && isModern(meta[VERSION_KEY] as string));
  if (claims && !handshake) return modernRoute(id, method, params, meta, headers);
  if (named !== undefined && isModern(named)) {
    if (handshake) return mismatched(id, { header: named, body: 'the initialize handshake of an earlier revision' });
    const missing = meta === undefined ? ['_meta'] : missingKeys(meta);
    return {
      refused: failure(id, ErrorCode.invalidParams, `The request lacks ${missing.join(', ')}`, 400, {
        envelope: { missing },
      }),
    };
  }
  if (handshake) return { revision: CLASSIC_REVISIONS[0]! };
  const revision = classicOf(exchange);
  return revision === undefined ? { refused: unsupportedClassic(id, named!) } : { revision };
};
