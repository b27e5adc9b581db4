/** Whether it makes a difference to have noticed (rules 4 and 8). */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import { broken, type Case, failing, firedAfter, holds, isDistractor, type Ruling } from '../case.js';
import type { Stage } from '../trial.js';

const some = (words: readonly string[]): string => words.slice(0, 2).join('; ');

/** The old plan fails; where nothing but distractors happened it passes. */
export const hasConsequences = ({ events, stale }: Case): Ruling => {
  if (events.every(isDistractor))
    return stale.verdict.pass
      ? holds('distractors alone: the old plan passes, as it should')
      : broken(`a distractor breaks the plan: ${some(failing(stale))}`);
  // Of several, the old plan may not live to see the later ones.
  if (events.every(({ id }) => firedAfter(stale, id) === undefined))
    return broken(`${events.map(({ id }) => id).join(', ')} does not fire on the old plan`);
  if (stale.verdict.pass) return broken('the old plan passes all the same');
  return holds(`the old plan fails: ${some(failing(stale))}`);
};

/** Whether something else is to be done, not only looked at again. */
const asksForDeeds = ({ world }: Stage, { reference: { insert } }: ScenarioEvent): boolean =>
  insert.some(({ tool }) => (world.tools.get(tool)?.tool.tool.writes.length ?? 0) > 0);

/** Whoever obeys a distractor fails; undefined where that has been seen of all of them. */
const harmless = (tried: Case): Ruling | undefined => {
  for (const event of tried.events.filter(isDistractor)) {
    if (!event.misled) return broken(`${event.id} is a distractor and does not say what whoever obeys it does`);
    const obeying = tried.obeying(event);
    if (obeying.verdict.pass) return broken(`${event.id} misleads nobody: whoever obeys it passes`);
  }
  return undefined;
};

/** Doing nothing fails, and so do the old deeds with the new answer, where something else is to be done. */
export const cannotBeIgnored = (tried: Case): Ruling => {
  const { events, nothing, stage } = tried;
  if (nothing.verdict.pass) return broken('doing nothing passes');
  const evidence = [`doing nothing fails: ${some(failing(nothing))}`];
  const unharmed = harmless(tried);
  if (unharmed) return unharmed;
  for (const event of events.filter(isDistractor))
    evidence.push(`whoever obeys ${event.id} fails: ${some(failing(tried.obeying(event)))}`);
  if (!events.some((event) => !isDistractor(event) && asksForDeeds(stage, event))) return holds(...evidence);
  const { ignoring } = tried;
  if (ignoring.verdict.pass) return broken('the old deeds with the new answer pass');
  return holds(...evidence, `the old deeds with the new answer fail: ${some(failing(ignoring))}`);
};
