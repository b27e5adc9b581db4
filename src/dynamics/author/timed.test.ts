/** Events that come by the clock or by chance: solvable wherever the agent is by then, or over in time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { Course, solving } from '../solve/course.js';
import { everyPrefix } from '../solve/prefixes.js';
import { decideOn } from './accept.js';
import { scenariosFor } from './author.js';
import { changesOfMind } from './change-of-mind.js';
import type { Made } from './made.js';
import { anytime } from './retime.js';
import { triggerOf } from './spread.js';
import { type Stage, tryOut } from './trial.js';

let world: LoadedWorld;
let made: { stage: Stage; accepted: Made[] }[];
beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'events', ['billing', 'support_desk']);
  made = generateTasks(world, { count: 16, seed: 'events' }).tasks.map(({ task }) => {
    const stage = { world, task };
    return { stage, accepted: scenariosFor(stage, rng('e', task.id), 's', { perTask: 99, most: 1 }).accepted };
  });
}, 240_000);
afterAll(() => unloadWorld(world));

const eventOf = ({ scenario }: Made): ScenarioEvent => scenario.events[0] as ScenarioEvent;
const timed = (): { stage: Stage; one: Made; event: ScenarioEvent }[] =>
  made.flatMap(({ stage, accepted }) =>
    accepted.flatMap((one) => (triggerOf(eventOf(one)) === 'after' ? [] : [{ stage, one, event: eventOf(one) }])),
  );
/** A change of mind about something that can be set again, and one about something that cannot. */
const mindsOf = (isUndone: boolean): { stage: Stage; event: ScenarioEvent } => {
  for (const { stage } of made)
    for (const { event } of changesOfMind(stage, rng('e', stage.task.id).stream('changesOfMind'))) {
      const open = anytime(stage, event, 's');
      const isOpen = open?.expires === undefined && open?.guard.length === 0;
      if (open && isOpen === isUndone) return { stage, event };
    }
  throw new Error('there is no such change of mind');
};

describe('events by the clock and by chance', () => {
  it('are there, with the places they were tried at in the evidence', () => {
    expect(new Set(timed().map(({ event }) => triggerOf(event)))).toEqual(new Set(['at', 'random']));
    for (const { one, stage } of timed()) {
      const { evidence = [] } = one.findings.find(({ id }) => id === 'solvable') ?? {};
      expect(evidence.join(' ')).toContain(`after each of ${stage.task.reference.calls.length + 1}`);
    }
  });

  it('fire while the reference is carried out, which then is what the scenario keeps', () => {
    for (const { stage, one, event } of timed()) {
      const course = Course.of(stage);
      const { engine, session, verdict } = tryOut(stage, one.scenario, solving(course));
      expect(engine.fired().map(({ id }) => id)).toEqual([event.id]);
      expect(session.ledger.map(({ tool, args }) => ({ tool, args }))).toEqual(
        one.reference.calls.map(({ tool, args }) => ({ tool, args })),
      );
      expect([verdict.pass, course.answer]).toEqual([true, one.reference.answer]);
      session.drop();
    }
  });

  it('are made up for where they come late and it can be set again', () => {
    const { stage, event } = mindsOf(true);
    const tried = everyPrefix(stage, [{ ...event, when: { at: 0 } }], 's');
    expect(tried.unsolved).toMatchObject({ after: event.reference.from + 1, why: expect.stringContaining(event.id) });
    const open = anytime(stage, event, 's') as ScenarioEvent;
    expect(open.reference.late).toEqual(event.reference.insert);
    const all = everyPrefix(stage, [{ ...open, when: { at: 0 } }], 's');
    expect(all.unsolved).toBeUndefined();
    expect(all.inTime).toBe(event.reference.from + 1);
    expect(all.late).toBe(stage.task.reference.calls.length - event.reference.from);
  });

  it('are guarded or expire before what cannot be set again', () => {
    const { stage, event } = mindsOf(false);
    const open = anytime(stage, event, 's') as ScenarioEvent;
    expect(open.guard.length > 0 || (open.expires ?? 0) > stage.task.clock).toBe(true);
    const all = everyPrefix(stage, [{ ...open, when: { at: 0 } }], 's');
    expect([all.unsolved, all.late, all.over > 0]).toEqual([undefined, 0, true]);
    const { expires: _, ...endless } = { ...open, guard: [] };
    const decision = decideOn(stage, { events: [{ ...endless, when: { at: stage.task.clock + 1 } }], seed: 's' });
    expect(decision).toMatchObject({
      accepted: false,
      rule: 'solvable',
      evidence: expect.stringMatching(/made to come after \d+ calls it cannot be done/),
    });
  });

  it('are the same each time', () => {
    const { stage, accepted } = made.find(({ accepted: some }) => some.length > 2) as (typeof made)[number];
    const again = scenariosFor(stage, rng('e', stage.task.id), 's', { perTask: 99, most: 1 });
    expect(again.accepted).toEqual(accepted);
  });
});
