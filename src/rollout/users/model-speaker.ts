/** Models as simulated users: one that only words what the rules decide, and one that is briefed and speaks for itself. */
import type { Message } from '../../artifacts/trace.js';
import type { ChatMessage, ModelClient } from '../../models/types.js';
import type { Known } from './known.js';
import { stageAt } from './rules.js';
import { LEAVING, type Plan, type Speaker } from './speaker.js';

const somebody = ({ persona }: Known): string =>
  `You are a person in a company, ${persona.role || 'an employee'}, who writes to an assistant (${persona.manner}; ${persona.tone}, ${persona.verbosity}, ${persona.register} register).`;

const spoken = (messages: readonly Message[]): string =>
  messages
    .filter(({ role, content }) => (role === 'user' || role === 'assistant') && content !== '')
    .slice(-6)
    .map(({ role, content }) => `${role === 'user' ? 'You' : 'Assistant'}: ${content.slice(0, 2000)}`)
    .join('\n');

const soFar = (messages: readonly Message[]): string[] =>
  messages.length > 1 ? ['The conversation so far:', spoken(messages), ''] : [];

const wordingRequest = ({ known, said, must, messages }: Plan): ChatMessage[] => [
  {
    role: 'system',
    content: [
      somebody(known),
      'You are told what your next message has to say. Write that message in your own words, as such a person would, in one to four sentences.',
      'Say nothing beyond it: no further details, no ids, no answers, no figures or names of your own. Reply with the message alone.',
    ].join('\n'),
  },
  {
    role: 'user',
    content: [
      ...soFar(messages),
      'Your next message has to say this:',
      said.text,
      ...(must.length > 0
        ? ['', 'These words must be in it exactly as they are:', ...must.map((words) => `- ${words}`)]
        : []),
    ].join('\n'),
  },
];

const bullets = (items: readonly string[]): string[] => items.map((item) => `- ${item}`);

/** The stage as somebody knows it who has to speak for himself; nothing of later stages, no id, no answer. */
const briefedRequest = ({ known, state, said, messages }: Plan): ChatMessage[] => {
  const { request, facts, unknown, given } = stageAt(known, state);
  const kept = facts.filter(({ id }) => !given.has(id));
  const isNew = said.act === 'requests';
  return [
    {
      role: 'system',
      content: [
        somebody(known),
        'What you want from the assistant now:',
        request,
        ...(kept.length > 0
          ? [
              '',
              'What you know besides; say each of these only when the assistant asks for it, and then exactly:',
              ...bullets(kept.map(({ asked, words }) => `${asked[0]}: ${words}`)),
            ]
          : []),
        ...(unknown.length > 0
          ? [
              '',
              'What you do not know (say so when asked; the assistant has to look it up):',
              ...bullets(unknown.map(({ asked }) => asked[0] as string)),
            ]
          : []),
        '',
        'Never invent anything, never contradict the above, and ask for nothing else. Write one short message as this person, and only that message.',
        `If you want to end the conversation, write ${LEAVING}.`,
      ].join('\n'),
    },
    {
      role: 'user',
      content: [
        ...soFar(messages),
        isNew ? 'Write the message in which you ask for it.' : 'Write your next message, in answer to the assistant.',
      ].join('\n'),
    },
  ];
};

const speaker = (client: ModelClient, asks: (plan: Plan) => ChatMessage[]): Speaker => ({
  name: client.model,
  by: 'model',
  say: async (plan, signal) => {
    const { content } = await client.chat({ messages: asks(plan), tools: [] }, signal);
    return content.trim();
  },
});

/** Told what to say, it chooses the words. */
export const wordingModel = (client: ModelClient): Speaker => speaker(client, wordingRequest);

/** Told what it wants and knows, it decides itself what to say. */
export const briefedModel = (client: ModelClient): Speaker => speaker(client, briefedRequest);
