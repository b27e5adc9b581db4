/** Scenarios of many worlds, in this process or by several. */
import { fileURLToPath } from 'node:url';
import type { EventModels } from '../../../dynamics/model/models.js';
import type { Interrupt } from '../../interrupt.js';
import { overWorlds } from '../worlds/crew.js';
import { type MadeScenarios, makeScenarios, scenariosBefore, type Wanted } from './make.js';

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

/** Makes all of them; throws what `overWorlds` does. */
export const makeAllScenarios = ({ dir, worlds, wanted, models, onStep, ...rest }: ScenarioPlan): Promise<void> =>
  overWorlds({
    ...rest,
    kind: 'scenarios',
    dir,
    worlds,
    settings: wanted,
    here: (corpus, engine, world) => {
      const onTask = (done: number, of: number, kept: number): void =>
        onStep?.(`${world}: ${done} of ${of} tasks, ${kept} scenarios`);
      return makeScenarios(corpus, engine, world, wanted, { onTask, models });
    },
    before: (corpus, world) => scenariosBefore(corpus, world, wanted),
    ...(models ? { isDear: true } : { program: CHILD }),
  });
