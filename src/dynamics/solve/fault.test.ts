/** Whose fault a failed rollout of a scenario is: found by doing it from where the event fired, and without the event. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call } from '../../artifacts/task.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { slabsFor } from '../../world/state/slabs.js';
import { scenariosFor } from '../author/author.js';
import { believing } from '../author/believing.js';
import { isDistractor } from '../author/case.js';
import type { Made } from '../author/made.js';
import { type Stage, tryOut } from '../author/trial.js';
import { event, onCall } from '../event.fixture.js';
import { assignFault } from './fault.js';

let world: LoadedWorld;
let made: { stage: Stage; accepted: Made[] }[];
beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'events', ['billing', 'support_desk']);
  made = generateTasks(world, { count: 16, seed: 'events' }).tasks.map(({ task }) => {
    const stage = { world, task };
    return { stage, accepted: scenariosFor(stage, rng('e', task.id), 's', { perTask: 5 }).accepted };
  });
}, 240_000);
afterAll(() => unloadWorld(world));

const every = (): { stage: Stage; one: Made }[] =>
  made.flatMap(({ stage, accepted }) => accepted.map((one) => ({ stage, one })));
const isWrite = (call: Call | undefined): boolean =>
  (world.tools.get(call?.tool ?? '')?.tool.tool.writes.length ?? 0) > 0;
/** A task that looks a row up before it changes it, with the place of the change. */
const changing = (): { stage: Stage; n: number } => {
  for (const { stage } of made) {
    const { calls } = stage.task.reference;
    const n = calls.findIndex(isWrite);
    const [check] = stage.task.milestones[0]?.checks ?? [];
    if (n > 0 && check?.kind === 'equals') return { stage, n };
  }
  throw new Error('no task changes a row');
};
/** Somebody takes the row away, and nothing is said of it. */
const gone = (stage: Stage): ScenarioEvent => {
  const [binding] = stage.task.bindings;
  const { service = '', table = '', key = '' } = binding ?? {};
  const col = world.services.get(service)?.keys[table] as string;
  const { tool } = stage.task.reference.calls[0] as Call;
  return event('gone', {
    ...onCall(tool),
    effect: { patch: [{ do: 'update', service, table, where: { [col]: key }, set: { [col]: other(key) } }] },
  });
};
const other = (key: string | number): string | number => (typeof key === 'number' ? key + 777_777 : `${key}_gone`);

describe('the fault of a failed rollout', () => {
  it('is nobody’s where the reference is carried out, and the policy’s where the old plan is', () => {
    let failed = 0;
    for (const { stage, one } of every()) {
      expect(assignFault(stage, one.scenario, one.reference.calls, one.reference.answer).fault).toBe('none');
      let answer = '';
      const stale = tryOut(stage, one.scenario, (session) => {
        answer = believing(stage)(session);
        return answer;
      });
      const { ledger } = stale.session;
      const assigned = assignFault(stage, one.scenario, ledger, answer);
      stale.session.drop();
      if (one.scenario.events.every(isDistractor)) continue;
      const name = `${stage.task.id} ${one.scenario.events.map(({ id }) => id)}`;
      expect(assigned.fault, name).toBe('policy');
      // Of several events the first may have been ignored beyond repair before the next came.
      if (!assigned.solvable) expect(one.scenario.events.length, name).toBeGreaterThan(1);
      else expect(assigned.evidence, name).toMatch(/fired, after call \d+: .* passes/);
      failed++;
    }
    expect(failed).toBeGreaterThan(20);
  });

  it('is the scenario’s where the event leaves no way, and there was one without it', () => {
    const { stage } = changing();
    const { calls, answer } = stage.task.reference;
    const assigned = assignFault(stage, { events: [gone(stage)], seed: 's' }, calls, answer);
    expect(assigned).toMatchObject({ solvable: false, withoutEvent: true, fault: 'scenario' });
    expect(assigned.evidence).toMatch(/when gone fired, after call 1: none of these passes.*; without it/);
  });

  it('is the policy’s where it had spoilt it before', () => {
    const { stage } = changing();
    const { calls, answer } = stage.task.reference;
    // It does what nobody asked for, and then what was asked.
    const stray = made
      .flatMap(({ stage: { task } }) => (task.id === stage.task.id ? [] : task.reference.calls.filter(isWrite)))
      .find(({ service }) => stage.task.services.includes(service)) as Call;
    const assigned = assignFault(stage, { events: [gone(stage)], seed: 's' }, [stray, ...calls], answer);
    expect(assigned).toMatchObject({ solvable: false, withoutEvent: false, fault: 'policy' });
    expect(assigned.evidence).toContain('spoilt before');
  });

  it('is the policy’s where nothing fired, and calls that never ran are not made again', () => {
    const { stage } = changing();
    const malformed = { tool: 'x', args: {}, error: { code: 'malformed_arguments', fault: 'agent' as const } };
    const assigned = assignFault(stage, { events: [gone(stage)], seed: 's' }, [malformed], '');
    expect(assigned).toEqual({ solvable: true, withoutEvent: true, fault: 'policy', evidence: 'no event fired' });
  });

  it('is the policy’s where it could have written over what was wrong when the event came', () => {
    const aside = (tool: string) => event('aside', { ...onCall(tool), effect: { say: 'By the way, thank you.' } });
    let found = 0;
    for (const { stage, one } of every()) {
      const [changed] = one.scenario.events;
      const { calls, answer } = stage.task.reference;
      const { insert = [], from = 0, drop = 0 } = changed?.reference ?? {};
      const [other] = insert;
      // Another way to the same end is nothing wrong.
      if (!other || drop !== 1 || one.scenario.events.length > 1 || changed?.source !== 'requirement') continue;
      // It had written what nobody asked for when something came that changes nothing.
      const instead = [...calls.slice(0, from), other, ...calls.slice(from + 1)];
      const assigned = assignFault(stage, { events: [aside(other.tool)], seed: 's' }, instead, answer);
      expect(assigned.fault, stage.task.id).toBe('policy');
      if (assigned.solvable) found++;
    }
    expect(found).toBeGreaterThan(0);
  });

  it('leaves no page behind', () => {
    const size = [...world.services.values()][0]?.pristine.base.pageSize as number;
    const { live } = slabsFor(size);
    const { stage } = changing();
    assignFault(stage, { events: [gone(stage)], seed: 's' }, stage.task.reference.calls, '');
    expect(slabsFor(size).live).toBe(live);
  });
});
