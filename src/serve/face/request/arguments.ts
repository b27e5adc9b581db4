/** The arguments of a tool, taken from a request where its binding says they are. */
import type { Binding, FaceArg } from '../../../artifacts/face.js';
import type { Json } from '../../../kit/hash.js';
import type { DecodedRequest } from '../types.js';
import { isFile } from './files.js';

type Held = { [key: string]: Json };

const isHeld = (value: Json | undefined): value is Held =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const valueAt = (root: Json | undefined, path: readonly string[]): Json | undefined => {
  let at = root;
  for (const key of path) at = isHeld(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
};

/** A tool's arguments are plain values: of a file it gets what is in it. */
const plain = (value: Json | undefined): Json | undefined => (isFile(value) ? value.data : value);

const held = (arg: FaceArg, { params, body }: DecodedRequest): Json | undefined => {
  if (arg.in === 'body') return plain(valueAt(body, arg.at ?? []));
  const key = `${arg.in} ${arg.name ?? ''}`;
  return Object.hasOwn(params, key) ? valueAt(params[key], arg.at ?? []) : undefined;
};

/** A number's own text and back; what is neither is for the tool to refuse. */
const sent = (arg: FaceArg, request: DecodedRequest): Json | undefined => {
  const value = held(arg, request);
  if (arg.as === 'text' && typeof value === 'number') return String(value);
  return arg.as === 'number' && typeof value === 'string' && String(Number(value)) === value ? Number(value) : value;
};

/** Defined, not assigned: a property may be called `__proto__`. */
const define = (held: Held, key: string, value: Json): void => {
  Object.defineProperty(held, key, { value, enumerable: true, configurable: true, writable: true });
};

const put = (root: Held, path: readonly string[], value: Json): void => {
  let at = root;
  for (const key of path.slice(0, -1)) {
    const next = Object.hasOwn(at, key) ? at[key] : undefined;
    const held = isHeld(next) ? next : {};
    if (held !== next) define(at, key, held);
    at = held;
  }
  define(at, path.at(-1) as string, value);
};

/** What was not sent is left out; null is an argument. */
export const argumentsOf = (binding: Binding, decoded: DecodedRequest): Record<string, Json> => {
  const root: Held = {};
  for (const arg of binding.args) {
    const value = sent(arg, decoded);
    if (value !== undefined) put(root, arg.to, value);
  }
  return root;
};
