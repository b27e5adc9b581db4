/** A corpus' scenarios and the rollouts through them, from lists and heads: no scenario and no rollout is read whole. */
import type { Corpus } from '../../../corpus/corpus.js';
import { listScenarios } from '../../../corpus/scenarios.js';
import { traceHeads } from '../../../corpus/traces/read.js';
import { outcomeOf } from '../../../rollout/outcome.js';
import { type CountedWorld, type ScenarioCounts, scenarioCounts } from '../../pipeline/dynamics/counts.js';
import { actorOf } from '../rollouts/figures.js';

export interface Judged {
  passed: number;
  /** Passed or failed. */
  of: number;
}

export interface RolledScenarios {
  /** Rollouts of scenarios that are there, whatever became of them. */
  rollouts: number;
  /** Of scenarios that were made anew or are gone: in no figure. */
  outdated: number;
  /** Those that passed, and of them those of the reference, which passes by construction. */
  verified: number;
  byReference: number;
  /** By who acted, then by the sources of the scenario's events, under `all` of any. */
  actors: ReadonlyMap<string, ReadonlyMap<string, Judged>>;
}

export interface ScenarioFigures {
  counts: ScenarioCounts;
  /** Scenarios of tasks that have changed since: no rollout takes them. */
  outdated: number;
  rolled: RolledScenarios;
}

class Rolled implements RolledScenarios {
  rollouts = 0;
  outdated = 0;
  verified = 0;
  byReference = 0;
  readonly actors = new Map<string, Map<string, Judged>>();

  add(corpus: Corpus, world: string, hashes: ReadonlySet<string>): void {
    for (const head of traceHeads(corpus, world)) {
      if (!head.scenario || head.origin === 'negative') continue;
      if (!hashes.has(head.scenario.hash)) {
        this.outdated++;
        continue;
      }
      this.rollouts++;
      const { outcome } = outcomeOf(head, head.verdict);
      if (outcome === 'passed') {
        this.verified++;
        if (head.producer.policy === 'reference') this.byReference++;
      }
      if (outcome !== 'passed' && outcome !== 'failed') continue;
      const actor = actorOf(head);
      const own = this.actors.get(actor) ?? new Map<string, Judged>();
      this.actors.set(actor, own);
      for (const source of ['all', ...head.scenario.sources]) {
        const known = own.get(source) ?? { passed: 0, of: 0 };
        own.set(source, { passed: known.passed + Number(outcome === 'passed'), of: known.of + 1 });
      }
    }
  }
}

/** Undefined where no world has scenarios. Throws `unreadable_file`. */
export const gatherScenarios = (corpus: Corpus, worlds: readonly string[]): ScenarioFigures | undefined => {
  const counted: CountedWorld[] = [];
  const rolled = new Rolled();
  let outdated = 0;
  for (const world of worlds) {
    const listing = listScenarios(corpus, world);
    if (!listing) continue;
    const { scenarios, candidates, refused, tasks } = listing;
    const now = new Map(corpus.listTasks(world).tasks.map(({ id, hash }) => [id, hash]));
    outdated += scenarios.filter(({ task, taskHash }) => now.get(task) !== taskHash).length;
    counted.push({
      tasks: Object.keys(tasks).length,
      dynamic: new Set(scenarios.map(({ task }) => task)).size,
      scenarios,
      candidates,
      refused,
    });
    rolled.add(corpus, world, new Set(scenarios.map(({ hash }) => hash)));
  }
  return counted.length === 0 ? undefined : { counts: scenarioCounts(counted), outdated, rolled };
};
