/** Why a text cannot be read as an API document: a sentence and a next step for each code. */
import { TreadleError } from '../errors.js';

const NEXT = {
  not_openapi: 'Give an OpenAPI 2.0, 3.0 or 3.1 document as JSON or YAML.',
  truncated: 'Fetch the document again: its end is missing.',
  too_large: 'Split the document by product, or raise the size limit.',
} as const;

export type UnreadableCode = keyof typeof NEXT;

export const isUnreadable = (code: string): code is UnreadableCode => Object.hasOwn(NEXT, code);

export const unreadableNext = (code: UnreadableCode): string => NEXT[code];

export const unreadable = (code: UnreadableCode, message: string, value?: unknown): TreadleError =>
  new TreadleError({ code, message, value, next: NEXT[code], fault: 'input' });
