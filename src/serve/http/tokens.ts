/** Bearer tokens: minted, hashed, read from a header. The plain text is handed out once and kept nowhere. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits. */
export const mintToken = (): string => `trd_${randomBytes(32).toString('base64url')}`;

/** SHA-256 in base64; what is stored and looked up. */
export const digestOf = (token: string): string => hash('sha256', token, 'base64');

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*)$/i;

/** The token of an Authorization header, or undefined when there is none of the bearer kind. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];

/** Whether two digests are one, in constant time. */
export const sameDigest = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};
