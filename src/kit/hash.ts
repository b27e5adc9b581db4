/** Canonical JSON and content addresses. Two values that mean the same have the same bytes and so the same address. */
import { createHash } from 'node:crypto';
import { TreadleError } from '../errors.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const write = (value: unknown, path: string): string => {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (!Number.isFinite(value)) break;
      return JSON.stringify(Object.is(value, -0) ? 0 : value);
    case 'object': {
      if (Array.isArray(value))
        return `[${value.map((item, i) => write(item === undefined ? null : item, `${path}[${i}]`)).join(',')}]`;
      const entries = Object.entries(value).filter(([, item]) => item !== undefined);
      entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${write(item, `${path}.${key}`)}`).join(',')}}`;
    }
  }
  throw new TreadleError({
    code: 'not_json',
    message: `The value at ${path || 'the root'} is not JSON`,
    value: String(value),
    fault: 'input',
  });
};

/** Keys sorted by code unit, no white space, absent for undefined; throws `not_json` for NaN, functions and bigints. */
export const canonicalJson = (value: unknown): string => write(value, '');

/** SHA-256 in lower-case hex. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Addresses of what deepFreeze froze as a whole: it cannot change any more, so it is hashed once. */
const addresses = new WeakMap<object, string>();
const frozenWholes = new WeakSet<object>();

/** The content address of a frozen artifact: SHA-256 of its canonical JSON. */
export const addressOf = (artifact: unknown): string => {
  if (typeof artifact !== 'object' || artifact === null || !frozenWholes.has(artifact))
    return sha256(canonicalJson(artifact));
  const known = addresses.get(artifact) ?? sha256(canonicalJson(artifact));
  addresses.set(artifact, known);
  return known;
};

const freeze = (value: unknown): void => {
  if (value === null || typeof value !== 'object' || frozenWholes.has(value)) return;
  for (const item of Object.values(value)) freeze(item);
  Object.freeze(value);
};

/** Freezes plain data all the way down and returns it. */
export const deepFreeze = <T>(value: T): T => {
  freeze(value);
  if (value !== null && typeof value === 'object') frozenWholes.add(value);
  return value;
};

/** Freezes what was just found to have this address, so that it is not hashed again. */
export const withAddress = <T>(artifact: T, address: string): T => {
  const frozen = deepFreeze(artifact);
  if (typeof frozen === 'object' && frozen !== null) addresses.set(frozen, address);
  return frozen;
};

/** Freezes `copy`, which holds what `artifact` does, and lets it have the address that is known of it. */
export const sameArtifact = <T extends object>(artifact: T, copy: T): T => {
  const frozen = deepFreeze(copy);
  addresses.set(frozen, addressOf(artifact));
  return frozen;
};
