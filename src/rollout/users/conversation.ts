/** The user's side of a rollout: the request at once, or a simulated user's, with where each stage lies in the trace. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
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

export interface Hearing {
  signal?: AbortSignal;
  /** Hears of the stage that the reply ended, before the next request is made. */
  onEnd?: ((stage: EndedStage) => void) | undefined;
  /** Where the reply ends its stage, the next request waits for `begin`. */
  holds?: boolean;
}

export interface Heard {
  /** How the conversation is over. */
  over?: 'ends' | 'leaves';
  /** The stage that the reply ended. */
  ended?: EndedStage;
}

export interface Conversation {
  /** Adds the request that is to be made, the first or one that was held back; nothing where none is. */
  begin(messages: Message[], calls: number, signal?: AbortSignal): Promise<void>;
  /** Adds the user's answer to a reply. */
  hear(
    reply: { text: string; isAnswer: boolean },
    messages: Message[],
    calls: number,
    hearing?: Hearing,
  ): Promise<Heard>;
  /** Adds what an event has the user say, while the agent is at work. */
  interject(text: string, tells: NonNullable<ScenarioEvent['notify']['tells']>, messages: Message[]): void;
  /** The index of the stage that is asked for. */
  stage(): number;
  /** `calls`: entries of the ledger at the end of the rollout. */
  dialogue(calls: number): Dialogue;
  /** Another conversation that stands where this one does. */
  fork(): Conversation;
}

interface Kept {
  turns: readonly UserTurn[];
  stages: readonly StageMark[];
}

/** A conversation with a simulated user; `kept` is what has been said and ended before. */
export const conversationWith = (user: SimulatedUser, kept: Kept = { turns: [], stages: [] }): Conversation => {
  const turns = [...kept.turns];
  const stages = kept.stages.map((mark) => ({ ...mark }));
  const say = (messages: Message[], { text, turn }: Utterance, calls: number): void => {
    if (turn.act === 'requests') stages.push({ node: turn.stage, asked: messages.length, calls });
    turns.push({ message: messages.length, ...turn });
    messages.push({ role: 'user', content: text });
  };
  return {
    begin: async (messages, calls, signal) => {
      const said = await user.begin(messages, signal);
      if (said) say(messages, said, calls);
    },
    hear: async ({ text, isAnswer }, messages, calls, { signal, onEnd, holds } = {}) => {
      const at = user.at().node;
      const { ended, says, over } = await user.reply(text, isAnswer, messages, signal, holds);
      const mark = stages.at(-1);
      const last = messages.length - 1;
      const stage = ended === undefined ? undefined : { node: ended, reply: text, calls };
      if (stage && mark) {
        mark.ended = last;
        mark.calls = calls;
        onEnd?.(stage);
      }
      if (says) say(messages, says, calls);
      // Who leaves with words has said them.
      if (over)
        turns.push({
          message: says ? messages.length - 1 : last,
          stage: at,
          act: over,
          facts: [],
          by: says?.turn.by ?? 'rules',
        });
      return { ...(over ? { over } : {}), ...(stage ? { ended: stage } : {}) };
    },
    interject: (text, tells, messages) => say(messages, user.interject(text, tells), 0),
    stage: () => user.at().stage,
    dialogue: (calls) => ({
      persona: user.persona,
      ...(user.model === undefined ? {} : { model: user.model }),
      ...(user.isTrusted ? { trusted: true } : {}),
      turns: [...turns],
      stages: stages.map((mark) => (mark.ended === undefined ? { ...mark, calls } : { ...mark })),
    }),
    fork: () => conversationWith(user.fork(), { turns, stages }),
  };
};
