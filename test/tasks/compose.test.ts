/** Composed tasks: grown on a world, proven stage by stage and as a whole, and refused where a line of their gate is broken. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Check } from '../../src/artifacts/check.js';
import { parseArtifact } from '../../src/artifacts/registry.js';
import type { Task } from '../../src/artifacts/task.js';
import { canonicalJson } from '../../src/kit/hash.js';
import { rng } from '../../src/kit/rng.js';
import { callerOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { type Composed, type ComposeWish, composeTask } from '../../src/tasks/compose/compose.js';
import { errandsOf } from '../../src/tasks/compose/errands.js';
import { planCases } from '../../src/tasks/compose/rounds.js';
import { strayCall } from '../../src/tasks/generate.js';
import { type Ground, prepareGround } from '../../src/tasks/ground/ground.js';
import { gather } from '../../src/verify/evidence.js';
import { brokenRows } from '../../src/verify/invariants.js';
import { verify } from '../../src/verify/verdict.js';
import { dropGrounded, groundedWorld } from '../../src/world/grounded.js';
import type { LoadedWorld } from '../../src/world/loaded.js';
import { catalogueWorld } from './worlds.js';

let world: LoadedWorld;
let ground: Ground;
let made: Composed[];

const wish = (seed: string, stages: number): ComposeWish => ({
  id: `t-${seed}`,
  profile: 'standard',
  stages,
  least: 6,
  services: new Set(['billing', 'order_mgmt', 'support_desk', 'inventory']),
  leastServices: 2,
  stray: strayCall(ground, rng(seed, 'stray')),
  random: rng(seed, 'compose-test'),
});

beforeAll(async () => {
  world = await catalogueWorld('a kitchen supplies wholesaler in Leeds', 'compose', [
    'billing',
    'order_mgmt',
    'support_desk',
    'inventory',
  ]);
  ground = prepareGround(world);
  made = ['a', 'b', 'c'].flatMap((seed) => {
    const one = composeTask(ground, wish(seed, 14));
    return typeof one === 'string' ? [] : [one];
  });
}, 240_000);

/** Plays the reference stage by stage as an agent with the task's services would, each reply at its stage's end. */
const play = (task: Task, skip?: string) => {
  const own = groundedWorld(world, task.grounding);
  const session = Session.open(own, { id: 'play', services: task.services, me: callerOf(task.actor) });
  const answers: Record<string, string> = {};
  const passed: boolean[] = [];
  let at = 0;
  for (const [n, node] of task.nodes.entries()) {
    const calls = task.reference.calls.slice(at, at + node.chain.length);
    at += node.chain.length;
    if (node.id !== skip) for (const call of calls) session.call(call.tool, structuredClone(call.args));
    const says = task.milestones[n]?.says ?? '';
    answers[node.id] = says;
    const verdict = verify(task, { ...gather(session, says), answers }, 'play', undefined, node.id);
    passed.push(verdict.milestones[n]?.pass === true);
  }
  const whole = verify(task, gather(session, task.reference.answer), 'play');
  const staged = verify(task, { ...gather(session, ''), answers }, 'play');
  session.drop();
  dropGrounded(world, own);
  return { passed, whole: whole.pass, staged: staged.pass };
};

