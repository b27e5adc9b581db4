/** A simulated user in a rollout: asks for one stage after the other and answers what it is asked. */
import type { Detail } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import type { Message, UserTurn } from '../../artifacts/trace.js';
import type { ModelClient } from '../../models/types.js';
import { type Known, knownOf } from './known.js';
import { opening, openingState, type Said, stageAt, step, type UserState } from './rules.js';
import { modelVoice, type Voice } from './voice.js';

/** Something said, with what the trace keeps of it. */
export interface Utterance {
  text: string;
  turn: Omit<UserTurn, 'message'>;
}

export interface UserReply {
  /** The agent's reply ended this stage. */
  ended?: string;
  /** Absent: the conversation is over, at its end or before it, or the next request is held back. */
  says?: Utterance;
  over?: 'ends' | 'leaves';
}

export interface SimulatedUser {
  persona: string;
  model?: string;
  /** The node that is asked for, and how many were before it. */
  at(): { node: string; stage: number };
  /** The request that is to be made: the first, or one that was held back; undefined where none is. */
  begin(messages: readonly Message[], signal?: AbortSignal): Promise<Utterance | undefined>;
  /** `isAnswer`: the text was handed in by `submit_answer`. `holds`: where it ends its stage, the next request waits for `begin`. */
  reply(
    text: string,
    isAnswer: boolean,
    messages: readonly Message[],
    signal?: AbortSignal,
    holds?: boolean,
  ): Promise<UserReply>;
  /** Another one who stands where this one does; what either says from here on is its own. */
  fork(): SimulatedUser;
}

const uttered = async (
  known: Known,
  state: UserState,
  said: Said,
  voice: Voice | undefined,
  messages: readonly Message[],
  signal?: AbortSignal,
): Promise<Utterance> => {
  const worded = voice ? await voice(said, state, messages, signal) : { text: said.text };
  return {
    text: worded.text,
    turn: {
      stage: stageAt(known, state).node,
      act: said.act,
      facts: said.facts,
      by: voice && worded.refused === undefined ? 'model' : 'rules',
      ...(worded.refused === undefined ? {} : { refused: worded.refused }),
    },
  };
};

/** Where a user stands: plain data, so that a copy is another user. */
interface Standing {
  state: UserState;
  /** What is to be said before the agent goes on. */
  due: Said | undefined;
}

const userAt = (known: Known, voice: Voice | undefined, model: string | undefined, from: Standing): SimulatedUser => {
  let { state, due } = from;
  return {
    persona: known.persona.manner,
    ...(model === undefined ? {} : { model }),
    at: () => ({ node: stageAt(known, state).node, stage: state.stage }),
    begin: async (messages, signal) => {
      if (!due) return undefined;
      const said = await uttered(known, state, due, voice, messages, signal);
      due = undefined;
      return said;
    },
    reply: async (text, isAnswer, messages, signal, holds = false) => {
      const ended = stageAt(known, state).node;
      const next = step(known, state, text, isAnswer);
      state = next.state;
      const isHeld = holds && next.hasEnded;
      if (isHeld) due = next.said;
      return {
        ...(next.hasEnded ? { ended } : {}),
        ...(next.said && !isHeld ? { says: await uttered(known, state, next.said, voice, messages, signal) } : {}),
        ...(next.over ? { over: next.over } : {}),
      };
    },
    fork: () => userAt(known, voice, model, { state, due }),
  };
};

/** The user of one rollout: by rules, or by rules in a model's words where one is given. Same task, detail and replies: same words. */
export const simulatedUser = (task: Task, detail: Detail, model?: ModelClient): SimulatedUser => {
  const known = knownOf(task, detail);
  const voice = model ? modelVoice(model, task, known) : undefined;
  return userAt(known, voice, model?.model, { state: openingState(known), due: opening(known) });
};
