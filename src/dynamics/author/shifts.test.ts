/** Values that somebody outside changes after they were read: told in words, found by looking again, and fatal to who does not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { type Candidate, decide } from './accept.js';
import { shifts } from './shifts.js';
import type { Stage } from './trial.js';

let world: LoadedWorld;
let made: { stage: Stage; candidate: Candidate }[];
beforeAll(async () => {
  world = await catalogueWorld('a clinic in Toronto', 'shifts', ['billing', 'clinical_scheduling']);
  const tasks = generateTasks(world, { count: 16, seed: 'shifts' }).tasks.filter(({ task }) => !task.grounding);
  made = tasks.flatMap(({ task }) => {
    const stage = { world, task };
    return shifts(stage, rng('s', task.id)).map((candidate) => ({ stage, candidate }));
  });
}, 240_000);
afterAll(() => unloadWorld(world));

const changed = (n: number, change: (event: ScenarioEvent) => Partial<ScenarioEvent>) => {
  const { stage, candidate } = made[n] as (typeof made)[number];
  return decide(stage, { ...candidate, event: { ...candidate.event, ...change(candidate.event) } }, 's');
};

describe('a value that somebody changes', () => {
  it('is there, and accepted but for few', () => {
    const accepted = made.filter(({ stage, candidate }) => decide(stage, candidate, 's').accepted);
    expect(made.length).toBeGreaterThan(4);
    expect(accepted.length * 10).toBeGreaterThanOrEqual(made.length * 9);
  });

  it('is told of with who and what, without the value and without ids', () => {
    for (const { candidate } of made) {
      const { notify, effect } = candidate.event;
      const [op] = 'patch' in effect ? effect.patch : [];
      const value = String(Object.values(op?.set ?? {})[0]);
      const key = String(Object.values(op?.where ?? {})[0]);
      expect(notify.to).toBe('environment');
      expect(notify.text).toMatch(/^\p{Lu}.*[.]$/u);
      expect(notify.text).not.toContain(value);
      expect(notify.text).not.toContain(key);
      expect(notify.text).not.toMatch(/[{}_]/);
    }
  });

  it('is looked at again before it is used', () => {
    for (const { stage, candidate } of made) {
      const { insert } = candidate.event.reference;
      const tools = stage.task.reference.calls.map(({ tool }) => tool);
      expect(
        insert.some(({ tool }) => tools.includes(tool) && world.tools.get(tool)?.tool.tool.writes.length === 0),
      ).toBe(true);
    }
  });

  it('is the same each time', () => {
    const { stage } = made[0] as (typeof made)[number];
    const again = shifts({ ...stage }, rng('s', stage.task.id));
    expect(again).toEqual(made.filter((one) => one.stage === stage).map(({ candidate }) => candidate));
  });
});

describe('refused is', () => {
  it('one about a record that is not there', () =>
    expect(
      changed(0, ({ effect }) => {
        const [op] = 'patch' in effect ? effect.patch : [];
        const where = Object.fromEntries(Object.keys(op?.where ?? {}).map((col) => [col, 'none']));
        return op ? { effect: { patch: [{ ...op, where }] } } : {};
      }),
    ).toMatchObject({
      accepted: false,
      rule: 'applies',
      evidence: expect.stringContaining('a record that is not there'),
    }));

  it('one that tells the new answer', () => {
    const n = made.findIndex(({ stage, candidate }) => stage.task.answer && candidate.event.checks.answer);
    const { candidate } = made[n] as (typeof made)[number];
    expect(n).toBeGreaterThanOrEqual(0);
    expect(
      changed(n, ({ notify }) => ({ notify: { ...notify, text: `${notify.text} It is ${candidate.answer} now.` } })),
    ).toMatchObject({
      accepted: false,
      rule: 'noticeable',
    });
  });

  it('one that nobody tells of and no tool shows', () =>
    expect(changed(0, () => ({ notify: { to: 'none' } }))).toMatchObject({ accepted: false, rule: 'noticeable' }));
});
