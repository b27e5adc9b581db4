/** Whatever an agent does in a scenario, doing it again gives the same firings, notices and state, also from a fork on the way. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { Call } from '../../artifacts/task.js';
import { canonicalJson } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { EventEngine } from '../engine/engine.js';
import { solvedFor } from '../solve/solved.js';
import { scenariosFor } from './author.js';
import type { Made } from './made.js';
import { openOn, type Stage } from './trial.js';

let world: LoadedWorld;
let every: { stage: Stage; one: Made }[];
beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'events', ['billing', 'support_desk']);
  every = generateTasks(world, { count: 8, seed: 'events' }).tasks.flatMap(({ task }) => {
    const stage = { world, task };
    return scenariosFor(stage, rng('e', task.id), 's', { perTask: 6 }).accepted.map((one) => ({ stage, one }));
  });
}, 240_000);
afterAll(() => unloadWorld(world));

const printOf = (session: Session): string => {
  const { log, notices } = session.woven as EventEngine;
  return canonicalJson({ state: session.hash(), clock: session.clock, log, notices } as never);
};
const make = (session: Session, calls: readonly Call[]): void => {
  for (const { tool, args } of calls) session.call(tool, structuredClone(args));
};

it('any calls twice, and once more from a fork', () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(fc.nat(), { maxLength: 8 }), fc.nat(8), (which, places, cut) => {
      const { stage, one } = every[which % every.length] as (typeof every)[number];
      const known = [...one.reference.calls, ...stage.task.reference.calls];
      const calls = places.map((place) => known[place % known.length] as Call);
      const open = (): Session => openOn(stage, new EventEngine(one.scenario));
      const [first, second, third] = [open(), open(), open()];
      make(first, calls);
      make(second, calls);
      make(third, calls.slice(0, cut));
      const fork = third.fork('fork');
      // What is done to the one does nothing to the other.
      make(third, [...calls].reverse());
      make(fork, calls.slice(cut));
      expect(printOf(second)).toBe(printOf(first));
      expect(printOf(fork)).toBe(printOf(first));
      for (const session of [first, second, third, fork]) session.drop();
    }),
    { numRuns: 60 },
  );
});

it('events that fired give a reference whose arguments come from earlier calls', () => {
  for (const { stage, one } of every) {
    const fired = one.scenario.events.filter((event) =>
      one.scenario.events.every((other) => !event.excludes.includes(other.id) && !other.excludes.includes(event.id)),
    );
    for (const reference of [one.reference, solvedFor(stage.task, fired)])
      for (const { call, from } of reference.sources) {
        expect(call).toBeLessThan(reference.calls.length);
        if ('observed' in from) expect(from.observed).toBeLessThan(call);
      }
  }
});
