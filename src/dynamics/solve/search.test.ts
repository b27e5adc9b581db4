/** The search for calls that mend what fails: by the tools' contracts, on forks, and never more than it may try. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { openOn, played, type Stage } from '../author/trial.js';
import { mended } from './search.js';

let world: LoadedWorld;
let stages: Stage[];
beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'events', ['billing', 'support_desk']);
  stages = generateTasks(world, { count: 16, seed: 'events' }).tasks.map(({ task }) => ({ world, task }));
}, 240_000);
afterAll(() => unloadWorld(world));

it('finds the calls of some tasks from their checks alone, and what it finds passes', () => {
  let found = 0;
  for (const stage of stages) {
    const session = openOn(stage);
    const calls = mended(stage, session, stage.task.reference.answer, []);
    expect(session.calls).toBe(0);
    session.drop();
    if (!calls || calls.length === 0) continue;
    found++;
    const again = played(stage, calls);
    expect(mended(stage, again, stage.task.reference.answer, [])).toEqual([]);
    again.drop();
  }
  expect(found).toBeGreaterThan(1);
});

it('finds nothing where the frame is broken', () => {
  const stray = stages
    .flatMap(({ task }) => task.reference.calls)
    .find(({ tool }) => (world.tools.get(tool)?.tool.tool.writes.length ?? 0) > 0);
  const asking = stages.find(
    ({ task }) =>
      task.answer && stray && task.services.includes(stray.service) && !task.reference.calls.includes(stray),
  ) as Stage;
  const session = played(asking, stray ? [stray] : []);
  expect(mended(asking, session, asking.task.reference.answer, [])).toBeUndefined();
  session.drop();
});
