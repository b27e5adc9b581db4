/** Scenarios of many worlds, in this process or by several. */
import { fileURLToPath } from 'node:url';
import { Corpus } from '../../../corpus/corpus.js';
import type { EventModels } from '../../../dynamics/model/models.js';
import { Engine } from '../../../world/state/engine.js';
import type { Interrupt } from '../../interrupt.js';
import { overWorlds } from '../worlds/crew.js';
import { type MadeScenarios, makeScenarios, type Wanted } from './make.js';

export interface ScenarioPlan {
  dir: string;
  worlds: readonly string[];
  wanted: Wanted;
  jobs: number;
  interrupt: Interrupt;
  onMade(made: MadeScenarios): void;
  /** Only with one job. */
  onStep?(line: string): void;
  /** One budget and one conversation: one job. */
  models?: EventModels | undefined;
}

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../../dist/cli/pipeline/dynamics/child.js', import.meta.url));

const alone = async ({ dir, worlds, wanted, interrupt, onMade, onStep, models }: ScenarioPlan): Promise<void> => {
  const corpus = Corpus.open(dir);
  const engine = await Engine.start();
  try {
    for (const [i, world] of worlds.entries()) {
      const onTask = (done: number, of: number, kept: number): void =>
        onStep?.(`${world}: ${done} of ${of} tasks, ${kept} scenarios`);
      onMade(await makeScenarios(corpus, engine, world, wanted, { onTask, models }));
      await interrupt.check(`${i + 1} of ${worlds.length} worlds are finished`);
    }
  } finally {
    engine.close();
  }
};

/** Makes all of them, or throws the first failure once what was begun is finished; `interrupted` and `worker_died` likewise. */
export const makeAllScenarios = (plan: ScenarioPlan): Promise<void> =>
  plan.jobs <= 1 || plan.models ? alone(plan) : overWorlds({ ...plan, program: CHILD, settings: plan.wanted });
