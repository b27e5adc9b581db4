/** Reading the arguments a model wrote for a tool call. */
import type { Json } from '../kit/hash.js';

export type ReadArguments = { ok: true; args: Record<string, Json> } | { ok: false; raw: string; why: string };

/** A JSON object, or why it is none. Nothing at all means no arguments. */
export const readArguments = (raw: string): ReadArguments => {
  if (raw.trim() === '') return { ok: true, args: {} };
  try {
    const value = JSON.parse(raw) as Json;
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ok: true, args: value };
    return {
      ok: false,
      raw,
      why: `the arguments are ${Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`}, an object is wanted`,
    };
  } catch (error) {
    return { ok: false, raw, why: `the arguments are not JSON: ${(error as Error).message}` };
  }
};
