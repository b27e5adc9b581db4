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

/** Asks a part, answering with one of `answers` after the other; the last one is the answer. */
const asking = async (part: Part, answers: readonly object[], known: readonly Issue[]): Promise<Asked> => {
  let messages: readonly ChatMessage[] = [];
  const said = answers.map((answer) => JSON.stringify(answer));
  let round = 0;
  const model: ModelClient = {
    model: 'expert',
    chat: (request) => {
      messages = request.messages;
      return Promise.resolve({ content: said[round++] ?? '', calls: [], finish: 'stop' });
    },
  };
  const desk = deskOf(
    model,
    meterOf({ rounds: answers.length, tokens: 1e9, answer: 1e8 }),
    openConversation(undefined, { model: 'expert', request: '' }),
    () => undefined,
  );
  const left = await askPart(desk, part, known);
  const shape = part.answer.safeParse(answers.at(-1));
  if (!shape.success) left.push({ at: part.id, why: shape.error.issues[0]?.message ?? 'not of the form' });
  return { messages, answer: said.at(-1) ?? '', left };
};

/** Asks one part once; `known` is what was wrong with the world, as the author sends it. The part's own state takes the answer in. */
export const askExpert = (part: Part, answer: object, known: readonly Issue[] = []): Promise<Asked> =>
  asking(part, [answer], known);

/** As `askExpert`, after a first answer sent back with `issues` of the oracle; undefined: with what the reader itself says. */
export const askRepair = async (
  part: Part,
  wrong: object,
  issues: readonly Issue[] | undefined,
  answer: object,
): Promise<Asked> => {
  let said = 0;
  const judged: Part = { ...part, read: (value) => (said++ === 0 && issues ? [...issues] : part.read(value)) };
  return asking(judged, [wrong, answer], []);
};
