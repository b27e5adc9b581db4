/** One turn with the model: asked in the strictest form that the endpoint takes, counted, kept, and found again after a break. */
import { APIError } from 'openai';
import { z } from 'zod';
import { asTreadleError, type TreadleError } from '../../errors.js';
import type { ChatMessage, ChatReply, ModelClient, Sampling } from '../../models/types.js';
import type { Meter } from './budget.js';
import { type Conversation, turnKey } from './conversation.js';

/** How the answer's form is asked for: by schema, as some JSON object, or in words only. */
const FORMS = ['json_schema', 'json_object', 'text'] as const;
type Form = (typeof FORMS)[number];

/** Calls in a row that may bring no answer; the client has tried each several times already. */
const MOST_MISSES = 3;

export interface Desk {
  model: ModelClient;
  meter: Meter;
  conversation: Conversation;
  form: Form;
  /** Newer endpoints call it otherwise. */
  limitName: 'max_tokens' | 'max_completion_tokens';
  misses: number;
  turns: number;
  answers: number;
  /** Set when nothing more can be asked. */
  ended?: { code: string; why: string };
  say: (line: string) => void;
}

export const deskOf = (
  model: ModelClient,
  meter: Meter,
  conversation: Conversation,
  say: (line: string) => void,
): Desk => ({
  model,
  meter,
  conversation,
  form: 'json_schema',
  limitName: 'max_tokens',
  misses: 0,
  turns: 0,
  answers: 0,
  say,
});

export interface Question {
  /** For the log and for the schema's name: `tables.lending`. */
  part: string;
  round: number;
  messages: ChatMessage[];
  answer: z.ZodType;
}

const formatOf = (form: Form, { part, answer }: Question): Sampling => {
  if (form === 'text') return {};
  if (form === 'json_object') return { response_format: { type: 'json_object' } };
  const { $schema: _, ...schema } = z.toJSONSchema(answer);
  const name = part.replace(/\W+/g, '_').slice(0, 60);
  return { response_format: { type: 'json_schema', json_schema: { name, schema: schema as never } } };
};

/** Whether the refusal may come from how we asked; then it is asked in a plainer form. */
const plainer = (desk: Desk, error: TreadleError): boolean => {
  const status = error.cause instanceof APIError ? error.cause.status : undefined;
  if (error.code !== 'endpoint_rejected' || status === undefined || ![400, 415, 422, 501].includes(status))
    return false;
  if (desk.limitName === 'max_tokens' && /max_completion_tokens/.test(error.message)) {
    desk.limitName = 'max_completion_tokens';
    return true;
  }
  const next = FORMS[FORMS.indexOf(desk.form) + 1];
  if (next === undefined) return false;
  desk.form = next;
  return true;
};

export type Turn = { ok: true; reply: ChatReply } | { ok: false; code: string };

/** What the failure means: `again`, a turn without an answer, or the end. */
const afterFailure = (desk: Desk, question: Question, key: string, error: TreadleError): 'again' | Turn => {
  if (error.code === 'cut') throw error;
  if (plainer(desk, error)) return 'again';
  const { code, message } = error;
  desk.conversation.write({
    kind: 'failed',
    part: question.part,
    round: question.round,
    nth: desk.misses,
    key,
    error: { code, message },
  });
  desk.meter.miss();
  if (code === 'context_exceeded') return { ok: false, code };
  desk.misses++;
  if (error.isRetryable && desk.misses < MOST_MISSES) return 'again';
  // Without a single answer there is nothing to keep: the endpoint's own words are what helps.
  if (desk.answers === 0) throw error;
  desk.ended = { code, why: message };
  return { ok: false, code };
};

const charsOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { content }) => sum + content.length, 0);

/** One answer. `ok: false` when the budget or the endpoint ended it (see `desk.ended`) or the context was exceeded. */
export const turn = async (desk: Desk, question: Question): Promise<Turn> => {
  const { messages, part, round } = question;
  const key = turnKey(desk.model.model, messages);
  const chars = charsOf(messages);
  while (!desk.ended) {
    const room = desk.meter.room(chars);
    if ('why' in room) {
      desk.ended = { code: 'budget', why: room.why };
      break;
    }
    const recalled = desk.conversation.recall(key);
    let reply: ChatReply;
    try {
      const sampling = { ...formatOf(desk.form, question), [desk.limitName]: room.tokens };
      reply = recalled ?? (await desk.model.chat({ messages, tools: [], sampling }));
    } catch (thrown) {
      const after = afterFailure(desk, question, key, asTreadleError(thrown, 'infrastructure', 'model_failed'));
      if (after === 'again') continue;
      return after;
    }
    desk.misses = 0;
    desk.answers++;
    desk.meter.count(chars, reply);
    const { content, reasoning, finish, usage } = reply;
    const kept = { content, ...(reasoning ? { reasoning } : {}), finish, ...(usage ? { usage } : {}) };
    desk.conversation.write({ kind: 'turn', n: desk.turns++, part, round, key, messages, reply: kept });
    return { ok: true, reply };
  }
  return { ok: false, code: desk.ended?.code ?? 'ended' };
};
