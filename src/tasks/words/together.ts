/** Two things asked for in one message: sentences from data/wording.yaml, in the manner of whoever writes. */
import type { Rng } from '../../kit/rng.js';
import { capital, closed } from './grammar.js';
import { wording } from './lexicon.js';
import { requested } from './tone.js';

/** A request without anybody's manner: an imperative without its stop and what is said after it, or a question. */
export type Plain = { does: string; tail: string } | { asks: string };

type Doing = Extract<Plain, { does: string }>;

/** A sentence's first letter small, unless the word keeps it: `I`, `IBAN`. */
const small = (sentence: string): string =>
  /^(I\b|\p{Lu}{2})/u.test(sentence) ? sentence : sentence.charAt(0).toLowerCase() + sentence.slice(1);

const spaced = (...sentences: string[]): string => sentences.filter((sentence) => sentence !== '').join(' ');

const filled = (form: string, parts: Record<string, string>): string =>
  capital(
    form
      .replace(/\{(\w)(\w+)\}/g, (_, first: string, rest: string) => {
        const text = parts[first.toLowerCase() + rest] ?? '';
        return first === first.toUpperCase() ? capital(text) : small(text);
      })
      .replace(/([.?!]”)\./g, '$1'),
  );

/** Forms for a question; one with a colon of its own stands behind no other. */
const formsFor = (forms: readonly string[], asks: string): readonly string[] =>
  asks.includes(': ') ? forms.filter((form) => !/: \{ask\}/i.test(form)) : forms;

const thenAsked = ({ does, tail }: Doing, asks: string, persona: string, random: Rng): string => {
  const after = formsFor(wording().together.then_ask, asks);
  const before = formsFor(wording().together.ask_first, asks);
  return random.chance(0.75)
    ? requested(does, persona, random, spaced(tail, filled(random.pick(after), { ask: closed(asks, '?') })), false)
    : spaced(filled(random.pick(before), { ask: closed(asks, '?'), do: does }), tail);
};

const thenDone = (first: Doing, second: Doing, persona: string, random: Rng): string => {
  const { then_do: after, both } = wording().together;
  if (random.chance(0.6) || first.tail !== '')
    return requested(
      first.does,
      persona,
      random,
      spaced(first.tail, filled(random.pick(after), { do: second.does }), second.tail),
      false,
    );
  return spaced(filled(random.pick(both), { one: first.does, two: second.does }), second.tail);
};

/** One message with both; undefined for two questions, to which there is no one answer. */
export const together = (first: Plain, second: Plain, persona: string, random: Rng): string | undefined => {
  if ('asks' in first) return 'asks' in second ? undefined : thenAsked(second, first.asks, persona, random);
  return 'asks' in second ? thenAsked(first, second.asks, persona, random) : thenDone(first, second, persona, random);
};
