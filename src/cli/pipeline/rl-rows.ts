/** The tasks of a corpus that become a trainer's rows: chosen by kind, review, pilots and difficulty. */
import type { Task } from '../../artifacts/task.js';
import type { Corpus } from '../../corpus/corpus.js';
import { readDifficulty } from '../../corpus/difficulty.js';
import { readReviews } from '../../corpus/review/records.js';
import { acceptance } from '../../corpus/review/standing.js';
import { traceHeads } from '../../corpus/traces/read.js';
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
}

/** By content address of the task: another task of the same id has other pilots. */
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
    const own = found.get(head.task) ?? { rollouts: 0, passed: 0, rewards: [] };
    found.set(head.task, own);
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

/** The chosen tasks of a world in its order, with their addresses. */
const choose = (
  corpus: Corpus,
  world: string,
  choice: RlChoice,
  accepted: ReturnType<typeof acceptance> | undefined,
  leave: (why: LeftOut) => void,
): { task: Task; hash: string }[] => {
  const { selection } = choice;
  const pilots = asksPilots(selection) ? pilotsOf(corpus, world, choice) : undefined;
  const careless = selection.carelessPassRate ? carelessOf(corpus, world, choice.carelessRate) : undefined;
  return corpus.readTasks(world).tasks.flatMap((task) => {
    const hash = addressOf(task);
    const why = accepted?.(task.id, hash) ?? leftOutOf(task, selection, pilots?.get(hash), careless?.get(task.id));
    if (why === undefined) return [{ task, hash }];
    leave(why);
    return [];
  });
};

/** Chooses once and keeps ids alone: the items are made again, world by world, when they are written. */
export const rlSource = (corpus: Corpus, choice: RlChoice, onWorld: (id: string) => void = () => {}): RlSource => {
  const accepted = choice.onlyAccepted ? acceptance(readReviews(corpus)) : undefined;
  const lineages = new Map<string, number>();
  const leftOut = new Map<LeftOut, number>();
  const chosen = new Map<string, Set<string>>();
  for (const world of choice.worlds) {
    onWorld(world);
    const own = choose(corpus, world, choice, accepted, (why) => leftOut.set(why, (leftOut.get(why) ?? 0) + 1));
    if (own.length === 0) continue;
    chosen.set(world, new Set(own.map(({ hash }) => hash)));
    for (const { task } of own) {
      const lineage = lineageNumber(lineageOf(task));
      lineages.set(lineage, (lineages.get(lineage) ?? 0) + 1);
    }
  }
  const items = function* (): Generator<RlItem> {
    for (const [id, hashes] of chosen) {
      const { world, services } = corpus.readDescription(id);
      const worldHash = addressOf(world);
      for (const task of corpus.readTasks(id).tasks) {
        const hash = addressOf(task);
        if (!hashes.has(hash)) continue;
        const tools = toolsOffered(world, services, task.services);
        yield itemOf({ task, hash, world, worldHash, tools, lineage: lineageOf(task) }, choice.view, choice.isPinned);
      }
    }
  };
  return { lineages, leftOut, items };
};
