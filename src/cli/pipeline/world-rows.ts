/** Pairs of (history, action) and observation from a corpus's kept rollouts, and from references that nobody rolled out. */
import type { Task } from '../../artifacts/task.js';
import type { Trace } from '../../artifacts/trace.js';
import type { Corpus } from '../../corpus/corpus.js';
import { eachTrace } from '../../corpus/traces/read.js';
import { EventEngine } from '../../dynamics/engine/engine.js';
import { WAIT } from '../../dynamics/engine/wait.js';
import { addressOf } from '../../kit/hash.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { toolsOffered } from '../../serve/sessions/describe.js';
import { lineageOf } from '../../train/sft/row.js';
import type { WorldCounts, WorldItem } from '../../train/world-model/export.js';
import { outsideChanges, withoutNotices } from '../../train/world-model/outside.js';
import { type Replayed, replaySteps } from '../../train/world-model/replay.js';
import { PairKeys, type RowParts, type Setting, worldRow } from '../../train/world-model/row.js';
import { type Faults, groupOf, type LeftOut, leftOutOf, Pairs, type SplitBy } from '../../train/world-model/select.js';
import { type Step, stepsOf } from '../../train/world-model/steps.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { rollOut } from './roll/attempt.js';
import { type Scene, scenesIn } from './scenes.js';

export interface WorldChoice {
  worlds: readonly string[];
  by: SplitBy;
  faults: Faults;
  /** Paths of references that no kept rollout replays, too. */
  references: boolean;
  withState: boolean;
  /** Rows that do not answer the same when run again are left out. */
  check: boolean;
  /** Calls of history told at most. */
  history: number;
  /** Characters of a row's messages at most. */
  maxChars: number;
}

interface Told {
  trace: Pick<Trace, 'id' | 'producer' | 'snapshot' | 'messages' | 'ledger' | 'events' | 'scenario'>;
  source: RowParts['source'];
  scene?: Scene | undefined;
}

const charsOf = ({ row }: WorldItem): number =>
  (row.messages as { content: string }[]).reduce((sum, { content }) => sum + content.length, 0);

export class WorldRows {
  readonly counts: WorldCounts = { leftOut: new Map(), answersDiffer: 0 };
  readonly #corpus: Corpus;
  readonly #choice: WorldChoice;
  readonly #onWorld: (id: string) => void;

  constructor(corpus: Corpus, choice: WorldChoice, onWorld: (id: string) => void = () => {}) {
    this.#corpus = corpus;
    this.#choice = choice;
    this.#onWorld = onWorld;
  }

