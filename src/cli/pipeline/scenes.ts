/** The scenarios that a world's rollouts ran in, read when they are first asked for. */
import type { Scenario } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import type { Trace } from '../../artifacts/trace.js';
import type { Corpus } from '../../corpus/corpus.js';
import { listScenarios, readScenario } from '../../corpus/scenarios.js';
import { WAIT } from '../../dynamics/engine/wait.js';
import { resolvedTask } from '../../dynamics/played.js';
import type { SessionTool } from '../../serve/tool-host.js';

export interface Scene {
  scenario: Scenario;
  hash: string;
  /** With the reference as it was solved again. */
  task: Task;
  /** Offered beside the world's tools. */
  tools: readonly SessionTool[];
}

export type SceneOf = (task: Task, of: NonNullable<Trace['scenario']>) => Scene | undefined;

/** Undefined for a scenario that the corpus no longer holds, or holds otherwise under that id. Throws as `readScenario`. */
export const scenesIn = (corpus: Corpus, world: string): SceneOf => {
  const heads = new Map((listScenarios(corpus, world)?.scenarios ?? []).map((head) => [head.id, head]));
  const known = new Map<string, Scene>();
  return (task, { id, hash }) => {
    const head = heads.get(id);
    if (head?.hash !== hash) return undefined;
    const before = known.get(id);
    if (before) return before;
    const scenario = readScenario(corpus, world, head);
    const scene = {
      scenario,
      hash,
      task: resolvedTask(task, scenario, head.taskHash),
      tools: scenario.offersWait ? [WAIT] : [],
    };
    known.set(id, scene);
    return scene;
  };
};
