/** An event of which only what it is about is written out: everything else is as most events have it. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';

type Told = Pick<ScenarioEvent, 'id' | 'source' | 'when' | 'effect' | 'notify' | 'reference'>;

export const eventOf = (told: Told & Partial<ScenarioEvent>): ScenarioEvent => ({
  guard: [],
  needs: [],
  excludes: [],
  reads: [],
  writes: [],
  checks: { retire: [], replace: [], add: [] },
  ...told,
});