  async *items(): AsyncGenerator<WorldItem> {
    const { worlds, references, withState, check } = this.#choice;
    const engine = references || withState || check ? await Engine.start() : undefined;
    try {
      for (const id of worlds) {
        this.#onWorld(id);
        const world = engine ? loadWorld(engine, this.#corpus.readWorld(id)) : undefined;
        yield* this.#ofWorld(id, world);
        if (world) unloadWorld(world);
      }
    } finally {
      engine?.close();
    }
  }

  async *#ofWorld(id: string, loaded: LoadedWorld | undefined): AsyncGenerator<WorldItem> {
    const { world, services } = this.#corpus.readDescription(id);
    const worldHash = addressOf(world);
    const tasks = new Map(this.#corpus.readTasks(id).tasks.map((task) => [addressOf(task), task]));
    // Pairs of different worlds cannot be the same.
    const pairs = new Pairs();
    const hasReference = new Set<string>();
    const sceneOf = scenesIn(this.#corpus, id);
    const settingOf = (task: Task): Setting => ({
      world,
      worldHash,
      task,
      tools: toolsOffered(world, services, task.services),
    });
    for (const { trace } of eachTrace(this.#corpus, id, ({ task }) => tasks.has(task))) {
      const task = tasks.get(trace.task) as Task;
      if (trace.producer.policy === 'reference' && !trace.scenario) hasReference.add(trace.task);
      const scene = trace.scenario && sceneOf(task, trace.scenario);
      if (trace.scenario && !scene) for (const _ of stepsOf(trace)) this.#leave('scenario_gone');
      else yield* this.#rows(settingOf(task), task, { trace, source: 'trace', scene }, pairs, loaded);
    }
    if (this.#choice.references && loaded)
      for (const [hash, task] of tasks) {
        if (hasReference.has(hash)) continue;
        const trace = await this.#reference(loaded, task, hash);
        yield* this.#rows(settingOf(task), task, { trace, source: 'reference' }, pairs, loaded);
      }
    this.counts.answersDiffer += pairs.answersDiffer;
  }

  async #reference(loaded: LoadedWorld, task: Task, hash: string): Promise<Trace> {
    const world = groundedWorld(loaded, task.grounding);
    try {
      const acting = { seed: 'reference', policyFor: () => referencePolicy(task) };
      return (await rollOut({ world, task, hash, index: 0 }, acting)).trace;
    } finally {
      dropGrounded(loaded, world);
    }
  }

  #leave(why: LeftOut): void {
    this.counts.leftOut.set(why, (this.counts.leftOut.get(why) ?? 0) + 1);
  }

  *#rows(
    setting: Setting,
    task: Task,
    told: Told,
    pairs: Pairs,
    loaded: LoadedWorld | undefined,
  ): Generator<WorldItem> {
    const { withState, check } = this.#choice;
    const steps = withoutNotices(stepsOf(told.trace), told.trace);
    if (!loaded || !(withState || check)) {
      yield* this.#each(setting, task, told, pairs, steps);
      return;
    }
    const own = groundedWorld(loaded, task.grounding);
    const woven = told.scene && new EventEngine(told.scene.scenario);
    const again = replaySteps(own, task, steps, withState, woven);
    try {
      yield* this.#each(setting, task, told, pairs, steps, again);
    } finally {
      again.return(undefined);
      dropGrounded(loaded, own);
    }
  }

  *#each(
    setting: Setting,
    task: Task,
    { trace, source }: Told,
    pairs: Pairs,
    steps: readonly Step[],
    again?: Iterator<Replayed>,
  ): Generator<WorldItem> {
    const { by, faults, history: most, maxChars, withState } = this.#choice;
    const keys = new PairKeys(setting, trace.snapshot);
    const outside = outsideChanges(trace);
    let [isAfter, isOther] = [false, false];
    for (const [n, step] of steps.entries()) {
      for (const event of outside.get(n) ?? []) keys.changed(`${trace.scenario?.hash} ${event}`);
      isOther ||= outside.has(n);
      const pair = keys.next(step);
      const replayed = again?.next().value as Replayed | undefined;
      const why =
        leftOutOf(step, isAfter, faults) ??
        (step.tool === WAIT.name && step.service === '' ? 'wait' : isOther && !withState ? 'after_outside' : undefined);
      isAfter ||= step.fault === 'injected';
      if (why) this.#leave(why);
      else if (replayed && !replayed.isSame && step.fault !== 'injected') this.#leave('not_reproduced');
      else if (pairs.has(pair, step.observation)) this.#leave('duplicate');
      else {
        const history = steps.slice(Math.max(0, n - most), n);
        const left = n - history.length;
        const row = worldRow(setting, { trace, source, history, left, step, pair, state: replayed?.state });
        const { id: world } = setting.world;
        const group = groupOf(by, { world, lineage: lineageOf(task), service: step.service });
        const item = { row, group, services: [...new Set([...history, step].map(({ service }) => service))] };
        if (charsOf(item) > maxChars) this.#leave('too_long');
        else {
          // Only now: a row that was too long must not keep a shorter one of the same pair out.
          pairs.add(pair, step.observation);
          yield item;
        }
      }
    }
  }
}
