/** What a simulated user knows of a task, stage by stage. */
import { DETAILS, type Detail, type Fact, type Persona, type Stage, type Unknown } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import { wholePersona } from '../../tasks/disclosure/persona.js';

export interface KnownStage {
  node: string;
  /** The request in the rollout's detail. */
  request: string;
  facts: readonly Fact[];
  unknown: readonly Unknown[];
  /** Facts that the request says. */
  given: ReadonlySet<string>;
}

export interface Known {
  task: string;
  persona: Persona;
  detail: Detail;
  stages: readonly KnownStage[];
}

/** A fact of a hand-written task: `customer: Brinkhof` is asked for as `customer`, a bare text by its own words. */
const wholeFact = (fact: Fact | string, n: number, full: string): Fact => {
  if (typeof fact !== 'string') return fact;
  const [, about = fact, words = fact] = /^([^:]+): (.+)$/s.exec(fact) ?? [];
  const says = about === words ? `It is about ${words}.` : `The ${about} is ${words}.`;
  return {
    id: `fact_${n}`,
    words: full.includes(words) ? words : fact,
    says,
    asked: [about.toLowerCase()],
    feeds: [],
    given: 'full',
  };
};

const isGiven = (fact: Fact, detail: Detail): boolean => DETAILS.indexOf(fact.given) <= DETAILS.indexOf(detail);

const knownStage = (stage: Stage, detail: Detail): KnownStage => {
  const facts = stage.facts.map((fact, n) => wholeFact(fact, n, stage.full));
  return {
    node: stage.node,
    request: stage[detail],
    facts,
    unknown: stage.unknown ?? [],
    given: new Set(facts.filter((fact) => isGiven(fact, detail)).map(({ id }) => id)),
  };
};

/** A task without stages is one stage: its brief, in every detail. */
export const knownOf = (task: Pick<Task, 'id' | 'brief' | 'nodes' | 'actor' | 'disclosure'>, detail: Detail): Known => {
  const own = task.disclosure.stages.map((stage) => knownStage(stage, detail));
  const whole: KnownStage = {
    node: task.nodes[0]?.id ?? 'a1',
    request: task.brief,
    facts: [],
    unknown: [],
    given: new Set(),
  };
  return {
    task: task.id,
    persona: wholePersona(task.disclosure, task.actor.title),
    detail,
    stages: own.length > 0 ? own : [whole],
  };
};
