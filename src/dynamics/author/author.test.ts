/** Events for the tasks of made worlds: what is accepted was carried out, and every rule refuses what breaks it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import { Certificate } from '../../artifacts/certificate.js';
import type { Check } from '../../artifacts/check.js';
import { Scenario, type ScenarioEvent } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import { addressOf } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { slabsFor } from '../../world/state/slabs.js';
import { isFrame } from '../verifier/footprints.js';
import { decide, type Reason, RULES, type Rule } from './accept.js';
import { eventsFor, scenariosFor } from './author.js';
import { believing } from './believing.js';
import { isDistractor } from './case.js';
import { changesOfMind } from './change-of-mind.js';
import { certificateOf, type Made, madeScenario } from './made.js';
import { edited, type Stage, tryOut } from './trial.js';

let world: LoadedWorld;
let tasks: Task[];
let made: { stage: Stage; accepted: Made[] }[];
beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'events', ['billing', 'support_desk']);
  tasks = generateTasks(world, { count: 16, seed: 'events' }).tasks.map(({ task }) => task);
  made = tasks.map((task) => {
    const stage = { world, task };
    return { stage, accepted: eventsFor(stage, rng('e', task.id), 's').accepted };
  });
}, 240_000);
afterAll(() => unloadWorld(world));

const every = (): { stage: Stage; scenario: Made }[] =>
  made.flatMap(({ stage, accepted }) => accepted.map((scenario) => ({ stage, scenario })));
const eventOf = ({ scenario }: Made): ScenarioEvent => scenario.events[0] as ScenarioEvent;

describe('what is accepted', () => {
  it('is there, of several sources', () => {
    const sources = new Set(every().map(({ scenario }) => eventOf(scenario).source));
    expect(every().length).toBeGreaterThan(8);
    expect(sources.has('requirement')).toBe(true);
    expect(sources.has('fault')).toBe(true);
  });

  it('is solved by its reference, not by the old plan and not by doing nothing, and leaves other checks alone', () => {
    for (const { stage, scenario } of every()) {
      const event = eventOf(scenario);
      const { task } = stage;
      const solved = tryOut(stage, scenario.scenario, scenario.reference);
      const stale = tryOut(stage, scenario.scenario, believing(stage));
      const nothing = tryOut(stage, scenario.scenario, { calls: [], answer: '' });
      expect(
        [solved, stale, nothing].map(({ verdict }) => verdict.pass),
        `${task.id} ${event.id}`,
      ).toEqual([true, isDistractor(event), false]);
      const revised = new Set([...event.checks.retire, ...event.checks.replace.map(({ id }) => id)]);
      for (const check of task.milestones.flatMap(({ checks }) => checks))
        if (!revised.has(check.id) && !isFrame(check)) expect(solved.revision.kept).toContain(check.id);
      for (const { session } of [solved, stale, nothing]) session.drop();
    }
  });

  it('keeps what was executed for each rule, and becomes an artifact with its certificate', () => {
    for (const { stage, scenario } of every()) {
      expect(scenario.findings.map(({ id }) => id).sort()).toEqual([...RULES].sort());
      for (const { pass, evidence } of scenario.findings) expect([pass, evidence.length > 0]).toEqual([true, true]);
      const kept = Scenario.parse(madeScenario(stage, scenario, 1));
      expect(kept).toMatchObject({ id: `${stage.task.id}-e1`, task: addressOf(stage.task), world: stage.task.world });
      expect(Certificate.parse(certificateOf(kept, scenario))).toMatchObject({ pass: true, subject: addressOf(kept) });
      for (const { call, from } of scenario.reference.sources)
        if ('observed' in from) expect(from.observed).toBeLessThan(call);
    }
  });

  it('is spread over sources where only some are kept, and of the sources asked for', () => {
    const rich = made.find(({ accepted }) => new Set(accepted.map((one) => eventOf(one).source)).size > 1);
    const { stage } = rich as (typeof made)[number];
    const two = scenariosFor(stage, rng('e', stage.task.id), 's', { perTask: 2 });
    expect(two.accepted.length).toBe(2);
    expect(
      new Set(two.accepted.flatMap(({ scenario }) => scenario.events.map(({ source }) => source))).size,
    ).toBeGreaterThanOrEqual(2);
    const faults = scenariosFor(stage, rng('e', stage.task.id), 's', { perTask: 9, sources: ['fault'], most: 1 });
    expect(new Set(faults.accepted.map((one) => eventOf(one).source))).toEqual(new Set(['fault']));
  });

  it('is told by the user in words that name the new value and no id', () => {
    for (const { stage, scenario } of every()) {
      const { id, notify, checks } = eventOf(scenario);
      if (!id.startsWith('new_')) continue;
      expect(notify).toMatchObject({ to: 'user', text: expect.stringMatching(/^.{10,}[.!?”]$/) });
      for (const { key } of stage.task.bindings) expect(notify.text).not.toContain(String(key));
      expect(checks.replace.length).toBeGreaterThan(0);
    }
  });

  it('is the same each time', () => {
    const { stage, accepted } = made.find(({ accepted: some }) => some.length > 0) as (typeof made)[number];
    expect(eventsFor(stage, rng('e', stage.task.id), 's').accepted).toEqual(accepted);
  });
});

describe('a rule refuses', () => {
  /** A task with a change of mind that is accepted, to be spoilt. */
  const good = (): { stage: Stage; event: ScenarioEvent; answer: string } => {
    for (const { stage, accepted } of made) {
      const wish = accepted.find((one) => eventOf(one).source === 'requirement');
      if (wish) return { stage, event: eventOf(wish), answer: wish.reference.answer };
    }
    throw new Error('no change of mind was accepted');
  };
  const ruleOf = (change: (event: ScenarioEvent, stage: Stage) => Partial<ScenarioEvent>): Reason | 'accepted' => {
    const { stage, event, answer } = good();
    const decision = decide(stage, { event: { ...event, ...change(event, stage) }, answer }, 's');
    return decision.accepted ? 'accepted' : decision.rule;
  };
  const row = (stage: Stage) => {
    const { service, table, key } = stage.task.bindings[0] as Task['bindings'][number];
    return { service, table, key };
  };

  it('nothing of the good one', () => expect(ruleOf(() => ({}))).toBe('accepted'));

  it.each<[string, Rule, (event: ScenarioEvent, stage: Stage) => Partial<ScenarioEvent>]>([
    ['one that never fires', 'applies', () => ({ when: { after: { tool: 'no_such_tool', nth: 1 } } })],
    ['one whose guard never holds', 'applies', (_, stage) => ({ guard: [{ path: row(stage), op: 'absent' }] })],
    [
      'one about a record that is not there',
      'applies',
      (_, stage) => ({
        effect: { patch: [{ do: 'delete', ...row(stage), where: { [keyCol(stage)]: 'none' } } as never] },
      }),
    ],
    ['one that says it writes what it does not', 'writes_as_declared', (_, stage) => ({ writes: [row(stage)] })],
    [
      'one after which the old plan will do',
      'has_consequences',
      ({ checks, reference }) => ({
        checks: { retire: [], replace: [], add: [], ...asBefore(checks) },
        reference: { insert: [], from: reference.from, drop: 0 },
      }),
    ],
    [
      'one whose checks nobody can meet',
      'solvable',
      ({ checks }) => ({
        checks: { ...checks, replace: checks.replace.map(({ id, by }) => ({ id, by: impossible(by) })) },
      }),
    ],
    [
      'one with another reference than it needs',
      'solvable',
      (event) => ({ reference: { ...event.reference, insert: [] } }),
    ],
    ['one that comes when all is done', 'noticeable', (_, stage) => ({ when: lastCall(stage) })],
    ['one that nobody tells of', 'noticeable', () => ({ notify: { to: 'none' } })],
  ])('%s: %s', (_, rule, change) => expect(ruleOf(change)).toBe(rule));

  /** Checks put in place of themselves: something is revised, and nothing is another. */
  const asBefore = ({ replace }: ScenarioEvent['checks']): Partial<ScenarioEvent['checks']> => {
    const own = new Map(good().stage.task.milestones.flatMap(({ checks }) => checks.map((check) => [check.id, check])));
    return { retire: [], replace: replace.map(({ id }) => ({ id, by: { ...(own.get(id) as Check) } })) };
  };
  const keyCol = (stage: Stage): string => {
    const { service, table } = row(stage);
    return world.services.get(service)?.keys[table] as string;
  };
  const impossible = (check: ScenarioEvent['checks']['replace'][number]['by']) =>
    check.kind === 'equals'
      ? { ...check, value: 'never' }
      : { ...check, where: { [Object.keys((check as { where: object }).where)[0] as string]: 'never' } };
  const lastCall = ({ task }: Stage): ScenarioEvent['when'] => {
    const { tool } = task.reference.calls.at(-1) as Task['reference']['calls'][number];
    return { after: { tool, nth: task.reference.calls.filter((call) => call.tool === tool).length } };
  };

  it('an undeclared write', () => {
    const { stage, event, answer } = good();
    const { service, table, key } = row(stage);
    const col = Object.entries(world.services.get(service)?.spec.tables[table]?.cols ?? {}).find(
      ([name, { type, fk, enum: choices }]) => type === 'text' && !fk && !choices && name !== keyCol(stage),
    )?.[0] as string;
    const patch = [
      { do: 'update' as const, service, table, where: { [keyCol(stage)]: key }, set: { [col]: 'theirs' } },
    ];
    expect(decide(stage, { event: { ...event, effect: { patch } }, answer }, 's')).toMatchObject({
      accepted: false,
      rule: 'writes_as_declared',
      evidence: expect.stringContaining(col),
    });
  });

  it('keeps no pages of what it tried out', () => {
    const { stage } = good();
    const size = [...world.services.values()][0]?.pristine.base.pageSize as number;
    const { live } = slabsFor(size);
    for (const candidate of changesOfMind(stage, rng('again'))) decide(stage, candidate, 's');
    expect(slabsFor(size).live).toBe(live);
  });
});

it('an edited reference leaves the rest of it alone', () => {
  const { stage } = made[0] as (typeof made)[number];
  const calls = stage.task.reference.calls;
  const event = { reference: { insert: [], from: 0, drop: 0 } } as unknown as ScenarioEvent;
  expect(edited(stage.task.reference, event)).toEqual(calls);
});
