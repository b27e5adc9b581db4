/** One question to the model, answered in a form. What cannot be read is asked for once more, with what is wrong. */
import type { z } from 'zod';
import { type Desk, turn } from '../../author/model/desk.js';
import { readLenient } from '../../author/model/text/lenient.js';
import type { ChatMessage } from '../../models/types.js';

const MOST_ASKED = 2;
const MOST_REPEATED = 3_000;

export interface Asking<T> {
  /** For the log and for the schema's name. */
  part: string;
  system: string;
  prompt: string;
  /** What endpoints are asked to keep to. */
  form: z.ZodType;
  /** What is taken of an answer. */
  read: z.ZodType<T>;
}

export type Said<T> = { value: T } | { why: string };

const readReply = <T>(read: z.ZodType<T>, content: string): Said<T> => {
  const found = readLenient(content);
  if ('why' in found) return found;
  const parsed = read.safeParse(found.value);
  if (parsed.success) return { value: parsed.data };
  const issue = parsed.error.issues[0];
  return { why: `${issue?.path.join('.') || 'the answer'}: ${issue?.message ?? 'not of the asked form'}` };
};

/** The answer, or why there is none: budget, endpoint, or nothing that can be read. Throws what an endpoint says that never answered. */
export const ask = async <T>(desk: Desk, { part, system, prompt, form, read }: Asking<T>): Promise<Said<T>> => {
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: `Part: ${part}\n${prompt}` },
  ];
  let last: Said<T> = { why: 'it was not asked' };
  for (let round = 1; round <= MOST_ASKED; round++) {
    desk.say(part);
    const said = await turn(desk, { part, round, messages: [...messages], answer: form });
    if (!said.ok) return { why: desk.ended?.why ?? said.code };
    const { content } = said.reply;
    last = readReply(read, content);
    if ('value' in last) return last;
    messages.push(
      { role: 'assistant', content: content.slice(0, MOST_REPEATED) },
      {
        role: 'user',
        content: `Not right: ${last.why}. Answer with one JSON object of the asked form and nothing else.`,
      },
    );
  }
  return last;
};
