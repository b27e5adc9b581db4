/** What events have to do with the task: it is changed by them where they say so, and only there (rules 3 and 9). */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import { affectedChecks, isFrame, writtenPlaces } from '../../verifier/footprints.js';
import { broken, type Case, holds, isDistractor, type Ruling } from '../case.js';

const revisedBy = ({ checks: { retire, replace } }: ScenarioEvent): string[] => [
  ...retire,
  ...replace.map(({ id }) => id),
];

const ofOne = ({ stage: { task }, solved }: Case, event: ScenarioEvent): Ruling => {
  const { id, checks, effect, source } = event;
  const declared = revisedBy(event);
  const touched = affectedChecks(
    task.milestones,
    writtenPlaces(solved.engine.log.find((entry) => entry.event === id)?.touched ?? []),
  );
  const changesGoal =
    source === 'requirement' || checks.answer !== undefined || declared.length + checks.add.length > 0;
  if (isDistractor(event)) {
    if (changesGoal) return broken(`${id} is a distractor, and a distractor revises no check`);
    if (touched.length > 0) return broken(`${id} is a distractor, and meets what ${touched.join(', ')} read`);
    return holds(`${id} is a distractor: no check reads what it writes`);
  }
  if (!changesGoal && touched.length === 0 && !('fault' in effect))
    return broken(`${id}: nothing that is asked reads what it writes, and the goal stays`);
  const missing = touched.find((check) => !declared.includes(check));
  if (missing !== undefined) return broken(`${id} meets what ${missing} reads and does not revise it`);
  if ('fault' in effect) return holds(`${id} strikes ${effect.fault.tool}, which the reference calls`);
  const revised = [...declared, ...checks.add.map((check) => check.id), ...(checks.answer ? ['the answer'] : [])];
  return holds(
    `${id} revises ${revised.join(', ') || 'nothing'}; what it writes is read by ${touched.join(', ') || 'no check'}`,
  );
};

export const matters = (tried: Case): Ruling => {
  const rulings = tried.events.map((event) => ofOne(tried, event));
  return rulings.find(({ pass }) => !pass) ?? holds(...rulings.flatMap(({ evidence }) => evidence));
};

/** Checks that no event touches are the same, and hold. */
export const leavesTheRest = ({ events, solved, stage: { task } }: Case): Ruling => {
  const revised = new Set(events.flatMap((event) => [...revisedBy(event), ...event.checks.add.map(({ id }) => id)]));
  const hasOtherAnswer = events.some(({ checks }) => checks.answer !== undefined);
  const rest = task.milestones
    .flatMap(({ checks }) => checks)
    .filter((check) => !revised.has(check.id) && !isFrame(check));
  const kept = new Set(solved.revision.kept);
  const changed = rest.find(({ id, kind }) => !kept.has(id) && !(kind === 'answer' && hasOtherAnswer));
  if (changed) return broken(`${changed.id} is not what it was`);
  const lost = solved.verdict.milestones
    .flatMap(({ checks }) => checks)
    .find(({ check, pass }) => !revised.has(check) && !pass);
  if (lost) return broken(`${lost.check} fails: ${lost.evidence}`);
  return holds(`${rest.length} checks are the same objects as before, and hold; ${revised.size} are revised`);
};
