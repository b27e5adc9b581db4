/** A session's own base URL, for clients that can be given nothing else: `/_treadle/s/NAME/pets` is `/pets` of that session. */
import { SESSION_HEADER } from './callers.js';
import type { FaceRequest } from './types.js';

const OWN = '/_treadle/s/';

export const ownPathOf = (name: string): string => OWN + encodeURIComponent(name);

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    // No name: told as such.
    return text;
  }
};

/** The request as the session's own; as it is where its path names none. */
export const inOwnPath = (request: FaceRequest): FaceRequest => {
  const { path, origin, headers } = request;
  if (!path.startsWith(OWN)) return request;
  const slash = path.indexOf('/', OWN.length);
  const end = slash < 0 ? path.length : slash;
  return {
    ...request,
    path: slash < 0 ? '/' : path.slice(end),
    origin: origin + path.slice(0, end),
    headers: { ...headers, [SESSION_HEADER]: decoded(path.slice(OWN.length, end)) },
  };
};
