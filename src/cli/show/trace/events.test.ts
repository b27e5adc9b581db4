/** What the verdict says of revised checks, and what an event did where no row tells it. */
import { expect, it } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../../test/rollout/toy.js';
import type { Scenario } from '../../../artifacts/scenario.js';
import type { TraceEvent } from '../../../artifacts/trace.js';
import { event, onCall } from '../../../dynamics/event.fixture.js';
import { addressOf } from '../../../kit/hash.js';
import { referencePolicy } from '../../../rollout/agents/reference.js';
import { rolloutTask } from '../../../rollout/rollout.js';
import { happenedAfter, revisedLines } from './events.js';
import type { ShownTrace } from './shown.js';

const task = toyTask();
const checks = { retire: [], replace: [], add: [], ...(task.answer ? { answer: { is: task.answer } } : {}) };
const said = event('said', { source: 'requirement', ...onCall('list_invoices'), effect: { say: 'No.' }, checks });
const scenario: Scenario = {
  treadle: 'scenario/1',
  id: 'toy-e1',
  task: addressOf(task),
  taskId: task.id,
  world: task.world,
  worldId: 'toy',
  seed: '1',
  events: [said],
  reference: task.reference,
};
const fate: TraceEvent = {
  kind: 'fate',
  event: 'said',
  source: 'requirement',
  fate: 'fired',
  at: 0,
  calls: 1,
  touched: [],
};

const shownWith = async (own?: Scenario): Promise<ShownTrace> => {
  const trace = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
  const verdict = {
    ...toyVerdict(trace, true),
    revised: { events: ['said'], retired: [], replaced: [], added: [] },
  };
  const events = [fate];
  return { trace: { ...trace, events }, verdict, services: [], task, full: false, ...(own ? { scenario: own } : {}) };
};
const texts = (lines: { text: string }[]): string[] => lines.map(({ text }) => text.trim());

it('an event that changed no row says what it did, where its scenario is known', async () => {
  const title = '── event said (requirement) fired, 1970-01-01T00:00:00Z';
  expect(texts(happenedAfter(await shownWith(scenario), 0))).toEqual([title, 'what is asked: “No.”']);
  expect(texts(happenedAfter(await shownWith(), 0))).toEqual([title]);
  expect(happenedAfter(await shownWith(scenario), 1)).toEqual([]);
});

it('another right answer is said like another check', async () => {
  expect(task.answer).toBeDefined();
  expect(texts(revisedLines(await shownWith(scenario)))).toEqual(['judged after said: another answer is right']);
  expect(texts(revisedLines(await shownWith()))).toEqual(['judged after said: no check is another one']);
});