describe('what is kept', () => {
  it('most tries give a task, with every line of the gate executed and held', () => {
    const good = made.filter(({ certificate }) => certificate.pass);
    expect(good.length).toBeGreaterThanOrEqual(2);
    for (const { task, certificate } of good) {
      expect(parseArtifact('task', structuredClone(task), 'task')).toEqual(task);
      expect(task.nodes.length).toBeGreaterThanOrEqual(6);
      expect(certificate.findings.map(({ id }) => id)).toEqual([
        'null_agent_fails',
        'reference_passes',
        'stages_gated',
        'graph',
        'stable',
        'obeys_policy',
        'reachable',
        'not_leaked',
        'alternatives_pass',
        'mutants_fail',
      ]);
    }
  });

  it('is the same for the same seed', () => {
    const again = composeTask(ground, wish('a', 14));
    expect(canonicalJson((again as Composed).task as never)).toBe(canonicalJson((made[0] as Composed).task as never));
  });

  it('the reference passes each milestone at its end and the whole, by final message and by replies', () => {
    for (const { task, certificate } of made) {
      if (!certificate.pass) continue;
      const { passed, whole, staged } = play(task);
      expect(passed.every(Boolean)).toBe(true);
      expect([whole, staged]).toEqual([true, true]);
    }
  });

  it('a stage left out fails its own milestone and the whole', () => {
    const { task } = made.find(({ certificate }) => certificate.pass) as Composed;
    const change = task.milestones.findIndex(({ answer }) => answer === undefined);
    const { passed, whole } = play(task, task.nodes[change]?.id);
    expect(passed[change]).toBe(false);
    expect(whole).toBe(false);
  });

  it('edges lead forward and name nodes; names mean one row; the brief holds no key', () => {
    for (const { task } of made) {
      const place = new Map(task.nodes.map(({ id }, i) => [id, i]));
      for (const { from, to } of task.edges) expect(place.get(from)).toBeLessThan(place.get(to) as number);
      expect(new Set(task.bindings.map(({ name }) => name)).size).toBe(task.bindings.length);
      for (const { key } of task.bindings) if (String(key).length > 3) expect(task.brief).not.toContain(String(key));
    }
  });

  it('a check that a later stage overtakes names it, and every other holds at the end', () => {
    for (const { task } of made) {
      const order = new Map(task.milestones.map(({ node }, i) => [node, i]));
      for (const [i, { checks }] of task.milestones.entries())
        for (const { until } of checks) if (until !== undefined) expect(order.get(until)).toBeGreaterThan(i);
    }
  });
});

describe('grounding', () => {
  it('adds rows in three rounds that fit, break no rule, and leave the world alone', () => {
    const errands = errandsOf(world);
    expect(errands.length).toBeGreaterThan(0);
    const { cases, grounding } = planCases(ground, errands.slice(0, 3), 6, rng('g', 'rounds'));
    expect(cases).toHaveLength(6);
    expect(grounding.rounds.map(({ round }) => round)).toEqual(['entities', 'relations', 'context']);
    for (const { rows } of grounding.rounds) expect(rows.length).toBeGreaterThan(0);
    const own = groundedWorld(world, grounding);
    const states = (at: LoadedWorld) =>
      Object.fromEntries([...at.services.values()].map(({ id, pristine }) => [id, pristine]));
    for (const invariant of world.spec.invariants)
      expect(brokenRows(own, invariant, states(own), world.spec.clock).length).toBeLessThanOrEqual(
        brokenRows(world, invariant, states(world), world.spec.clock).length,
      );
    for (const { anchors } of cases)
      for (const { service, table, key } of anchors) {
        const there = own.services.get(service);
        there?.connection.bind(there.pristine);
        const found = there?.connection
          .prepare(`SELECT count(*) AS n FROM "${table}" WHERE "${there.keys[table]}" = ?`)
          .get([key]);
        expect(found?.n).toBe(1);
      }
    dropGrounded(world, own);
  });
});

describe('what is wrong with a task shows', () => {
  const broken = (change: (checks: Check[]) => Check[]): boolean => {
    const { task } = made.find(({ certificate }) => certificate.pass) as Composed;
    const own: Task = structuredClone(task);
    for (const milestone of own.milestones) milestone.checks = change(milestone.checks);
    const { passed, whole } = play(own);
    return passed.every(Boolean) && whole;
  };

  it('a check that asks for something else fails the reference', () => {
    expect(broken((checks) => checks)).toBe(true);
    expect(
      broken((checks) =>
        checks.map((check) =>
          check.kind === 'count'
            ? { ...check, count: check.count + 1 }
            : check.kind === 'equals'
              ? { ...check, value: 'other' }
              : check,
        ),
      ),
    ).toBe(false);
  });

  it('a world without the wanted services or stages says how many it gives', () => {
    const few = composeTask(ground, { ...wish('few', 8), least: 40, services: new Set(['support_desk']) });
    expect(few).toMatch(/^gives \d+ stages, 40 wanted$/);
  });
});
