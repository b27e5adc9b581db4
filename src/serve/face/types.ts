/** What the parts of the REST face hand one another: a request as read from the wire, an operation, an answer. */
import type { Binding } from '../../artifacts/face.js';
import type { HttpOperation } from '../../document/http.js';
import type { Json } from '../../kit/hash.js';

export interface FaceRequest {
  /** In capitals. */
  method: string;
  /** As sent, percent-encoded, without the query: `/v1/pets/7`. */
  path: string;
  /** As sent, without the `?`; empty where there is none. */
  query: string;
  /** By name in lower case; lists joined as HTTP joins them. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array | undefined;
  /** What the client calls this server, for links: `http://127.0.0.1:4010`. */
  origin: string;
  /** Calls once when the client goes away before it has its answer; only where the transport can tell. */
  gone?: (then: () => void) => void;
}

export interface FaceResponse {
  /** 0: there is no answer, the connection is cut. */
  status: number;
  /** By name in lower case. */
  headers: Record<string, string | string[]>;
  /** Text is UTF-8. */
  body: string | Uint8Array | undefined;
}

/** An operation of the document, and what stands behind it. */
export interface FaceOperation {
  http: HttpOperation;
  binding?: Binding | undefined;
  /** Why nothing stands behind it. */
  why?: string | undefined;
}

/** One thing in a request that does not fit the document. */
export interface RequestFault {
  in: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** The parameter's name, or the JSON pointer in the body. */
  at: string;
  /** The JSON Schema keyword, `required`, or `syntax` for what cannot be read at all. */
  keyword: string;
  message: string;
}

/** A request that fits its operation. */
export interface DecodedRequest {
  /** By `place name`: `query limit`. Defaults of the document are not filled in. */
  params: Readonly<Record<string, Json>>;
  body?: Json;
  /** Media type of the body, without parameters. */
  media?: string;
}

/** Why a request cannot be answered as asked; `code` in our words (`not_found`, `invalid_argument`). */
export interface FaceError {
  status: number;
  code: string;
  message: string;
  /** The argument, parameter or property at fault. */
  field?: string | undefined;
  faults?: readonly RequestFault[] | undefined;
  headers?: Record<string, string> | undefined;
}
