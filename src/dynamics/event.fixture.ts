/** Events for tests, with only what a test is about written out. */
import type { ScenarioEvent } from '../artifacts/scenario.js';

export const event = (id: string, over: Partial<ScenarioEvent> = {}): ScenarioEvent => ({
  id,
  source: 'state',
  when: { at: 0 },
  guard: [],
  needs: [],
  excludes: [],
  reads: [],
  writes: [],
  effect: { say: `${id} happened` },
  notify: { to: 'environment' },
  checks: { retire: [], replace: [], add: [] },
  reference: { insert: [], from: 0, drop: 0 },
  ...over,
});

export const needs = (...ids: string[]): Pick<ScenarioEvent, 'needs'> => ({
  needs: ids.map((id) => ({ id, delay: 0 })),
});
export const onCall = (tool: string, nth = 1): Pick<ScenarioEvent, 'when'> => ({ when: { after: { tool, nth } } });
