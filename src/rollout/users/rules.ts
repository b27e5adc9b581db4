/**
 * The simulated user by rules: plain state in, what is done next out. It says what it is asked for and may say, says that it
 * does not know what it does not know, never more; its patience is bounded (weft.txt 3.1.3).
 */
import type { Fact } from '../../artifacts/disclosure.js';
import type { UserTurn } from '../../artifacts/trace.js';
import { rng } from '../../kit/rng.js';
import { hear } from './hears.js';
import type { Known, KnownStage } from './known.js';
import { afterwards, joinedUp, phrase } from './wording.js';

/** Plain data: a rollout that is forked takes a copy. */
export interface UserState {
  /** Index of the stage that is asked for. */
  stage: number;
  /** Facts said in this stage, by id. */
  told: readonly string[];
  /** Questions in a row that brought nothing new. */
  useless: number;
  insisted: boolean;
  /** Things said so far. */
  turn: number;
}

export interface Said {
  text: string;
  act: UserTurn['act'];
  facts: string[];
}

export interface Step {
  state: UserState;
  /** Absent: the conversation is over. */
  said?: Said;
  /** How it is over. */
  over?: 'ends' | 'leaves';
  /** The reply ended its stage. */
  hasEnded: boolean;
}

export const stageAt = ({ stages }: Known, { stage }: UserState): KnownStage => stages[stage] as KnownStage;

const begun = (known: Known, stage: number, turn: number): UserState => ({
  stage,
  told: [...(known.stages[stage]?.given ?? [])],
  useless: 0,
  insisted: false,
  turn,
});

const randomOf = (known: Known, { stage, turn }: UserState): ReturnType<typeof rng> =>
  rng(known.task, 'user', known.persona.manner, known.detail, String(stage), String(turn));

/** Facts of the stage that may be said by now. */
const sayableNow = (known: Known, state: UserState): Fact[] => {
  const ended = new Set(known.stages.slice(0, state.stage).map(({ node }) => node));
  return stageAt(known, state).facts.filter(({ after }) => after === undefined || ended.has(after));
};

/** Facts that are still to be said in the stage, in their order. */
export const pendingFacts = (known: Known, state: UserState): Fact[] =>
  sayableNow(known, state).filter(({ id }) => !state.told.includes(id));

export const openingState = (known: Known): UserState => begun(known, 0, 0);

const asking = (known: Known, state: UserState): Said => {
  const { request, given } = stageAt(known, state);
  const lead = state.stage === 0 ? '' : phrase('next', known.persona, randomOf(known, state));
  return { text: joinedUp(lead, request), act: 'requests', facts: [...given] };
};

/** The first request. */
export const opening = (known: Known): Said => asking(known, openingState(known));

const telling = (known: Known, state: UserState, facts: readonly Fact[], act: 'tells' | 'tells_rest'): Said => {
  const random = randomOf(known, state);
  const text = joinedUp(
    phrase(act, known.persona, random),
    ...facts.map(({ says }) => says),
    act === 'tells' ? afterwards(known.persona, random) : '',
  );
  return { text, act, facts: facts.map(({ id }) => id) };
};

const saying = (known: Known, state: UserState, act: 'does_not_know' | 'confirms' | 'insists'): Said => {
  const lead = phrase(act, known.persona, randomOf(known, state));
  if (act !== 'insists') return { text: lead, act, facts: [] };
  const { request, given, facts } = stageAt(known, state);
  const told = facts.filter(({ id }) => state.told.includes(id) && !given.has(id));
  return { text: joinedUp(lead, request, ...told.map(({ says }) => says)), act, facts: [...state.told] };
};

const goesOn = (known: Known, state: UserState): Step => {
  const stage = state.stage + 1;
  if (stage >= known.stages.length) return { state, over: 'ends', hasEnded: true };
  const next = begun(known, stage, state.turn + 1);
  return { state: next, said: asking(known, next), hasEnded: true };
};

const says = (state: UserState, said: Said, isUseful: boolean): Step => ({
  state: {
    ...state,
    told: [...new Set([...state.told, ...said.facts])],
    useless: isUseful ? 0 : state.useless + 1,
    insisted: state.insisted || said.act === 'insists',
    turn: state.turn + 1,
  },
  said,
  hasEnded: false,
});

/** Nothing new can be said to the question: patience goes down, then the rest is told, the request repeated, the end made. */
const outOfUse = (known: Known, state: UserState, otherwise: Said): Step => {
  if (state.useless + 1 < known.persona.patience) return says(state, otherwise, false);
  const pending = pendingFacts(known, state);
  if (pending.length > 0) return says(state, telling(known, state, pending, 'tells_rest'), true);
  if (!state.insisted) return says(state, saying(known, state, 'insists'), false);
  return { state, over: 'leaves', hasEnded: false };
};

/** `isAnswer`: the reply was handed in as an answer and asks nothing, whatever its words. */
export const step = (known: Known, state: UserState, reply: string, isAnswer = false): Step => {
  const { unknown } = stageAt(known, state);
  const sayable = sayableNow(known, state);
  const heard = isAnswer ? undefined : hear(reply, sayable, unknown);
  if (!heard || heard.kind === 'final') return goesOn(known, state);
  const pending = pendingFacts(known, state);
  const asked = sayable.filter(({ id }) => heard.facts.includes(id));
  const isNew = asked.some((fact) => pending.includes(fact));
  if (heard.kind === 'confirmation' && !isNew) {
    // Nobody lets somebody begin who does not know yet what is wanted.
    if (pending.length > 0) return says(state, telling(known, state, pending, 'tells_rest'), true);
    return outOfUse(known, state, saying(known, state, 'confirms'));
  }
  if (isNew) return says(state, telling(known, state, asked, 'tells'), true);
  if (asked.length === 0 && heard.isGeneral && !heard.asksUnknown && pending.length > 0)
    return says(state, telling(known, state, pending, 'tells'), true);
  if (asked.length > 0) return outOfUse(known, state, telling(known, state, asked, 'tells'));
  return outOfUse(known, state, saying(known, state, 'does_not_know'));
};
