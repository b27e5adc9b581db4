/** Colleagues who get in the way: a record set back by mistake, and one that is there already. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { type Candidate, type Decision, decide } from './accept.js';
import { madeAlready } from './made-already.js';
import { setBack } from './set-back.js';
import type { Stage } from './trial.js';

type Tried = { stage: Stage; candidate: Candidate; decision: Decision };

let world: LoadedWorld;
let tried: { set: Tried[]; made: Tried[] };
beforeAll(async () => {
  world = await catalogueWorld('a wholesale company in Hamburg', 'colleagues', ['inventory', 'order_mgmt', 'billing']);
  // Few tasks have what it takes.
  const tasks = ['colleagues', 'more', 'again']
    .flatMap((seed) => generateTasks(world, { count: 24, seed }).tasks)
    .filter(({ task }) => !task.grounding);
  const by = (make: typeof setBack): Tried[] =>
    tasks.flatMap(({ task }) => {
      const stage = { world, task };
      const candidates = make(stage, rng('c', task.id));
      return candidates.map((candidate) => ({ stage, candidate, decision: decide(stage, candidate, 's') }));
    });
  tried = { set: by(setBack), made: by(madeAlready) };
}, 240_000);
afterAll(() => unloadWorld(world));

const accepted = (some: readonly Tried[]): Tried[] => some.filter(({ decision }) => decision.accepted);
const spoilt = ({ stage, candidate }: Tried, change: (event: ScenarioEvent) => Partial<ScenarioEvent>): Decision =>
  decide(stage, { ...candidate, event: { ...candidate.event, ...change(candidate.event) } }, 's');

describe('a record that a colleague moved by mistake', () => {
  it('is put right first, by another tool', () => {
    expect(accepted(tried.set).length).toBeGreaterThan(0);
    for (const { candidate, stage } of accepted(tried.set)) {
      const { insert, from, drop } = candidate.event.reference;
      expect([insert.length, drop]).toEqual([1, 0]);
      expect(insert[0]?.tool).not.toBe(stage.task.reference.calls[from]?.tool);
      expect(candidate.event.notify.text).not.toMatch(/[{}_]/);
    }
  });

  it('leaves the old plan refused: without the step the task cannot be done', () => {
    const [one] = accepted(tried.set);
    const without = ({ reference }: ScenarioEvent) => ({ reference: { ...reference, insert: [] } });
    expect(spoilt(one as Tried, without)).toMatchObject({ accepted: false, rule: 'solvable' });
  });

  it('is refused where it is another record than there is', () => {
    const [one] = accepted(tried.set);
    const decision = spoilt(one as Tried, ({ effect }) => {
      const [op] = 'patch' in effect ? effect.patch : [];
      const where = Object.fromEntries(Object.keys(op?.where ?? {}).map((col) => [col, 'none']));
      return op ? { effect: { patch: [{ ...op, where }] } } : {};
    });
    expect(decision).toMatchObject({ accepted: false, rule: 'applies' });
  });
});

describe('a record that a colleague has entered', () => {
  it('is not entered a second time', () => {
    expect(accepted(tried.made).length).toBeGreaterThan(0);
    for (const { candidate, stage } of accepted(tried.made)) {
      const { insert, drop } = candidate.event.reference;
      expect([insert.length, drop]).toEqual([0, 1]);
      expect(stage.task.reference.calls.length).toBeGreaterThan(1);
    }
  });

  it('has a key of its own that nobody tells', () => {
    for (const { candidate } of accepted(tried.made)) {
      const { effect, notify } = candidate.event;
      const [op] = 'patch' in effect ? effect.patch : [];
      for (const value of Object.values(op?.set ?? {}))
        if (typeof value === 'string' && value.length > 12) expect(notify.text).not.toContain(value);
    }
  });
});
