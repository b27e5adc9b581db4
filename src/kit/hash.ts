/** Canonical JSON and content addresses. Two values that mean the same have the same bytes and so the same address. */
import { hash } from 'node:crypto';
import { TreadleError } from '../errors.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const MOST_QUOTED = 5_000;
const quotedKeys = new Map<string, string>();

/** The same few hundred keys are written over and over. */
const quoted = (key: string): string => {
  const known = quotedKeys.get(key);
  if (known !== undefined) return known;
  if (quotedKeys.size >= MOST_QUOTED) quotedKeys.clear();
  const made = `${JSON.stringify(key)}:`;
  quotedKeys.set(key, made);
  return made;
};

const sortedKeys = (value: object): string[] => {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  return keys;
};

/** Texts of frozen parts that many artifacts share (a catalogue's steps, say). */
const texts = new WeakMap<object, string>();

/** Thrown on the way; where it is, is looked for only then. */
const NOT_JSON = Symbol('not JSON');

const write = (value: unknown): string => {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (!Number.isFinite(value)) throw NOT_JSON;
      return JSON.stringify(Object.is(value, -0) ? 0 : value);
    case 'object':
      return (
        texts.get(value) ?? (Array.isArray(value) ? writeList(value) : writeObject(value as Record<string, unknown>))
      );
  }
  throw NOT_JSON;
};

const writeList = (list: readonly unknown[]): string => {
  let out = '[';
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    out += i === 0 ? write(item === undefined ? null : item) : `,${write(item === undefined ? null : item)}`;
  }
  return `${out}]`;
};

const writeObject = (value: Readonly<Record<string, unknown>>): string => {
  let out = '';
  for (const key of sortedKeys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    out += out === '' ? quoted(key) : `,${quoted(key)}`;
    out += write(item);
  }
  return `{${out}}`;
};

/** What is not JSON, and where, in the order in which it is written. */
const faultIn = (value: unknown, path: string): TreadleError | undefined => {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const fault = item === undefined ? undefined : faultIn(item, `${path}[${i}]`);
      if (fault) return fault;
    }
    return undefined;
  }
  if (typeof value === 'object' && value !== null) {
    for (const key of sortedKeys(value)) {
      const item = (value as Record<string, unknown>)[key];
      const fault = item === undefined ? undefined : faultIn(item, `${path}.${key}`);
      if (fault) return fault;
    }
    return undefined;
  }
  const isJson = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  if (isJson) return undefined;
  return new TreadleError({
    code: 'not_json',
    message: `The value at ${path || 'the root'} is not JSON`,
    value: String(value),
    fault: 'input',
  });
};

/** Keys sorted by code unit, no white space, absent for undefined; throws `not_json` for NaN, functions and bigints. */
export const canonicalJson = (value: unknown): string => {
  try {
    return write(value);
  } catch (thrown) {
    throw thrown === NOT_JSON ? faultIn(value, '') : thrown;
  }
};

/** SHA-256 in lower-case hex. */
export const sha256 = (data: string | Uint8Array): string => hash('sha256', data, 'hex');

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

/** Freezes a part that many artifacts share and keeps its canonical JSON. */
export const sharedPart = <T extends object>(part: T): T => {
  const frozen = deepFreeze(part);
  texts.set(frozen, write(frozen));
  return frozen;
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
