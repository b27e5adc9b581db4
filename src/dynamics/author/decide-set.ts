/** Decides on several events of one scenario: the graph, the rules for all of them, and every set of them that may come to pass. */
import type { Finding } from '../../artifacts/certificate.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import { asTreadleError } from '../../errors.js';
import { rng } from '../../kit/rng.js';
import { type EventGraph, graphOf } from '../graph.js';
import { realisableSubsets } from '../realisable.js';
import { type Decision, judge, type Reason, type Woven } from './accept.js';
import { Case, isDistractor, type Ruling } from './case.js';
import { leavesTheRest } from './rules/bearing.js';
import { hasConsequences } from './rules/consequences.js';
import { applies } from './rules/firing.js';
import { passes } from './rules/solvable.js';
import type { Stage } from './trial.js';

const refused = (rule: Reason, evidence: string): Decision => ({
  accepted: false,
  rule,
  evidence,
  findings: [{ id: rule, pass: false, evidence: [evidence] }],
});

/** The scenario if only these events could come. */
const restricted = ({ events, ...rest }: Woven, chosen: readonly string[]): Woven => ({
  ...rest,
  events: events
    .filter(({ id }) => chosen.includes(id))
    .map((event): ScenarioEvent => ({ ...event, excludes: event.excludes.filter((id) => chosen.includes(id)) })),
});

const SUBSET_RULES: readonly [Reason, (tried: Case) => Ruling][] = [
  ['applies', applies],
  ['solvable', passes],
  ['has_consequences', hasConsequences],
  ['leaves_the_rest', leavesTheRest],
];

/** What breaks where only these come; undefined where all holds. */
const brokenBy = (stage: Stage, scenario: Woven): { rule: Reason; why: string } | undefined => {
  const tried = new Case(stage, scenario);
  try {
    for (const [rule, by] of SUBSET_RULES) {
      const { pass, evidence } = by(tried);
      if (!pass) return { rule, why: evidence.join('; ') };
    }
    return undefined;
  } finally {
    tried.drop();
  }
};

const names = (chosen: readonly string[]): string => `{${chosen.join(', ')}}`;

/**
 * `alone`: whether an event was accepted by itself just as it is, so that it need not be again. Sets that come to pass in the
 * scenario's own run are what the rules judged; the others are tried as if the rest could not come.
 */
export const decideOnSet = (stage: Stage, scenario: Woven, alone: (event: ScenarioEvent) => boolean): Decision => {
  let graph: EventGraph;
  try {
    graph = graphOf(scenario.events);
  } catch (thrown) {
    return refused('graph', asTreadleError(thrown, 'task').line());
  }
  const tried = new Case(stage, scenario);
  let decision: Decision;
  let came: string;
  try {
    decision = judge(tried);
    if (!decision.accepted) return decision;
    came = names(graph.order.filter((id) => tried.came(id)));
  } finally {
    tried.drop();
  }
  const subsets = realisableSubsets(graph, rng(scenario.seed, 'subsets')).filter((chosen) => chosen.length > 0);
  let proven = 0;
  for (const chosen of subsets) {
    if (names(chosen) === came) continue;
    const [only] = chosen;
    if (chosen.length === 1 && alone(graph.events.get(only as string) as ScenarioEvent)) {
      proven++;
      continue;
    }
    const fault = brokenBy(stage, restricted(scenario, chosen));
    if (fault) return refused(fault.rule, `where only ${names(chosen)} come: ${fault.why}`);
  }
  const harmless = subsets.filter((chosen) =>
    chosen.every((id) => isDistractor(graph.events.get(id) as ScenarioEvent)),
  ).length;
  const evidence = [
    `${subsets.length} sets of these events may come to pass: ${came} as judged, ${proven} accepted by themselves, ${subsets.length - 1 - proven} tried on their own; each solved, the old plan fails in ${subsets.length - harmless}`,
  ];
  const findings: Finding[] = decision.findings.map((finding) =>
    finding.id === 'solvable' ? { ...finding, evidence: [...finding.evidence, ...evidence] } : finding,
  );
  findings.push({
    id: 'graph',
    pass: true,
    evidence: [`${graph.order.length} events, ${graph.depth} deep, no two contradict one another`],
  });
  return { ...decision, findings };
};
