/** Disclosure of a request: its texts, what the user can say beyond them, and what the user cannot say. */
import type { Disclosure, Fact, Stage } from '../../artifacts/disclosure.js';
import type { Rng } from '../../kit/rng.js';
import type { Candidate } from '../atomic/candidate.js';
import type { Ground } from '../ground/ground.js';
import { looseBriefs } from './briefs.js';
import { factsOf } from './facts.js';
import { formsOf, givenIn } from './forms.js';
import { looseWords } from './loose.js';
import { personaOf } from './persona.js';
import { unknownOf } from './unknown.js';

/** Adds to each binding's facts the words by which it could be meant less explicitly. */
const withLoose = (ground: Ground, candidate: Candidate, facts: readonly Fact[], random: Rng): Fact[] => {
  const loose = candidate.bindings.flatMap((binding) => {
    const found = looseWords(ground, binding, random.stream(binding.name));
    return found ? [{ ...found, binding: binding.name }] : [];
  });
  return facts.map((fact) => {
    const own = loose.find(({ binding, col }) =>
      fact.feeds.some((feed) => 'binding' in feed && feed.binding === binding && feed.col === col),
    );
    return own ? { ...fact, loose: own.words } : fact;
  });
};

/**
 * One stage's disclosure from the candidate that it is made of. Feeds name the candidate's own bindings and calls: who moves
 * those into a longer task moves the feeds too (`movedStage`). Deterministic in ground, candidate and stream.
 */
export const stageOf = (ground: Ground, candidate: Candidate, node: string, random: Rng): Stage => {
  const known = factsOf(ground, candidate);
  const forms = formsOf(ground, candidate, known, random.stream('forms'));
  const facts = known.map((fact) => ({ ...fact, given: givenIn(forms, fact.words) }));
  return {
    node,
    ...forms,
    facts: withLoose(ground, candidate, facts, random.stream('loose')),
    unknown: unknownOf(ground, candidate),
  };
};

/** The same stage inside a longer task: `call` gives the new index of a call, `binding` the new name of a binding. */
export const movedStage = (
  stage: Stage,
  call: (index: number) => number,
  binding: (name: string) => string = (name) => name,
): Stage => ({
  ...stage,
  facts: stage.facts.map((fact) =>
    typeof fact === 'string'
      ? fact
      : {
          ...fact,
          feeds: fact.feeds.map((feed) =>
            'call' in feed ? { ...feed, call: call(feed.call) } : { ...feed, binding: binding(feed.binding) },
          ),
        },
  ),
});

/** Stages in their order of asking, in one manner; `role` is the asking employee's job title. */
export const disclosureOf = (manner: string, role: string, brief: string, stages: readonly Stage[]): Disclosure => {
  const briefs = looseBriefs(brief, stages);
  return { persona: personaOf(manner, role), stages: [...stages], ...(briefs ? { briefs } : {}) };
};
