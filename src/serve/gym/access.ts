/** Who may speak to a gym door: the right Host and Origin and, where the door has one, its bearer token. */
import type { IncomingMessage } from 'node:http';
import { TreadleError } from '../../errors.js';
import type { Guard } from '../http/guard.js';
import { bearerOf, digestOf, sameDigest } from '../http/tokens.js';

export interface Refusal {
  status: number;
  code: string;
  message: string;
  headers?: Record<string, string>;
}

export interface Access {
  /** Whether the request is addressed and comes from where it should. */
  place(request: IncomingMessage): Refusal | undefined;
  /** The same, and that it carries the door's token. */
  all(request: IncomingMessage): Refusal | undefined;
}

export const accessOf = (guard: Guard, token: string | undefined): Access => {
  const expected = token === undefined ? undefined : digestOf(token);

  const place = ({ headers }: IncomingMessage): Refusal | undefined => {
    if (!guard.isHost(headers.host))
      return { status: 403, code: 'wrong_host', message: 'This server is not called that' };
    if (!guard.isOrigin(headers.origin))
      return { status: 403, code: 'wrong_origin', message: 'Requests from this origin are not taken' };
    return undefined;
  };

  return {
    place,
    all: (request) => {
      const wrong = place(request);
      if (wrong !== undefined || expected === undefined) return wrong;
      const given = bearerOf(request.headers.authorization);
      if (given !== undefined && sameDigest(digestOf(given), expected)) return undefined;
      return {
        status: 401,
        code: 'unauthorized',
        message: 'This door needs its bearer token',
        headers: { 'www-authenticate': 'Bearer realm="treadle gym"' },
      };
    },
  };
};

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/i;
const STRONG = /^[A-Za-z0-9\-._~+/]{22,512}=*$/;

/** Throws `token_needed` for a door that others can reach and anybody may open, `weak_token` for one that can be guessed. */
export const checkToken = (host: string, token: string | undefined): void => {
  if (token === undefined) {
    if (LOOPBACK.test(host)) return;
    throw new TreadleError({
      code: 'token_needed',
      message: 'A gym door that is not on loopback needs a token',
      value: host,
      next: 'Give it a token, or let it listen on 127.0.0.1.',
    });
  }
  if (STRONG.test(token)) return;
  throw new TreadleError({
    code: 'weak_token',
    message: 'The token of the gym door is too short or holds characters that a header cannot',
    next: 'Use at least 22 letters, digits, - or _.',
  });
};
