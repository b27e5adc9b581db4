/** A simulated user in a rollout: asks for one stage after the other and answers what it is asked. */
import type { Detail } from '../../artifacts/disclosure.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import type { Message, UserTurn } from '../../artifacts/trace.js';
import type { ModelClient } from '../../models/types.js';
import { type Known, knownAfter, knownOf } from './known.js';
import { briefedModel, wordingModel } from './model-speaker.js';
import { opening, openingState, type Said, stageAt, step, type UserState } from './rules.js';
import type { Speaker } from './speaker.js';
import { plainly, type Voice, voiceOf } from './voice.js';

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
  /** Who words what it says, where rules alone do not. */
  model?: string;
  isTrusted: boolean;
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
  /** What an event has it say, unasked and word for word; it knows `tells` from then on. */
  interject(text: string, tells: NonNullable<ScenarioEvent['notify']['tells']>): Utterance;
  /** Another one who stands where this one does; what either says from here on is its own. */
  fork(): SimulatedUser;
}

/** How a trace's id tells apart who words what the user says; undefined for the rules. */
export const speakerName = ({ model, isTrusted }: Pick<SimulatedUser, 'model' | 'isTrusted'>): string | undefined =>
  model === undefined ? undefined : `${model}${isTrusted ? ' (trusted)' : ''}`;

/** Where a user stands: plain data, so that a copy is another user. */
interface Standing {
  known: Known;
  state: UserState;
  /** What is to be said before the agent goes on. */
  due: Said | undefined;
}

interface Means {
  /** Words what this knowledge says; absent: rules do. */
  voice: ((known: Known) => Voice) | undefined;
  name: string | undefined;
  isTrusted: boolean;
}

/** The facts that were to be told are told only where they were said, and others are where they slipped out. */
const toldBy = (state: UserState, planned: readonly string[], facts: readonly string[]): UserState => ({
  ...state,
  told: [...new Set([...state.told.filter((id) => !planned.includes(id)), ...facts])],
});

const userAt = (means: Means, from: Standing): SimulatedUser => {
  const { name, isTrusted } = means;
  let { known, state, due } = from;
  let voice = means.voice?.(known);
  const utter = async (
    said: Said,
    messages: readonly Message[],
    signal: AbortSignal | undefined,
    mayLeave: boolean,
  ): Promise<Utterance & { leaves: boolean }> => {
    let worded = voice ? await voice(said, state, messages, signal) : plainly(said);
    if (worded.leaves && !mayLeave) {
      const { mistakes = [] } = worded;
      worded = { ...plainly(said), refused: mistakes[0]?.why ?? '', mistakes };
    }
    const { text, facts, by, refused, mistakes, leaves = false } = worded;
    state = toldBy(state, said.facts, facts);
    const turn = {
      stage: stageAt(known, state).node,
      act: said.act,
      facts,
      by,
      ...(refused === undefined ? {} : { refused }),
      ...(mistakes ? { mistakes } : {}),
    };
    return { text, turn, leaves };
  };
  return {
    persona: known.persona.manner,
    ...(name === undefined ? {} : { model: name }),
    isTrusted,
    at: () => ({ node: stageAt(known, state).node, stage: state.stage }),
    begin: async (messages, signal) => {
      if (!due) return undefined;
      // Who has asked for nothing yet cannot leave.
      const { text, turn } = await utter(due, messages, signal, false);
      due = undefined;
      return { text, turn };
    },
    reply: async (text, isAnswer, messages, signal, holds = false) => {
      const ended = stageAt(known, state).node;
      const next = step(known, state, text, isAnswer);
      state = next.state;
      const isHeld = holds && next.hasEnded;
      if (isHeld) due = next.said;
      const said = next.said && !isHeld ? await utter(next.said, messages, signal, true) : undefined;
      const over = said?.leaves ? 'leaves' : next.over;
      return {
        ...(next.hasEnded ? { ended } : {}),
        ...(said ? { says: { text: said.text, turn: said.turn } } : {}),
        ...(over ? { over } : {}),
      };
    },
    interject: (text, tells) => {
      const facts = tells.map(({ fact }) => fact);
      known = knownAfter(known, tells);
      voice = means.voice?.(known);
      state = { ...state, told: [...new Set([...state.told, ...facts])], useless: 0 };
      return { text, turn: { stage: stageAt(known, state).node, act: 'interjects', facts, by: 'rules' } };
    },
    fork: () => userAt(means, { known, state, due }),
  };
};

/** A user whose words a speaker finds. `isTrusted`: with its mistakes (`voiceOf`). */
export const spokenUser = (task: Task, detail: Detail, speaker?: Speaker, isTrusted = false): SimulatedUser => {
  const known = knownOf(task, detail);
  const voice = speaker && ((now: Known): Voice => voiceOf(speaker, task, now, isTrusted));
  return userAt(
    { voice, name: speaker?.name, isTrusted: isTrusted && speaker !== undefined },
    { known, state: openingState(known), due: opening(known) },
  );
};

/**
 * The user of one rollout: by rules, or in a model's words where one is given; a trusted model is briefed and speaks for itself.
 * Same task, detail and replies: same words.
 */
export const simulatedUser = (task: Task, detail: Detail, model?: ModelClient, isTrusted = false): SimulatedUser =>
  spokenUser(task, detail, model && (isTrusted ? briefedModel(model) : wordingModel(model)), isTrusted);
