/**
 * Rewordings that say the same, as people and models make them: whatever finds mistakes of a user must find none in these. They
 * are written without looking at how mistakes are found.
 */
import type { Rng } from '../../src/kit/rng.js';
import type { Plan } from '../../src/rollout/users/speaker.js';

type Reword = (plan: Plan, random: Rng) => string;

const lower = (text: string): string =>
  /^(?:I\b|[A-Z]{2})/.test(text) ? text : text.slice(0, 1).toLowerCase() + text.slice(1);
const bare = (text: string): string => text.trim().replace(/[.!]$/, '');

const SYNONYMS: readonly (readonly [RegExp, string])[] = [
  [/\bplease\b/gi, 'kindly'],
  [/\bCould you\b/g, 'Would you be able to'],
  [/\bcould you\b/g, 'can you'],
  [/\bCan you\b/g, 'Could you possibly'],
  [/\btell me\b/g, 'let me know'],
  [/\bI need you to\b/g, "I'd like you to"],
  [/\bI need\b/g, "I'd need"],
  [/\bWhat is\b/g, "What's"],
  [/\bdo not\b/g, "don't"],
  [/\bYes\b/g, 'Yep'],
  [/\bThank you\b/g, 'Thanks a lot'],
  [/\bThe (\w+) is\b/g, "The $1's"],
  [/\bseparately from that\b/gi, 'apart from that'],
  [/\bI have the details here\b/g, 'I can give you the details'],
];

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?])\s+(?=[A-Z“])/);

export const BENIGN: Record<string, Reword> = {
  greeted: ({ said }, random) =>
    `${random.pick(['Hi there!', 'Good morning,', 'Hello,', 'Hey,', 'Morning!'])} ${lower(said.text)}`,
  thanked: ({ said }, random) =>
    `${said.text} ${random.pick(['Thanks!', 'Many thanks in advance.', 'Cheers!', 'Thank you so much.', 'I appreciate it.'])}`,
  excused: ({ said }, random) =>
    `${random.pick(['Sorry to bother you, but', 'Sorry, I should have said:', 'Quick thing:', 'So,', 'Okay,'])} ${lower(said.text)}`,
  hedged: ({ said }, random) =>
    `${bare(said.text)}, ${random.pick(['if I remember correctly', 'I think', 'as far as I know', 'if that makes sense'])}.`,
  synonyms: ({ said }) =>
    said.text
      .split(/(“[^”]*”)/)
      .map((part) =>
        part.startsWith('“') ? part : SYNONYMS.reduce((text, [from, to]) => text.replace(from, to), part),
      )
      .join(''),
  turned: ({ said }) => sentencesOf(said.text).reverse().join(' '),
  exclaimed: ({ said }) => said.text.replace(/\.(?=\s|$)/g, '!'),
  uncapped: ({ said }) => lower(said.text),
  urgent: ({ said }, random) =>
    `${said.text} ${random.pick(['It is a bit urgent.', 'No rush.', 'I would be glad to have it soon.', 'Whenever you get to it is fine.', 'My manager is waiting for it.'])}`,
  straight_quotes: ({ said }) => said.text.replace(/[“”]/g, '"').replace(/’/g, "'"),
  offered: ({ said }, random) =>
    `${said.text} ${random.pick(['Let me know if you need anything else from me.', 'Just ask if something is unclear.', 'I am around if you have questions.', 'Tell me when it is done, please.'])}`,
  money_turned: ({ said }) => said.text.replace(/\b([A-Z]{3}) (\d[\d.,]*\d|\d)/g, '$2 $1'),
};
