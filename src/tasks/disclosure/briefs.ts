/** The whole brief where nobody can be asked: only what the world lets be looked up is said less explicitly. */
import type { Disclosure, Fact, Stage } from '../../artifacts/disclosure.js';
import { says } from './holds.js';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Puts the looser words where the exact ones stand, with the preposition that they need; undefined where that reads wrong. */
const loosened = (brief: string, { words, loose }: Fact): string | undefined => {
  if (loose === undefined) return undefined;
  // A sum that already is about something, or a date behind no `on`, stays as it is.
  const isMonth = /^\p{Lu}\p{L}+ \d{4}$/u.test(loose);
  const pattern = new RegExp(`${isMonth ? '\\bon ' : ''}${escaped(words)}(?![\\p{L}\\p{N}])`, 'gu');
  if (!pattern.test(brief)) return undefined;
  const out = brief.replace(pattern, () => (isMonth ? `in ${loose}` : loose));
  return says(out, words) ? undefined : out.replace(/\ban amount of about/g, 'an amount of about');
};

const factsIn = (stages: readonly Stage[]): Fact[] =>
  stages.flatMap(({ facts }) => facts.filter((fact): fact is Fact => typeof fact !== 'string'));

/** Words that also stand for something that cannot be said so: another stage's value, a longer name. */
const isOnlyHere = (fact: Fact, facts: readonly Fact[]): boolean =>
  facts.every((other) => other.loose === fact.loose || !says(other.words, fact.words));

/** Partial loosens every second fact that can be, vague all; undefined where none can be. */
export const looseBriefs = (brief: string, stages: readonly Stage[]): Disclosure['briefs'] => {
  let [partial, vague, n] = [brief, brief, 0];
  const facts = factsIn(stages);
  for (const fact of facts) {
    const next = isOnlyHere(fact, facts) ? loosened(vague, fact) : undefined;
    if (next === undefined) continue;
    vague = next;
    if (n++ % 2 === 1) partial = loosened(partial, fact) ?? partial;
  }
  return vague === brief ? undefined : { partial, vague };
};
