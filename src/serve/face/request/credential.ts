/**
 * Parameters and form fields in which a document has the caller's credential (`token`, `api_key`). Clients send it once, often in the
 * Authorization header: then it is not missing, and wherever it is sent it tells one caller from another.
 */
import { isNode } from '../../../document/node.js';
import type { Refs } from '../../../document/refs.js';
import { snake } from '../../../kit/words.js';
import type { FaceOperation, FaceRequest, RequestFault } from '../types.js';
import { bareType, FORM } from './media.js';

interface CredentialPlace {
  in: 'header' | 'query' | 'body';
  name: string;
}

const NAME = /^(x_)?((api|access|auth|authentication|bearer|oauth|user|app|bot)_?)?(token|key)$/;
/** A name alone says too little: `token` and `key` are also what pages and rows are called by. */
const SAID = /\bauthenticat|\bauthori[sz]|\bbearer\b|\boauth|\bapi[ _-]?(key|token)\b|\bcredential/i;

const isCredential = (name: string, description: unknown): boolean =>
  NAME.test(snake(name)) && typeof description === 'string' && SAID.test(description);

const inForms = ({ http }: FaceOperation, refs: Refs): CredentialPlace[] =>
  (http.body?.media ?? []).flatMap(({ type, schema }) => {
    if (bareType(type) !== FORM || schema === undefined) return [];
    const { properties } = refs.resolve(schema).node;
    return Object.entries(isNode(properties) ? properties : {})
      .filter(([name, property]) => isCredential(name, refs.resolve(property).node.description))
      .map(([name]) => ({ in: 'body' as const, name }));
  });

const known = new WeakMap<FaceOperation, readonly CredentialPlace[]>();

/** Those that no tool takes for something else. */
const placesOf = (operation: FaceOperation, refs: Refs): readonly CredentialPlace[] => {
  const done = known.get(operation);
  if (done) return done;
  const params = operation.http.params.flatMap(({ in: place, name, description }) =>
    (place === 'header' || place === 'query') && isCredential(name, description) ? [{ in: place, name }] : [],
  );
  const taken = (place: CredentialPlace): boolean =>
    operation.binding?.args.some((arg) => arg.in === place.in && (arg.name ?? arg.at?.[0]) === place.name) === true;
  const places = [...params, ...inForms(operation, refs)].filter((place) => !taken(place));
  known.set(operation, places);
  return places;
};

const LONGEST = 65_536;

const formOf = ({ headers, body }: FaceRequest): URLSearchParams | undefined =>
  body !== undefined && body.byteLength <= LONGEST && bareType(headers['content-type'] ?? '') === FORM
    ? new URLSearchParams(Buffer.from(body).toString('utf8'))
    : undefined;

/** The credential that the request has at one of the operation's own places, or under such a name in its query or form. */
export const credentialIn = (operation: FaceOperation, request: FaceRequest, refs: Refs): string | undefined => {
  const places = placesOf(operation, refs);
  if (places.length === 0) return undefined;
  for (const { in: place, name } of places) {
    const found = place === 'header' ? request.headers[name.toLowerCase()] : undefined;
    if (found) return found;
  }
  const query = request.query === '' ? undefined : new URLSearchParams(request.query);
  const form = formOf(request);
  for (const { name } of places) {
    const found = query?.get(name) || form?.get(name);
    if (found) return found;
  }
  return undefined;
};

const sends = (operation: FaceOperation, request: FaceRequest, refs: Refs): boolean =>
  request.headers.authorization !== undefined || credentialIn(operation, request, refs) !== undefined;

export interface CredentialFaults {
  /** What is wrong besides. */
  faults: RequestFault[];
  /** A credential is required and sent nowhere. */
  missing: boolean;
}

/** A credential that is required where it was not sent is missing only where it was sent nowhere. */
export const withoutSent = (
  operation: FaceOperation,
  request: FaceRequest,
  faults: RequestFault[],
  refs: Refs,
): CredentialFaults => {
  if (faults.length === 0) return { faults, missing: false };
  const places = placesOf(operation, refs);
  const isOne = ({ in: place, at, keyword }: RequestFault): boolean =>
    keyword === 'required' &&
    places.some((one) => one.in === place && at === (place === 'body' ? `/${one.name}` : one.name));
  if (!faults.some(isOne)) return { faults, missing: false };
  if (sends(operation, request, refs)) return { faults: faults.filter((fault) => !isOne(fault)), missing: false };
  return { faults, missing: faults.every(isOne) };
};
