/** Errors on their way from one process to another: a TreadleError arrives as what it was, all else as a defect that says no more than its words. */
import { z } from 'zod';
import { asTreadleError, TreadleError } from '../../../errors.js';

const FAULTS = ['agent', 'policy', 'user', 'input', 'world', 'task', 'verifier', 'model', 'infrastructure'] as const;

const Failure = z.object({
  code: z.string(),
  message: z.string(),
  value: z.unknown().optional(),
  next: z.string().optional(),
  fault: z.enum(FAULTS),
  isRetryable: z.boolean(),
});

/** Characters of a failure's value, and of its words, that are sent. */
const MOST = 65_536;

const sendable = (value: unknown): unknown => {
  try {
    const text = JSON.stringify(value);
    return text === undefined || text.length <= MOST ? value : text.slice(0, MOST);
  } catch {
    // A bigint, or an object that holds itself.
    return String(value).slice(0, MOST);
  }
};

/** JSON text. A value that cannot be sent is sent as its words. */
export const failureText = (thrown: unknown): string => {
  const { code, message, value, next, fault, isRetryable } = asTreadleError(thrown, 'infrastructure');
  return JSON.stringify({ code, message: message.slice(0, MOST), value: sendable(value), next, fault, isRetryable });
};

/** Undefined where the text says no failure. */
export const failureOf = (value: unknown): TreadleError | undefined => {
  const parsed = Failure.safeParse(value);
  if (!parsed.success) return undefined;
  const { next, ...rest } = parsed.data;
  return new TreadleError({ ...rest, ...(next === undefined ? {} : { next }) });
};
