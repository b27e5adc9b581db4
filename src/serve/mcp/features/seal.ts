/** The opaque state that travels through a client between two rounds of one request: it can be read, and not altered or used elsewhere. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { wallSeconds } from '../../../kit/clock.js';

/** Seconds in which a client has to come back. */
const LIFETIME = 3600;

export interface Seal {
  /** `purpose` is what the state is good for and nothing else. */
  close(state: unknown, purpose: string): string;
  /** Undefined for what was altered, made elsewhere or for another purpose, or is too old. */
  open(sealed: string, purpose: string): unknown;
}

/** The key lives as long as the process; state that outlives it is not accepted. */
export const seal = (key: Buffer = randomBytes(32), now: () => number = wallSeconds): Seal => {
  const mark = (payload: string, purpose: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([purpose, payload]))
      .digest();
  return {
    close: (state, purpose) => {
      const payload = Buffer.from(JSON.stringify({ until: now() + LIFETIME, state })).toString('base64url');
      return `${payload}.${mark(payload, purpose).toString('base64url')}`;
    },
    open: (sealed, purpose) => {
      const [payload, signature, ...rest] = sealed.split('.');
      if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
      // The texts, not the bytes: base64url forgives stray characters.
      const [due, given] = [Buffer.from(mark(payload, purpose).toString('base64url')), Buffer.from(signature)];
      if (given.length !== due.length || !timingSafeEqual(given, due)) return undefined;
      const { until, state } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as {
        until: number;
        state: unknown;
      };
      return now() < until ? state : undefined;
    },
  };
};
