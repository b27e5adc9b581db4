/** A stage's request in three degrees of explicitness. */
import type { Detail, Fact } from '../../artifacts/disclosure.js';
import type { Rng } from '../../kit/rng.js';
import type { Candidate } from '../atomic/candidate.js';
import type { Ground } from '../ground/ground.js';
import { type Plain, together } from '../words/together.js';
import { asked, requested } from '../words/tone.js';
import { type Fewer, isPlain, type Share, sayLess, shorterText } from './fewer.js';
import { says } from './holds.js';

/** What tells that there is more to know than the request says. */
const OFFERS = [
  'Ask me for whatever you need to know.',
  'I can give you the details.',
  'Tell me what you need to know.',
  'I have the details here.',
];

/** `What is the due date of ...?` in the manner of `persona`. */
const askedBy = (asks: string, persona: string, random: Rng): string => {
  const thing = /^What (?:is|are) ([^?]+)\?$/.exec(asks)?.[1];
  return thing === undefined ? asks : asked(thing, persona, random);
};

const worded = (plain: Plain, persona: string, random: Rng, offer: string): string => {
  if ('asks' in plain) return [askedBy(plain.asks, persona, random), offer].filter(Boolean).join(' ');
  return requested(plain.does, persona, random, [plain.tail, offer].filter(Boolean).join(' '));
};

const plainOf = (part: Candidate): Fewer => ({ plain: part.plain, hidesValues: false });

/** The text in which a `share` of the facts is said; the full request where fewer words would say something else. */
const textOf = (ground: Ground, candidate: Candidate, share: Share, random: Rng): string => {
  const { persona, request, parts } = candidate;
  const offer = random.pick(OFFERS);
  if (!parts && !isPlain(candidate)) return shorterText(ground, candidate, share) ?? request;
  if (!parts) {
    const less = sayLess(ground, candidate, share, random);
    return less ? worded(less.plain, persona, random, less.hidesValues ? offer : '') : request;
  }
  const less = parts.map((part) => sayLess(ground, part, share, random) ?? plainOf(part));
  const [first, second] = less as [Fewer, Fewer];
  const both = together(first.plain, second.plain, persona, random);
  if (both === undefined) return request;
  return less.some(({ hidesValues }) => hidesValues) ? `${both} ${offer}` : both;
};

export interface Forms {
  full: string;
  partial: string;
  vague: string;
}

/** A less explicit text never says more than a more explicit one does. */
export const formsOf = (ground: Ground, candidate: Candidate, facts: readonly Fact[], random: Rng): Forms => {
  const full = candidate.request;
  const partial = textOf(ground, candidate, 'half', random.stream('partial'));
  const vague = textOf(ground, candidate, 'none', random.stream('vague'));
  const lacks = (text: string, other: string): boolean =>
    facts.some(({ words }) => says(other, words) && !says(text, words));
  // A fact that fewer words say and more words do not: then the fewer words hold for both.
  const middle = lacks(partial, vague) ? vague : partial;
  return { full, partial: lacks(full, middle) ? full : middle, vague: lacks(full, vague) ? full : vague };
};

/** In which detail a fact is said at once. */
export const givenIn = ({ partial, vague }: Forms, words: string): Detail =>
  says(vague, words) ? 'vague' : says(partial, words) ? 'partial' : 'full';
