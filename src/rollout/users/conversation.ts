/** The user's side of a rollout: the request at once, or a simulated user's, with where each stage lies in the trace. */
import type { Dialogue, Message, StageMark, UserTurn } from '../../artifacts/trace.js';
import type { SimulatedUser, Utterance } from './user.js';

/** A stage that has just ended, while the host still stands as it left it. */
export interface EndedStage {
  node: string;
  /** The reply that ended it: the answer, where the stage asks something. */
  reply: string;
  /** Calls in the ledger by then. */
  calls: number;
}

export interface Conversation {
  /** Adds the first request to the messages. */
  begin(messages: Message[], signal?: AbortSignal): Promise<void>;
  /** The user's answer to a reply; how the conversation is over, where it is. */
  hear(
    reply: { text: string; isAnswer: boolean },
    messages: Message[],
    calls: number,
    signal?: AbortSignal,
  ): Promise<'ends' | 'leaves' | undefined>;
  /** The index of the stage that is asked for. */
  stage(): number;
  /** `calls`: entries of the ledger at the end of the rollout. */
  dialogue(calls: number): Dialogue;
}

/** A conversation with a simulated user. `onEnd` hears of each ended stage before the next request is made. */
export const conversationWith = (user: SimulatedUser, onEnd?: (stage: EndedStage) => void): Conversation => {
  const turns: UserTurn[] = [];
  const stages: StageMark[] = [];
  const say = (messages: Message[], { text, turn }: Utterance, calls: number): void => {
    if (turn.act === 'requests') stages.push({ node: turn.stage, asked: messages.length, calls });
    turns.push({ message: messages.length, ...turn });
    messages.push({ role: 'user', content: text });
  };
  return {
    begin: async (messages, signal) => say(messages, await user.begin(messages, signal), 0),
    hear: async ({ text, isAnswer }, messages, calls, signal) => {
      const at = user.at().node;
      const { ended, says, over } = await user.reply(text, isAnswer, messages, signal);
      const mark = stages.at(-1);
      const last = messages.length - 1;
      if (ended !== undefined && mark) {
        mark.ended = last;
        mark.calls = calls;
        onEnd?.({ node: ended, reply: text, calls });
      }
      if (over) turns.push({ message: last, stage: at, act: over, facts: [], by: 'rules' });
      if (says) say(messages, says, calls);
      return over;
    },
    stage: () => user.at().stage,
    dialogue: (calls) => ({
      persona: user.persona,
      ...(user.model === undefined ? {} : { model: user.model }),
      turns,
      stages: stages.map((mark) => (mark.ended === undefined ? { ...mark, calls } : mark)),
    }),
  };
};
