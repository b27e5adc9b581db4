/**
 * Sessions' ids and secrets, chosen before anything is opened: whoever asks again for what nobody answered asks for the same sessions.
 * Those of a request with a key follow from the key, so that a later process of the server finds them too.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { canonicalJson, sha256 } from '../../../kit/hash.js';
import type { ForkRequest, OpenRequest } from '../../api.js';
import type { Once } from '../../trainer.js';
import { idOf, mintId } from './tokens.js';

/** A session that may come to be, or has. */
export interface Grant {
  id: string;
  /** What its tokens are made of; kept nowhere. */
  seed: string;
  /** Of the request, where it had a key. */
  print?: string;
}

/** What is opened or forked, and by which request. */
export type Birth = { open: OpenRequest } | { fork: string; request: ForkRequest };

export interface Granting {
  /** `attempt`: of the request so far; each has sessions of its own. */
  of(birth: Birth, once: Once | undefined, attempt: number): Grant[];
}

const countOf = (birth: Birth): number => ('open' in birth ? 1 : (birth.request.count ?? 1));

/** `secret`: of the server's data folder, or of the process. Without it ids and tokens cannot be told from keys. */
export const granting = (secret: Uint8Array): Granting => ({
  of: (birth, once, attempt) => {
    const count = countOf(birth);
    const key = once?.key;
    if (key === undefined)
      return Array.from({ length: count }, () => ({ id: mintId(), seed: randomBytes(32).toString('base64url') }));
    const about = 'open' in birth ? ['open'] : ['fork', birth.fork];
    const print = sha256(canonicalJson('open' in birth ? birth.open : birth.request));
    return Array.from({ length: count }, (_, i) => {
      const drawn = (what: string): Buffer =>
        createHmac('sha256', secret)
          .update(JSON.stringify([what, ...about, key, attempt, i]))
          .digest();
      return { id: idOf(drawn('id')), seed: drawn('seed').toString('base64url'), print };
    });
  },
});

/** Whoever looks for what was begun under a key looks at so many attempts: one fails where its process ended in the middle of it. */
const LOOKED_AT = 8;

/** None without a key: nothing could be found. */
export const attempts = ({ of }: Granting, birth: Birth, once: Once | undefined): Grant[][] =>
  once?.key === undefined ? [] : Array.from({ length: LOOKED_AT }, (_, attempt) => of(birth, once, attempt));
