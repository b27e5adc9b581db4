/** Libraries of many worlds, in this process or by several. */
import { fileURLToPath } from 'node:url';
import type { TaskModels } from '../../../tasks/model/models.js';
import type { Interrupt } from '../../interrupt.js';
import { overWorlds } from '../worlds/crew.js';
import { libraryBefore, type MadeLibrary, makeLibrary, type Wanted } from './make.js';

export interface LibraryPlan {
  dir: string;
  worlds: readonly string[];
  wanted: Wanted;
  jobs: number;
  interrupt: Interrupt;
  onMade(made: MadeLibrary): void;
  /** Only with one job. */
  onStep?(line: string): void;
  /** One budget and one conversation: one job. */
  models?: TaskModels;
}

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../../dist/cli/pipeline/library/child.js', import.meta.url));

/** Makes all of them; throws what `overWorlds` does. */
export const makeLibraries = ({ dir, worlds, wanted, models, onStep, ...rest }: LibraryPlan): Promise<void> =>
  overWorlds({
    ...rest,
    kind: 'tasks',
    dir,
    worlds,
    settings: wanted,
    here: (corpus, engine, world) => makeLibrary(corpus, engine, world, wanted, onStep, models),
    before: (corpus, world) => libraryBefore(corpus, world, wanted),
    ...(models ? { isDear: true } : { program: CHILD }),
  });
