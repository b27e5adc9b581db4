/** What a simulated user knows of a task, stage by stage. */
import { DETAILS, type Detail, type Fact, type Persona, type Stage, type Unknown } from '../../artifacts/disclosure.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
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

const revised = (stage: KnownStage, told: NonNullable<ScenarioEvent['notify']['tells']>): KnownStage => {
  const own = told.filter(
    ({ stage: node, fact }) => (node === undefined || node === stage.node) && stage.facts.some(({ id }) => id === fact),
  );
  if (own.length === 0) return stage;
  let { request } = stage;
  const facts = stage.facts.map((fact) => {
    const now = own.find((one) => one.fact === fact.id);
    if (!now) return fact;
    // The request, said once more, must not ask for what is wanted no longer.
    request = request.replace(fact.words, () => now.words);
    return { ...fact, words: now.words, says: now.says };
  });
  return { ...stage, request, facts };
};

/** What the same user knows once an event has changed their mind. */
export const knownAfter = (known: Known, told: NonNullable<ScenarioEvent['notify']['tells']>): Known =>
  told.length === 0 ? known : { ...known, stages: known.stages.map((stage) => revised(stage, told)) };
