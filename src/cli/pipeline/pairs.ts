/** Preference pairs of a corpus: of each scenario the rollouts that passed with those that failed. */
import type { EventSource } from '../../artifacts/trace.js';
import type { Corpus } from '../../corpus/corpus.js';
import { eachTrace } from '../../corpus/traces/read.js';
import { addressOf } from '../../kit/hash.js';
import { toolsOffered } from '../../serve/sessions/describe.js';
import { bump, type LeftOut, type PairItem, sideOf } from '../../train/preference/export.js';
import { type Pair, pairOf } from '../../train/preference/pair.js';
import { exclusionOf } from '../../train/sft/exclude.js';
import { isNegative, producerName } from '../../train/sft/facets.js';
import { type ExportItem, lineageOf, rowOf } from '../../train/sft/row.js';
import { scenesIn } from './scenes.js';

export interface PairChoice {
  worlds: readonly string[];
  /** Only pairs before which an event of one of these fired. */
  sources?: readonly EventSource[];
  /** Pairs of one scenario, told in one way, at most; rollouts of either kind that are held at most. */
  perScenario: number;
}

interface Group {
  passed: ExportItem[];
  failed: ExportItem[];
}

/** What the rejected one failed on, in the words of its verdict. */
const failedOn = ({ verdict }: ExportItem): string =>
  verdict.milestones
    .flatMap(({ checks }) => checks.filter(({ pass }) => !pass).map(({ check, evidence }) => `${check}: ${evidence}`))
    .join('; ')
    .slice(0, 400);

const itemOf = (chosen: ExportItem, rejected: ExportItem, pair: Pair): PairItem => {
  const { trace, task } = chosen;
  const [good, bad] = [rowOf(chosen).metadata, rowOf(rejected).metadata];
  return {
    pair,
    lineage: lineageOf(task),
    who: `${producerName(trace.producer)} over ${producerName(rejected.trace.producer)}`,
    metadata: {
      scenario: good.scenario.id,
      scenario_hash: good.scenario.hash,
      task_id: trace.taskId,
      task: trace.task,
      world_id: task.worldId,
      world: trace.world,
      lineage: lineageOf(task),
      user: trace.user,
      detail: trace.detail,
      fired: pair.fired.join(' '),
      sources: pair.sources.join('+'),
      chosen: sideOf(trace.id, good.scenario.by, good.producer),
      rejected: { ...sideOf(rejected.trace.id, bad.scenario.by, bad.producer), failed: failedOn(rejected) },
    },
  };
};

/** The rollouts of a world's scenarios that can be one side of a pair, by scenario and view. */
const groupsOf = (corpus: Corpus, id: string, most: number): Map<string, Group> => {
  const { world, services } = corpus.readDescription(id);
  const tasks = new Map(corpus.readTasks(id).tasks.map((task) => [addressOf(task), task]));
  const sceneOf = scenesIn(corpus, id);
  const groups = new Map<string, Group>();
  for (const { trace, verdict } of eachTrace(corpus, id, (head) => head.scenario !== undefined && !head.origin)) {
    const task = tasks.get(trace.task);
    const scene = task && trace.scenario ? sceneOf(task, trace.scenario) : undefined;
    if (!scene) continue;
    const tools = [...toolsOffered(world, services, scene.task.services), ...scene.tools];
    const item: ExportItem = { trace, verdict, task: scene.task, tools };
    if (exclusionOf(item, false) !== undefined) continue;
    const key = [scene.hash, trace.user, trace.detail, trace.faults?.rules.join(' ') ?? ''].join('\n');
    const group = groups.get(key) ?? { passed: [], failed: [] };
    groups.set(key, group);
    const side = isNegative(item) ? group.failed : group.passed;
    if (side.length < most) side.push(item);
  }
  return groups;
};

/** World by world, scenario by scenario; what makes no pair is counted. */
export const pairItems = function* (
  corpus: Corpus,
  { worlds, sources, perScenario }: PairChoice,
  leftOut: Map<LeftOut, number>,
  onWorld: (id: string) => void = () => {},
): Generator<PairItem> {
  for (const id of worlds) {
    onWorld(id);
    for (const { passed, failed } of groupsOf(corpus, id, perScenario).values()) {
      let made = 0;
      for (const rejected of failed)
        for (const chosen of passed) {
          if (made >= perScenario) continue;
          const pair = pairOf(chosen, rejected);
          if (typeof pair === 'string') bump(leftOut, pair);
          else if (sources && !pair.sources.some((source) => (sources as readonly string[]).includes(source)))
            bump(leftOut, 'other_source');
          else {
            made++;
            yield itemOf(chosen, rejected, pair);
          }
        }
    }
  }
};
