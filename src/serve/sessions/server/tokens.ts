/**
 * Tokens of one session: the first opens all of it, each further one a single service. A token holds the session's id and a
 * secret; what is kept is the SHA-256 of each secret, side by side.
 */
import { hash, randomBytes } from 'node:crypto';

const SECRET = 32;
const TOKEN = /^trd_([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{43})$/;

const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** 96 random bits, 16 characters. */
export const mintId = (): string => randomBytes(12).toString('base64url').replace(/^-/, '_');

export interface Minted {
  /** Shown once and kept nowhere. */
  tokens: string[];
  digests: Buffer;
}

/** `count` tokens of 256 random bits each for the session `id`. */
export const mintTokens = (id: string, count: number): Minted => {
  const bytes = randomBytes(SECRET * count);
  const secrets = Array.from({ length: count }, (_, i) => bytes.toString('base64url', i * SECRET, (i + 1) * SECRET));
  return { tokens: secrets.map((secret) => `trd_${id}.${secret}`), digests: Buffer.concat(secrets.map(digest)) };
};

/** The session that a token claims to open. */
export const claimOf = (token: string): { id: string; secret: string } | undefined => {
  const found = TOKEN.exec(token);
  return found ? { id: found[1] as string, secret: found[2] as string } : undefined;
};

/** Which of the session's tokens a secret is; -1 for none. How far two hashes agree tells nothing of the secrets. */
export const indexOfSecret = (digests: Buffer, secret: string): number => {
  const wanted = digest(secret);
  for (let at = digests.indexOf(wanted); at >= 0; at = digests.indexOf(wanted, at + 1))
    if (at % wanted.length === 0) return at / wanted.length;
  return -1;
};
