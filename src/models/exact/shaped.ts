/** An answer of a server, checked. */
import type { z } from 'zod';
import { badAnswer } from '../post.js';

/** Throws `bad_response` with the first thing that is wrong. */
export const shaped = <T>(schema: z.ZodType<T>, json: unknown): T => {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badAnswer(
    `The model endpoint's answer has another form than its kind of server gives (at ${issue?.path.join('.')}: ${issue?.message})`,
    json,
  );
};
