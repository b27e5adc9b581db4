/** The tool by which an agent lets virtual time pass, where a scenario offers it. */
import { z } from 'zod';
import { addressOf } from '../../kit/hash.js';
import type { WovenAnswer } from '../../serve/sessions/woven.js';
import type { SessionTool } from '../../serve/tool-host.js';

/** A month: who waits longer waits for nothing. */
const MOST_SECONDS = 31 * 86_400;

const inputSchema = {
  type: 'object',
  properties: { seconds: { type: 'integer', minimum: 1, maximum: MOST_SECONDS, description: 'How long at most.' } },
  required: ['seconds'],
  additionalProperties: false,
};
const description =
  'Wait until something happens, or until so many seconds have passed. Nothing else is done meanwhile.';

export const WAIT: SessionTool = {
  service: '',
  name: 'wait',
  description,
  inputSchema,
  outputSchema: { type: 'object', properties: { waited_seconds: { type: 'integer' } }, required: ['waited_seconds'] },
  readOnly: true,
  destructive: false,
  version: addressOf({ wait: description, inputSchema }),
};

/** As a listing: the same array each time, for servers keep what they render of one. */
export const WAITING: readonly SessionTool[] = [WAIT];

const Args = z.strictObject({ seconds: z.number().int().min(1).max(MOST_SECONDS) });

/** `next`: virtual seconds until something may happen by the clock; undefined: nothing will. */
export const waited = (args: unknown, next: number | undefined): WovenAnswer => {
  const read = Args.safeParse(args);
  if (!read.success)
    return {
      ok: false,
      result: {
        error: { code: 'invalid_argument', message: `wait takes seconds, a whole number from 1 to ${MOST_SECONDS}.` },
      },
      error: { code: 'invalid_argument', fault: 'agent', status: 422 },
      touched: [],
    };
  const seconds = Math.min(read.data.seconds, next ?? Number.POSITIVE_INFINITY);
  return { ok: true, result: { waited_seconds: seconds }, touched: [], seconds };
};
