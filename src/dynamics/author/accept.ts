/**
 * The ten rules by which events are accepted (dynamics.md, "An event is accepted only if"), each by execution. What is accepted keeps
 * what was seen of every rule; what is refused keeps the rule it broke and the evidence.
 */
import type { Finding } from '../../artifacts/certificate.js';
import type { Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import type { Reference } from '../../artifacts/task.js';
import { asTreadleError } from '../../errors.js';
import { solvedFor } from '../solve/solved.js';
import { broken, Case, type Ruling } from './case.js';
import { leavesTheRest, matters } from './rules/bearing.js';
import { cannotBeIgnored, hasConsequences } from './rules/consequences.js';
import { applies, writesAsDeclared } from './rules/firing.js';
import { noticeable } from './rules/noticeable.js';
import { deterministic, reversible, solvable } from './rules/solvable.js';
import type { Stage } from './trial.js';

export const RULES = [
  'applies',
  'writes_as_declared',
  'matters',
  'has_consequences',
  'solvable',
  'noticeable',
  'reversible',
  'cannot_be_ignored',
  'leaves_the_rest',
  'deterministic',
] as const;
export type Rule = (typeof RULES)[number];
/** Why something is refused: a rule, or events that contradict one another (`graph`). */
export type Reason = Rule | 'graph';

/** In this order; the first that is broken is the reason of a refusal. */
const BY: Record<Rule, (tried: Case) => Ruling> = {
  applies,
  writes_as_declared: writesAsDeclared,
  matters,
  noticeable,
  solvable,
  has_consequences: hasConsequences,
  reversible,
  cannot_be_ignored: cannotBeIgnored,
  leaves_the_rest: leavesTheRest,
  deterministic,
};

export interface Candidate {
  event: ScenarioEvent;
  /** The final reply of the re-solved reference. */
  answer: string;
}

export type Woven = Pick<Scenario, 'events' | 'seed' | 'offersWait'>;

export type Decision =
  | { accepted: true; scenario: Woven; reference: Reference; findings: Finding[] }
  | { accepted: false; rule: Reason; evidence: string; findings: Finding[] };

/** The event with the answer that it makes right, where that is another one. */
export const answering = ({ event, answer }: Candidate, own: string): ScenarioEvent =>
  answer === own ? event : { ...event, reference: { ...event.reference, answer } };

/** What cannot even be executed breaks the rule that would execute it. */
const ruled = (by: (tried: Case) => Ruling, tried: Case): Ruling => {
  try {
    return by(tried);
  } catch (thrown) {
    return broken(asTreadleError(thrown, 'task').line());
  }
};

/** Runs the rules in their order up to the first that is broken. */
export const judge = (tried: Case): Decision => {
  const findings: Finding[] = [];
  for (const [rule, by] of Object.entries(BY) as [Rule, (one: Case) => Ruling][]) {
    const { pass, evidence } = ruled(by, tried);
    findings.push({ id: rule, pass, evidence });
    if (!pass) return { accepted: false, rule, evidence: evidence.join('; '), findings };
  }
  return { accepted: true, scenario: tried.scenario, reference: tried.reference, findings };
};

/** Decides on one event for a task that stands still otherwise. Leaves no session open. */
export const decide = (stage: Stage, candidate: Candidate, seed: string): Decision =>
  decideOn(stage, { events: [answering(candidate, stage.task.reference.answer)], seed });

/** Decides on events that all fire while the reference is carried out. Leaves no session open. */
export const decideOn = (stage: Stage, scenario: Woven): Decision => {
  const contradiction = contradictionIn(stage, scenario);
  if (contradiction !== undefined)
    return {
      accepted: false,
      rule: 'solvable',
      evidence: contradiction,
      findings: [{ id: 'solvable', pass: false, evidence: [contradiction] }],
    };
  const tried = new Case(stage, scenario);
  try {
    return judge(tried);
  } finally {
    tried.drop();
  }
};

/** Why no reference can do what all of the events ask for; undefined where one can be planned. */
const contradictionIn = ({ task }: Stage, { events }: Woven): string | undefined => {
  try {
    solvedFor(task, events);
    return undefined;
  } catch (thrown) {
    return asTreadleError(thrown, 'task').line();
  }
};
