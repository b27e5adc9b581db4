/** A server's refusal as the TreadleError that it was over there. */
import { z } from 'zod';
import { type Fault, TreadleError } from '../../errors.js';
import type { Heard } from './transport.js';

const FAULTS = ['agent', 'policy', 'user', 'input', 'world', 'task', 'verifier', 'model', 'infrastructure'] as const;

/** Loose: a newer server may say more, or know faults that we do not. */
const Told = z.object({
  error: z.object({
    code: z.string().min(1),
    message: z.string(),
    value: z.unknown().optional(),
    next: z.string().optional(),
    fault: z
      .enum(FAULTS satisfies readonly Fault[])
      .optional()
      .catch('infrastructure'),
    isRetryable: z.boolean().optional(),
  }),
});

/** What proxies answer for a server that is away or busy. */
const PASSING = new Set([429, 502, 503, 504]);

const start = (body: Buffer): string => body.subarray(0, 200).toString('utf8');

export const badAnswer = ({ status, body }: Pick<Heard, 'status' | 'body'>, cause?: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_answer',
    message: `The server answered ${status} with something else than the trainer's API does`,
    value: start(body),
    next: 'Check that the address is that of the admin door and that no proxy answers in its place.',
    fault: 'infrastructure',
    isRetryable: PASSING.has(status),
    cause,
  });

/** The JSON of an answer; throws `bad_answer`. */
export const readJson = (heard: Heard): unknown => {
  try {
    return JSON.parse(heard.body.toString('utf8'));
  } catch (cause) {
    throw badAnswer(heard, cause);
  }
};

export const failureOf = (heard: Heard): TreadleError => {
  let value: unknown;
  try {
    value = readJson(heard);
  } catch (thrown) {
    return thrown as TreadleError;
  }
  const told = Told.safeParse(value);
  if (!told.success) return badAnswer(heard);
  const { code, message, value: offending, next, fault, isRetryable } = told.data.error;
  return new TreadleError({
    code,
    message,
    value: offending,
    ...(next !== undefined && { next }),
    fault: fault ?? 'infrastructure',
    isRetryable: isRetryable ?? PASSING.has(heard.status),
  });
};

/** Seconds that an answer asks to wait; dates are not read. */
export const retryAfterOf = ({ headers }: Heard): number | undefined => {
  const text = headers['retry-after'];
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
};
