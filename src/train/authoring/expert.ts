/** A model that knows the answer: parts are asked through the author's own desk, so that prompts and judgement are its own. */
import { askPart, type Part } from '../../author/model/ask.js';
import { meterOf } from '../../author/model/budget.js';
import { openConversation } from '../../author/model/conversation.js';
import { deskOf } from '../../author/model/desk.js';
import type { Issue } from '../../author/model/types.js';
import type { ChatMessage, ModelClient } from '../../models/types.js';

export interface Asked {
  messages: readonly ChatMessage[];
  answer: string;
  /** What the author's reader finds wrong with the answer; none when it is right. */
  left: Issue[];
}

/** Asks one part once; `known` is what was wrong with the world, as the author sends it. The part's own state takes the answer in. */
export const askExpert = async (part: Part, answer: object, known: readonly Issue[] = []): Promise<Asked> => {
  let messages: readonly ChatMessage[] = [];
  const content = JSON.stringify(answer);
  const model: ModelClient = {
    model: 'expert',
    chat: (request) => {
      messages = request.messages;
      return Promise.resolve({ content, calls: [], finish: 'stop' });
    },
  };
  const desk = deskOf(
    model,
    meterOf({ rounds: 1, tokens: 1e9, answer: 1e8 }),
    openConversation(undefined, { model: 'expert', request: '' }),
    () => undefined,
  );
  const left = await askPart(desk, part, known);
  const shape = part.answer.safeParse(answer);
  if (!shape.success) left.push({ at: part.id, why: shape.error.issues[0]?.message ?? 'not of the form' });
  return { messages, answer: content, left };
};
