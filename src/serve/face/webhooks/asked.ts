/** What an address asks to hear: the events of its row against the names of a webhook. */
import { isNode } from '../../../document/node.js';
import { singular, wordsOf } from '../../../kit/words.js';
import type { Declared } from './declared.js';
import { sameWord } from './effect.js';
import { type Leaf, leafNamed } from './leaves.js';
import { meaningOf } from './meaning.js';

const EVENTS = [
  /^((enabled|subscribed|selected|registered|listened)_)?events?$/,
  /^events?_(types?|names?|enabled|subscribed|list|filter|filters|subscriptions?)$/,
  /^(topics?|triggers?|subscribed_to|subscriptions?|event_.*s)$/,
  /^(types?|categories|notifications?|notification_types?|actions?|filters?)$/,
];

const ALL = new Set(['', 'all', 'any', 'all_events', 'everything']);

/** Texts of a list, of a text with commas, of objects that name one; undefined for what names none. */
const textsOf = (value: unknown): string[] | undefined => {
  if (typeof value === 'string')
    return value
      .split(/[,;\s]+/)
      .filter(Boolean)
      .map(String);
  if (!Array.isArray(value)) return undefined;
  const texts = value.flatMap((one: unknown): string[] => {
    if (typeof one === 'string') return [one];
    if (!isNode(one)) return [];
    const named = [one.name, one.event, one.type, one.event_type, one.eventType, one.topic, one.id];
    return named.filter((text): text is string => typeof text === 'string').slice(0, 1);
  });
  return texts.length === value.length ? texts : undefined;
};

const joined = (text: string): string => wordsOf(text).join(' ');

const nounOf = (words: readonly string[]): string => wordsOf(singular(words.join('_'))).join(' ');

/** `customer.*`, `customer` and `*` ask for more than one; `orders/create` is `orderCreated`. */
const asksFor = (asked: string, { name, aliases, meaning }: Declared): boolean => {
  const said = joined(asked);
  if (ALL.has(said)) return true;
  const names = [name, ...aliases].map(joined);
  if (names.includes(said)) return true;
  if (/\*/.test(asked)) return names.some((one) => one === said || one.startsWith(`${said} `));
  const own = meaningOf(asked);
  const noun = nounOf(meaning.noun);
  if (own.word === undefined) return noun !== '' && nounOf(own.noun) === noun;
  if (nounOf(own.noun) !== noun) return false;
  const [change] = own.changes;
  return change === undefined
    ? meaning.word !== undefined && sameWord(own.word, meaning.word)
    : meaning.changes.has(change);
};

/** Whether a row that says so of events is told of the webhook. One that names none asks for all. */
export const isAsked = (leaves: readonly Leaf[], declared: Declared): boolean => {
  const events = leafNamed(leaves, EVENTS, (value) => (textsOf(value)?.length ?? 0) > 0);
  return events === undefined || (textsOf(events.value) as string[]).some((asked) => asksFor(asked, declared));
};
