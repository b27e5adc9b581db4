/** The tasks of a corpus that become a trainer's rows: chosen by kind, review, pilots and difficulty. */
import type { Task } from '../../artifacts/task.js';
import type { Corpus } from '../../corpus/corpus.js';
import { readDifficulty } from '../../corpus/difficulty.js';
import { readReviews } from '../../corpus/review/records.js';
import { acceptance } from '../../corpus/review/standing.js';
import { listScenarios, type ScenarioHead } from '../../corpus/scenarios.js';
import { traceHeads } from '../../corpus/traces/read.js';
import { WAIT } from '../../dynamics/engine/wait.js';
import { addressOf } from '../../kit/hash.js';
import { outcomeOf } from '../../rollout/outcome.js';
import { toolsOffered } from '../../serve/sessions/describe.js';
import type { RlSource } from '../../train/rl/export.js';
import { itemOf, lineageNumber, type RlItem, type RlView } from '../../train/rl/item.js';
import {
  asksPilots,
  type Careless,
  type LeftOut,
  leftOutOf,
  type Pilots,
  type Selection,
} from '../../train/rl/select.js';
import { lineageOf } from '../../train/sft/row.js';

export interface RlChoice {
  worlds: readonly string[];
  view: RlView;
  isPinned: boolean;
  selection: Selection;
  /** Whose rollouts count as pilots: a policy's or a model's name; any but the reference's when absent. */
  pilots?: string | undefined;
  /** The rate of slips at which careless runs are looked at. */
  carelessRate: number;
  onlyAccepted: boolean;
  /** Rows of scenarios beside those of tasks, in their stead, or none. */
  scenarios: 'only' | 'with' | 'without';
  /** Only scenarios with an event of one of these. */
  sources?: readonly string[];
}

/** By content address of the task, or of the scenario that they ran in: another task of the same id has other pilots. */
const pilotsOf = (corpus: Corpus, world: string, { view, pilots }: RlChoice): Map<string, Pilots> => {
  const found = new Map<string, { rollouts: number; passed: number; rewards: number[] }>();
  for (const head of traceHeads(corpus, world)) {
    const { producer, verdict, reward } = head;
    const { policy, name } = producer;
    const isMeant = pilots === undefined ? policy !== 'reference' : policy === pilots || name === pilots;
    // A branch or a kept attempt is no rollout of its own, and one told in another way is of another difficulty.
    if (!isMeant || head.origin || head.user !== view.user || head.detail !== view.detail) continue;
    // What was cut or broke says nothing of the task.
    const { outcome } = outcomeOf(head, verdict);
    if (outcome !== 'passed' && outcome !== 'failed') continue;
    const key = head.scenario?.hash ?? head.task;
    const own = found.get(key) ?? { rollouts: 0, passed: 0, rewards: [] };
    found.set(key, own);
    own.rollouts++;
    if (verdict.pass) own.passed++;
    own.rewards.push(reward?.total ?? (verdict.pass ? 1 : 0));
  }
  return found;
};

const carelessOf = (corpus: Corpus, world: string, rate: number): Map<string, Careless> =>
  new Map(
    Object.entries(readDifficulty(corpus, world)).flatMap(([id, { success }]) => {
      const own = success.find((each) => each.rate === rate);
      return own ? [[id, { runs: own.runs, passed: own.passed }] as const] : [];
    }),
  );

interface Chosen {
  task: Task;
  hash: string;
  /** Absent: the task stands still. */
  head?: ScenarioHead;
}

const sourcesOf = ({ events }: ScenarioHead): string[] =>
  [...new Set(events.map(({ source, distractor }) => (distractor ? 'distractor' : source)))].sort();

/** A task as it is and in its scenarios, as far as those are asked for. */
const formsOf = (task: Task, hash: string, heads: readonly ScenarioHead[], { scenarios }: RlChoice): Chosen[] => [
  ...(scenarios === 'only' ? [] : [{ task, hash }]),
  ...(scenarios === 'without'
    ? []
    : heads.filter((head) => head.taskHash === hash).map((head) => ({ task, hash, head }))),
];

/** The chosen tasks and scenarios of a world in its order, with their addresses. */
const choose = (
  corpus: Corpus,
  world: string,
  choice: RlChoice,
  accepted: ReturnType<typeof acceptance> | undefined,
  leave: (why: LeftOut) => void,
): Chosen[] => {
  const { selection, sources } = choice;
  const pilots = asksPilots(selection) ? pilotsOf(corpus, world, choice) : undefined;
  const careless = selection.carelessPassRate ? carelessOf(corpus, world, choice.carelessRate) : undefined;
  const heads = choice.scenarios === 'without' ? [] : (listScenarios(corpus, world)?.scenarios ?? []);
  const isOther = (head: ScenarioHead | undefined): boolean =>
    head !== undefined && sources !== undefined && !sourcesOf(head).some((source) => sources.includes(source));
  return corpus.readTasks(world).tasks.flatMap((task) => {
    const hash = addressOf(task);
    return formsOf(task, hash, heads, choice).flatMap((form) => {
      const own = pilots?.get(form.head?.hash ?? hash);
      const why =
        accepted?.(task.id, hash) ??
        leftOutOf(task, selection, own, careless?.get(task.id)) ??
        (isOther(form.head) ? 'other_source' : undefined);
      if (why === undefined) return [form];
      leave(why);
      return [];
    });
  });
};

/** Chooses once and keeps ids alone: the items are made again, world by world, when they are written. */
export const rlSource = (corpus: Corpus, choice: RlChoice, onWorld: (id: string) => void = () => {}): RlSource => {
  const accepted = choice.onlyAccepted ? acceptance(readReviews(corpus)) : undefined;
  const lineages = new Map<string, number>();
  const leftOut = new Map<LeftOut, number>();
  const chosen = new Map<string, Map<string, (ScenarioHead | undefined)[]>>();
  for (const world of choice.worlds) {
    onWorld(world);
    const own = choose(corpus, world, choice, accepted, (why) => leftOut.set(why, (leftOut.get(why) ?? 0) + 1));
    if (own.length === 0) continue;
    const forms = new Map<string, (ScenarioHead | undefined)[]>();
    for (const { hash, head } of own) forms.set(hash, [...(forms.get(hash) ?? []), head]);
    chosen.set(world, forms);
    for (const { task } of own) {
      const lineage = lineageNumber(lineageOf(task));
      lineages.set(lineage, (lineages.get(lineage) ?? 0) + 1);
    }
  }
  const items = function* (): Generator<RlItem> {
    for (const [id, forms] of chosen) {
      const { world, services } = corpus.readDescription(id);
      const worldHash = addressOf(world);
      for (const task of corpus.readTasks(id).tasks) {
        const hash = addressOf(task);
        const offered = toolsOffered(world, services, task.services);
        for (const head of forms.get(hash) ?? []) {
          const tools = head?.offersWait ? [...offered, WAIT] : offered;
          const scenario = head && { id: head.id, hash: head.hash, sources: sourcesOf(head) };
          const parts = { task, hash, world, worldHash, tools, lineage: lineageOf(task), scenario };
          yield itemOf(parts, choice.view, choice.isPinned);
        }
      }
    }
  };
  return { lineages, leftOut, items };
};
