/** Scenarios written by hand and what is wrong with them: refused with the rule that they break and the evidence. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { Finding } from '../../artifacts/certificate.js';
import type { Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { slabsFor } from '../../world/state/slabs.js';
import { scenariosFor } from './author.js';
import { checkScenario } from './check-scenario.js';
import { madeScenario } from './made.js';
import type { Stage } from './trial.js';

let world: LoadedWorld;
let good: {
  stage: Stage;
  scenario: Scenario;
  row: { service: string; table: string; key: string | number; col: string };
};
beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'events', ['billing', 'support_desk']);
  for (const { task } of generateTasks(world, { count: 16, seed: 'events' }).tasks) {
    const stage = { world, task };
    const options = { perTask: 9, most: 1, sources: ['requirement' as const] };
    const made = scenariosFor(stage, rng('e', task.id), 's', options).accepted.find(
      ({ scenario }) => 'after' in (scenario.events[0] as ScenarioEvent).when,
    );
    const [binding] = task.bindings;
    if (!made || !binding) continue;
    const { service, table, key } = binding;
    const col = world.services.get(service)?.keys[table] as string;
    good = { stage, scenario: madeScenario(stage, made, 1), row: { service, table, key, col } };
    return;
  }
  throw new Error('no scenario was made');
}, 240_000);
afterAll(() => unloadWorld(world));

const eventOf = ({ events }: Scenario): ScenarioEvent => events[0] as ScenarioEvent;
const withEvent = (change: Partial<ScenarioEvent>, ...others: ScenarioEvent[]): Scenario => ({
  ...good.scenario,
  events: [{ ...eventOf(good.scenario), ...change }, ...others],
});
const wrong = (data: unknown): Finding | undefined => checkScenario(good.stage, data).find(({ pass }) => !pass);
const deleted = (key: string | number): Partial<ScenarioEvent> => {
  const { service, table, col } = good.row;
  return {
    effect: { patch: [{ do: 'delete', service, table, where: { [col]: key } }] },
    writes: [{ service, table, key }],
  };
};

describe('a scenario by hand', () => {
  it('that is as it was made has nothing wrong', () => {
    const findings = checkScenario(good.stage, good.scenario);
    expect(findings.filter(({ pass }) => !pass)).toEqual([]);
    expect(findings.map(({ id }) => id)).toEqual(expect.arrayContaining(['task', 'known', 'solvable', 'reference']));
  });

  it.each<[string, () => unknown, string, RegExp]>([
    ['of another version', () => ({ ...good.scenario, treadle: 'scenario/0' }), 'version', /scenario\/0/],
    ['that is none', () => ({ hello: 1 }), 'shape', /not a valid scenario/],
    ['without events', () => ({ ...good.scenario, events: [] }), 'shape', /events/],
    ['of another task', () => ({ ...good.scenario, task: 'a'.repeat(64) }), 'task', /aaaaaaaaaaaa/],
    ['of another world', () => ({ ...good.scenario, world: 'b'.repeat(64) }), 'task', /bbbbbbbbbbbb/],
    ['about a record that is not there', () => withEvent(deleted('nobody')), 'applies', /not there/],
    [
      'about a table that is not there',
      () => withEvent({ writes: [{ service: 'billing', table: 'unicorn' }] }),
      'known',
      /billing\.unicorn/,
    ],
    [
      'about a check that is not there',
      () => withEvent({ checks: { retire: ['c99'], replace: [], add: [] } }),
      'known',
      /c99/,
    ],
    [
      'whose event fires never',
      () =>
        withEvent({
          guard: [{ path: { service: good.row.service, table: good.row.table, key: good.row.key }, op: 'absent' }],
        }),
      'applies',
      /does not hold/,
    ],
    ['whose event comes after all is over', () => withEvent({ when: { at: 9_000_000_000 } }), 'applies', /never fires/],
    [
      'that contradicts itself',
      () => withEvent({}, { ...eventOf(good.scenario), id: 'and_another' }),
      'graph',
      /contradict one another/,
    ],
    [
      'whose events need one another',
      () => {
        const event = eventOf(good.scenario);
        const other = { ...event, id: 'other', needs: [{ id: event.id, delay: 0 }] };
        return withEvent({ needs: [{ id: 'other', delay: 0 }] }, other);
      },
      'graph',
      /other/,
    ],
    [
      'that makes the task impossible',
      () => {
        const { checks } = eventOf(good.scenario);
        const replace = checks.replace.map(({ id, by }) => ({
          id,
          by: by.kind === 'equals' ? { ...by, value: 'never' } : { ...by, where: { [good.row.col]: 'never' } },
        }));
        return withEvent({ checks: { ...checks, replace } as ScenarioEvent['checks'] });
      },
      'solvable',
      /wanted|never|0/,
    ],
    [
      'that needs a tool which does not exist',
      () => {
        const { reference } = eventOf(good.scenario);
        const insert = reference.insert.map((call) => ({ ...call, tool: 'magic_wand' }));
        return withEvent({ reference: { ...reference, insert } });
      },
      'known',
      /magic_wand/,
    ],
    ['nobody is told of', () => withEvent({ notify: { to: 'none' } }), 'noticeable', /nobody tells/],
    [
      'whose reference is an old one',
      () => ({ ...good.scenario, reference: good.stage.task.reference }),
      'reference',
      /does not pass/,
    ],
  ])('%s', (_, data, rule, says) => {
    const finding = wrong(data());
    expect(finding?.id, finding?.evidence.join('; ')).toBe(rule);
    expect(finding?.evidence.join('; ')).toMatch(says);
  });

  it('that tells the answer', () => {
    const { stage, scenario } = good;
    const asked = {
      ...stage.task,
      answer: { kind: 'text' as const, asks: 'what', expected: 'Four leaves', distractors: [] },
      reference: { ...stage.task.reference, answer: 'Four leaves' },
    };
    const told = { to: 'environment' as const, text: 'By the way, it is four leaves.' };
    const event = { ...eventOf(scenario), source: 'state' as const, effect: { say: told.text }, notify: told };
    const hand = madeScenario(
      { task: asked },
      { scenario: { events: [event], seed: 's' }, reference: asked.reference, findings: [] },
      1,
    );
    expect(checkScenario({ world, task: asked }, hand).at(-1)).toMatchObject({
      id: 'noticeable',
      pass: false,
      evidence: [expect.stringContaining('gives the answer away')],
    });
  });

  it('leaves no page of what was tried out', () => {
    const size = [...world.services.values()][0]?.pristine.base.pageSize as number;
    const { live } = slabsFor(size);
    checkScenario(good.stage, good.scenario);
    checkScenario(good.stage, withEvent(deleted('nobody')));
    expect(slabsFor(size).live).toBe(live);
  });
});
