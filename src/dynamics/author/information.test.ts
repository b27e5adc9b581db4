/** Messages that come while a task is done: one whose word counts changes what is right, any other changes nothing and misleads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { type Candidate, type Decision, decide } from './accept.js';
import { isDistractor } from './case.js';
import { hearsay } from './hearsay.js';
import { orders } from './orders.js';
import { rowsWhere } from './rows.js';
import { played, type Stage } from './trial.js';

type Tried = { stage: Stage; candidate: Candidate; decision: Decision };

let world: LoadedWorld;
let tried: Tried[];
beforeAll(async () => {
  world = await catalogueWorld('a clinic in Toronto', 'letters', ['billing', 'clinical_scheduling']);
  const tasks = generateTasks(world, { count: 16, seed: 'letters' }).tasks.filter(({ task }) => !task.grounding);
  tried = tasks.flatMap(({ task }) => {
    const stage = { world, task };
    return [orders, hearsay]
      .flatMap((make) => make(stage, rng('i', task.id)))
      .map((candidate) => ({ stage, candidate, decision: decide(stage, candidate, 's') }));
  });
}, 240_000);
afterAll(() => unloadWorld(world));

const ofKind = (distracts: boolean): Tried[] =>
  tried.filter(({ candidate }) => isDistractor(candidate.event) === distracts);
const published = ({ effect }: ScenarioEvent) => ('publish' in effect ? effect.publish : undefined);
const senderOf = (event: ScenarioEvent): string => {
  const { set = {} } = published(event) ?? {};
  return String(set.from_email ?? set.author_email);
};
const spoilt = ({ stage, candidate }: Tried, change: (event: ScenarioEvent) => Partial<ScenarioEvent>): Decision =>
  decide(stage, { ...candidate, event: { ...candidate.event, ...change(candidate.event) } }, 's');

describe('a message', () => {
  it('comes in both kinds, and is accepted but for few', () => {
    expect(ofKind(true).length).toBeGreaterThan(2);
    expect(ofKind(false).length).toBeGreaterThan(2);
    expect(tried.filter(({ decision }) => decision.accepted).length * 10).toBeGreaterThanOrEqual(tried.length * 9);
  });

  it('is told of without what it says, and read by a tool', () => {
    for (const { candidate, stage } of tried) {
      const { notify, reference } = candidate.event;
      const { set = {} } = published(candidate.event) ?? {};
      expect(notify.text).not.toContain(String(set.body));
      expect(notify.text).not.toMatch(/[{}]/);
      expect(String(set.body)).not.toMatch(/[{}]|undefined/);
      const [read] = reference.insert;
      expect(notify.discoverBy).toEqual([read?.tool]);
      expect(world.tools.get(read?.tool ?? '')?.tool.tool.writes).toEqual([]);
      for (const { key } of stage.task.bindings)
        if (String(key).length > 3) expect(String(set.body)).not.toContain(String(key));
    }
  });

  it('has authority where it is the manager’s of whoever asked', () => {
    for (const { candidate, stage } of ofKind(false)) {
      const session = played(stage, []);
      const [actor] = rowsWhere(session, 'directory', 'employee', { email: stage.task.actor.email });
      const [boss] = rowsWhere(session, 'directory', 'employee', { id: String(actor?.manager_id) });
      session.drop();
      expect(senderOf(candidate.event)).toBe(boss?.email);
      expect(candidate.event.checks.replace.length).toBeGreaterThan(0);
    }
  });

  it('without authority revises nothing, and who obeys it is seen to fail', () => {
    for (const { candidate, decision } of ofKind(true)) {
      expect(candidate.event.checks).toEqual({ retire: [], replace: [], add: [] });
      if (!decision.accepted) continue;
      const { evidence } = decision.findings.find(({ id }) => id === 'cannot_be_ignored') ?? { evidence: [] };
      expect(evidence.join(' ')).toContain(`whoever obeys ${candidate.event.id} fails`);
    }
  });
});

describe('refused is', () => {
  it('a distractor that touches what is asked', () => {
    const order = ofKind(false).find(({ decision }) => decision.accepted) as Tried;
    const publish = published(order.candidate.event);
    const decision = spoilt(order, () => ({
      effect: { publish: { ...(publish as object), authoritative: false } as never },
    }));
    expect(decision).toMatchObject({
      accepted: false,
      rule: 'matters',
      evidence: expect.stringContaining('distractor'),
    });
  });

  it('a distractor that misleads nobody, or does not say whom', () => {
    const one = ofKind(true).find(({ decision }) => decision.accepted) as Tried;
    expect(spoilt(one, () => ({ misled: { insert: [], from: 0, drop: 0 } }))).toMatchObject({
      rule: 'cannot_be_ignored',
    });
    expect(spoilt(one, () => ({ misled: undefined }))).toMatchObject({ rule: 'cannot_be_ignored' });
  });

  it('an order that is not followed', () => {
    const order = ofKind(false).find(({ decision }) => decision.accepted) as Tried;
    const keepOld = ({ reference }: ScenarioEvent) => ({
      reference: { ...reference, insert: reference.insert.slice(0, 1), drop: 0 },
    });
    expect(spoilt(order, keepOld)).toMatchObject({ accepted: false, rule: 'solvable' });
  });

  it('a message in a table that is not there', () => {
    const order = ofKind(false)[0] as Tried;
    const publish = published(order.candidate.event);
    expect(
      spoilt(order, () => ({ effect: { publish: { ...(publish as object), table: 'pigeons' } as never } })),
    ).toMatchObject({ accepted: false, rule: 'applies', evidence: expect.stringContaining('pigeons') });
  });
});
