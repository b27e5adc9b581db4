/**
 * Tokens of one session: the first opens all of it, each further one a single service. A token holds the session's id and a
 * secret; what is kept is the SHA-256 of each secret, side by side.
 */
import { createHmac, hash, randomBytes } from 'node:crypto';

const SECRET = 32;
const TOKEN = /^trd_([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{43})$/;

const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** The first 96 of these bits, 16 characters. */
export const idOf = (bits: Buffer): string => bits.toString('base64url', 0, 12).replace(/^-/, '_');

/** 96 random bits, 16 characters. */
export const mintId = (): string => idOf(randomBytes(12));

export interface Minted {
  /** Shown once and kept nowhere. */
  tokens: string[];
  digests: Buffer;
}

const bytesOf = (seed: string, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, i) => createHmac('sha256', seed).update(String(i)).digest()));

/** `count` tokens of 256 random bits each for the session `id`; the same ones for the same `seed`. */
export const mintTokens = (id: string, count: number, seed?: string): Minted => {
  const bytes = seed === undefined ? randomBytes(SECRET * count) : bytesOf(seed, count);
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
