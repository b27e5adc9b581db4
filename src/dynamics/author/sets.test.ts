/** Several events in one scenario: whichever of them come to pass, it can be done, and who hears of nothing fails. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call } from '../../artifacts/task.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { event } from '../event.fixture.js';
import { graphOf } from '../graph.js';
import { realisableSubsets } from '../realisable.js';
import { Course, solving } from '../solve/course.js';
import { scenariosFor } from './author.js';
import { believing } from './believing.js';
import { isDistractor } from './case.js';
import { decideOnSet } from './decide-set.js';
import type { Made } from './made.js';
import { setsOf } from './sets.js';
import { type Stage, tryOut } from './trial.js';

let world: LoadedWorld;
let made: { stage: Stage; accepted: Made[] }[];
beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'events', ['billing', 'support_desk']);
  made = generateTasks(world, { count: 16, seed: 'events' }).tasks.map(({ task }) => {
    const stage = { world, task };
    return { stage, accepted: scenariosFor(stage, rng('e', task.id), 's', { perTask: 99 }).accepted };
  });
}, 240_000);
afterAll(() => unloadWorld(world));

const sets = (): { stage: Stage; one: Made }[] =>
  made.flatMap(({ stage, accepted }) =>
    accepted.flatMap((one) => (one.scenario.events.length > 1 ? [{ stage, one }] : [])),
  );

describe('sets of events', () => {
  it('are there, some deeper than one, of different sources', () => {
    expect(sets().length).toBeGreaterThan(8);
    expect(sets().some(({ one }) => graphOf(one.scenario.events).depth > 1)).toBe(true);
    expect(sets().some(({ one }) => new Set(one.scenario.events.map(({ source }) => source)).size > 1)).toBe(true);
  });

  it('are solved and have consequences, whichever of them come to pass', () => {
    for (const { stage, one } of sets()) {
      const graph = graphOf(one.scenario.events);
      for (const chosen of realisableSubsets(graph, rng('x'))) {
        const events = one.scenario.events
          .filter(({ id }) => chosen.includes(id))
          .map((each) => ({ ...each, excludes: each.excludes.filter((id) => chosen.includes(id)) }));
        // By chance they come or do not; here they come.
        const scenario = { seed: one.scenario.seed, events: events.map(soon) };
        const solved = tryOut(stage, scenario, solving(Course.of(stage)));
        const stale = tryOut(stage, scenario, believing(stage));
        expect(solved.verdict.pass, `${stage.task.id} ${chosen}`).toBe(true);
        const came = solved.engine.fired();
        const isOld = came.length === 0 || came.every(isDistractor);
        if (stale.engine.fired().length === came.length) expect(stale.verdict.pass).toBe(isOld);
        for (const { session } of [solved, stale]) session.drop();
      }
    }
  });
  const soon = (one: ScenarioEvent): ScenarioEvent =>
    'random' in one.when ? { ...one, when: { at: one.when.random.from } } : one;

  it('say how many sets may come to pass, and what became of them', () => {
    for (const { one } of sets()) {
      const { evidence = [] } = one.findings.find(({ id }) => id === 'solvable') ?? {};
      expect(evidence.at(-1)).toMatch(/^\d+ sets of these events may come to pass: .* each solved/);
      expect(one.findings.at(-1)).toMatchObject({ id: 'graph', pass: true });
    }
  });

  it('with a circle, or a contradiction nobody excluded, are refused with it', () => {
    const { stage, one } = sets().find(({ one: { scenario } }) => scenario.events.length === 2) as {
      stage: Stage;
      one: Made;
    };
    const [first, second] = [...one.scenario.events].sort((a, b) => (a.id < b.id ? -1 : 1)) as [
      ScenarioEvent,
      ScenarioEvent,
    ];
    const need = (own: ScenarioEvent, other: ScenarioEvent): ScenarioEvent => ({
      ...own,
      excludes: [],
      needs: [{ id: other.id, delay: 0 }],
    });
    const decided = (events: ScenarioEvent[]) => decideOnSet(stage, { events, seed: 's' }, () => false);
    expect(decided([need(first, second), need(second, first)])).toMatchObject({
      accepted: false,
      rule: 'graph',
      evidence: expect.stringContaining(`${first.id} -> ${second.id} -> ${first.id}`),
    });
    const revising = made
      .flatMap(({ stage: own, accepted }) => accepted.map((each) => ({ own, each })))
      .find(({ each: { scenario } }) => (scenario.events[0]?.checks.replace.length ?? 0) > 0);
    const [mind] = revising?.each.scenario.events ?? [];
    if (!revising || !mind) throw new Error('no event revises a check');
    const twins = ['one', 'twin'].map((id) => ({ ...mind, id, excludes: [], needs: [] }));
    expect(decideOnSet(revising.own, { events: twins, seed: 's' }, () => false)).toMatchObject({
      accepted: false,
      rule: 'graph',
      evidence: expect.stringContaining('contradict'),
    });
  });
});

const call = (tool: string): Call => ({ service: 'billing', tool, args: {} });
const calls = ['a', 'b', 'c', 'd', 'e', 'f'].map(call);
const edits = fc.record({
  from: fc.nat(5),
  drop: fc.nat(1),
  check: fc.constantFrom('c1', 'c2', 'c3', undefined),
  source: fc.constantFrom('requirement' as const, 'state' as const, 'fault' as const),
  when: fc.constantFrom({ at: 5 }, { random: { p: 0.5, from: 0, to: 9 } }, { after: { tool: 'a', nth: 1 } }),
});

describe('the making of sets', () => {
  it('gives graphs without circles or contradictions, each event once, no more than asked for', () => {
    fc.assert(
      fc.property(
        fc.array(edits, { maxLength: 7 }),
        fc.integer({ min: 2, max: 5 }),
        fc.integer(),
        (list, most, seed) => {
          const events = list.map(({ from, drop, check, source, when }, n) =>
            event(`e${n}`, {
              source,
              when,
              reference: { from, drop, insert: [] },
              checks: { retire: check === undefined ? [] : [check], replace: [], add: [] },
            }),
          );
          const task = { reference: { calls, answer: 'yes', sources: [] } };
          for (const set of setsOf(task, events, { most, tries: 6 }, rng(seed))) {
            expect(set.length).toBeGreaterThan(1);
            expect(set.length).toBeLessThanOrEqual(most);
            const graph = graphOf(set);
            for (const chosen of realisableSubsets(graph, rng(seed)))
              for (const id of chosen)
                expect(graph.events.get(id)?.needs.every((need) => chosen.includes(need.id))).toBe(true);
          }
          expect(setsOf(task, events, { most, tries: 6 }, rng(seed))).toEqual(
            setsOf(task, events, { most, tries: 6 }, rng(seed)),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});
