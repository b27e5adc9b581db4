/** A model that words what the rules decide to say; its words are taken only where a check proves that they say the same. */
import type { Task } from '../../artifacts/task.js';
import type { Message } from '../../artifacts/trace.js';
import type { ChatMessage, ModelClient } from '../../models/types.js';
import { faultOf, secretsOf } from '../../tasks/disclosure/check.js';
import type { Known, KnownStage } from './known.js';
import { pendingFacts, type Said, stageAt, type UserState } from './rules.js';

/** Words one thing; undefined `refused` means that the words are the model's. */
export type Voice = (
  said: Said,
  state: UserState,
  messages: readonly Message[],
  signal?: AbortSignal,
) => Promise<Worded>;

export interface Worded {
  text: string;
  refused?: string;
}

const systemOf = ({ persona }: Known): string =>
  [
    `You are a person in a company, ${persona.role || 'an employee'}, who writes to an assistant (${persona.manner}; ${persona.tone}, ${persona.verbosity}, ${persona.register} register).`,
    'You are told what your next message has to say. Write that message in your own words, as such a person would, in one to four sentences.',
    'Say nothing beyond it: no further details, no ids, no answers, no figures or names of your own. Reply with the message alone.',
  ].join('\n');

const spoken = (messages: readonly Message[]): string =>
  messages
    .filter(({ role, content }) => (role === 'user' || role === 'assistant') && content !== '')
    .slice(-6)
    .map(({ role, content }) => `${role === 'user' ? 'You' : 'Assistant'}: ${content}`)
    .join('\n');

const taskOf = (said: Said, must: readonly string[], messages: readonly Message[]): string =>
  [
    ...(messages.length > 1 ? ['The conversation so far:', spoken(messages), ''] : []),
    'Your next message has to say this:',
    said.text,
    ...(must.length > 0
      ? ['', 'These words must be in it exactly as they are:', ...must.map((words) => `- ${words}`)]
      : []),
  ].join('\n');

/** Words of facts that may not be said yet: what is still to be asked for, and all of later stages. */
const withheld = (known: Known, state: UserState, said: Said): string[] => {
  const pending = pendingFacts(known, state).filter(({ id }) => !said.facts.includes(id));
  const later = known.stages.slice(state.stage + 1).flatMap(({ facts }) => facts);
  return [...pending, ...later].map(({ words }) => words);
};

/** What has been said of the stage by now. */
const mentioned = ({ request, facts }: KnownStage, { told }: UserState): string[] => [
  request,
  ...facts.filter(({ id }) => told.includes(id)).flatMap(({ words, says }) => [words, says]),
];

/** Throws what the endpoint throws. */
export const modelVoice = (client: ModelClient, task: Task, known: Known): Voice => {
  const secret = secretsOf(task);
  return async (said, state, messages, signal) => {
    const stage = stageAt(known, state);
    const must = stage.facts.filter(({ id }) => said.facts.includes(id)).map(({ words }) => words);
    const request: ChatMessage[] = [
      { role: 'system', content: systemOf(known) },
      { role: 'user', content: taskOf(said, must, messages) },
    ];
    const { content } = await client.chat({ messages: request, tools: [] }, signal);
    const text = content.trim();
    const bounds = {
      original: said.text,
      must,
      secret: [...secret, ...withheld(known, state, said)],
      may: [...mentioned(stage, state), task.actor.name],
    };
    const isRequest = said.act === 'requests' || said.act === 'insists';
    const fault = faultOf(text, bounds, isRequest);
    return fault === undefined ? { text } : { text: said.text, refused: fault };
  };
};
