/** What a speaker says for the user, looked at before it is sent: by words of its own, or by the rules' where those are wrong. */
import type { Task } from '../../artifacts/task.js';
import type { Message, UserMistake, UserTurn } from '../../artifacts/trace.js';
import { asTreadleError } from '../../errors.js';
import { secretsOf } from '../../tasks/disclosure/check.js';
import type { Known } from './known.js';
import { factsSaid, isUnfit, mistakesOf } from './mistakes.js';
import { pendingFacts, type Said, stageAt, type UserState } from './rules.js';
import { LEAVING, type Speaker } from './speaker.js';

export interface Worded extends Pick<UserTurn, 'facts' | 'by' | 'refused' | 'mistakes'> {
  text: string;
  /** The speaker ends the conversation with it. */
  leaves?: boolean;
}

export type Voice = (
  said: Said,
  state: UserState,
  messages: readonly Message[],
  signal?: AbortSignal,
) => Promise<Worded>;

/** Words as the rules have them. */
export const plainly = ({ text, facts }: Said): Worded => ({ text, facts, by: 'rules' });

const firstOf = (mistakes: readonly UserMistake[]): string => mistakes[0]?.why ?? '';

/** At most so many reasons are kept of one message. */
const MOST = 6;

/**
 * `isTrusted`: mistakes are let through and marked, the rollout is the user's fault then; only what no agent should be sent
 * (nothing, markup, thousands of characters) is still said by the rules. An endpoint that fails leaves the word to the rules as
 * well; a rollout that is called off throws.
 */
export const voiceOf = (speaker: Speaker, task: Task, known: Known, isTrusted = false): Voice => {
  const find = mistakesOf(task);
  const secret = secretsOf(task);
  return async (said, state, messages, signal) => {
    const stage = stageAt(known, state);
    const must = stage.facts.filter(({ id }) => said.facts.includes(id)).map(({ words }) => words);
    const plan = { known, state, said, must, secret, messages };
    let text: string;
    try {
      text = await speaker.say(plan, signal);
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      const { code, message } = asTreadleError(thrown, 'infrastructure', 'user_failed');
      return { ...plainly(said), refused: `${speaker.name} could not be asked: ${code}: ${message}`.slice(0, 300) };
    }
    const mistakes = find(text, plan).slice(0, MOST);
    if (mistakes.length === 0) return { text, facts: said.facts, by: speaker.by };
    if (!isTrusted || mistakes.some(isUnfit)) return { ...plainly(said), refused: firstOf(mistakes), mistakes };
    const open = [...pendingFacts(known, state), ...stage.facts.filter(({ id }) => said.facts.includes(id))];
    const facts = [...new Set(factsSaid(text, open).map(({ id }) => id))];
    const leaves = mistakes.some(({ kind }) => kind === 'ends_early');
    const own = text.replaceAll(LEAVING, '').trim();
    return { text: own || 'I have to leave it there.', facts, by: speaker.by, mistakes, ...(leaves ? { leaves } : {}) };
  };
};
