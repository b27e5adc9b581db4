/** JSON from the wire: bounded in depth, without keys that mean something to JavaScript itself. */
import type { Json } from '../../../kit/hash.js';

export const DEEPEST_JSON = 100;

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = new Set([91, 123]);
const CLOSE = new Set([93, 125]);

/** Nesting of brackets outside of strings, as far as it has to be read to know that it is more than `most`. */
export const isDeeper = (text: string, most: number): boolean => {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
    } else if (OPEN.has(code)) {
      if (++depth > most) return true;
    } else if (CLOSE.has(code)) depth--;
  }
  return false;
};

/** `__proto__` would change what an object is once a program copies it; no API has such a property, so it is left out as unknown ones are. */
const withoutProto = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value);

const mayHoldProto = (text: string): boolean => text.includes('__proto__') || text.includes('\\u');

/** Of a key written twice the last counts. */
export const parseJson = (text: string, deepest = DEEPEST_JSON): { value: Json } | { why: string } => {
  if (isDeeper(text, deepest)) return { why: `The JSON is nested more than ${deepest} deep` };
  try {
    return { value: JSON.parse(text, mayHoldProto(text) ? withoutProto : undefined) as Json };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { why: `The JSON cannot be read: ${message.slice(0, 160)}` };
  }
};
