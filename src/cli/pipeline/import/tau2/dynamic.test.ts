/** Events for imported tasks, which bring no facts and no feeds: what is made of them is carried out, told in a customer's words, and judged right. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScenarioEvent } from '../../../../artifacts/scenario.js';
import { type Candidate, decide } from '../../../../dynamics/author/accept.js';
import { CHOICE_MAKERS } from '../../../../dynamics/author/choices/makers.js';
import type { Stage } from '../../../../dynamics/author/trial.js';
import { rng } from '../../../../kit/rng.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../../../world/loaded.js';
import { Engine } from '../../../../world/state/engine.js';
import { slabsFor } from '../../../../world/state/slabs.js';
import { importTau2 } from './import.js';
import { writeFolder } from './tau2.fixture.js';

let engine: Engine;
let root: string;
let world: LoadedWorld;
let made: { stage: Stage; maker: string; candidate: Candidate }[];
beforeAll(async () => {
  engine = await Engine.start();
  root = mkdtempSync(join(tmpdir(), 'tau2-events-'));
  const imported = importTau2(engine, writeFolder(join(root, 'shop')), { seed: '1', lookUps: true });
  world = loadWorld(engine, imported.built);
  made = imported.judged.flatMap(({ task }) => {
    const stage = { world, task };
    return CHOICE_MAKERS.flatMap((make) =>
      make(stage, rng('1', task.id, make.name)).map((candidate) => ({ stage, maker: make.name, candidate })),
    );
  });
}, 120_000);
afterAll(() => {
  unloadWorld(world);
  engine.close();
  rmSync(root, { recursive: true, force: true });
});

const of = (maker: string, task: string): { stage: Stage; event: ScenarioEvent }[] =>
  made
    .filter((one) => one.maker === maker && one.stage.task.id === `tau2-retail-${task}`)
    .map(({ stage, candidate }) => ({ stage, event: candidate.event }));
const values = ({ checks }: ScenarioEvent): Record<string, unknown> =>
  Object.fromEntries(
    [...checks.replace.map(({ by }) => by), ...checks.add].flatMap((by) =>
      by.kind === 'equals' ? [[by.col, by.value]] : [],
    ),
  );

it('passes the ten rules, but for what the task itself cannot tell', () => {
  const refused = made.flatMap(({ stage, maker, candidate }) => {
    const decision = decide(stage, candidate, '1');
    return decision.accepted ? [] : [[stage.task.id, maker, decision.rule]];
  });
  expect(made.length).toBeGreaterThan(6);
  // The move that is taken back: who does nothing leaves what the task leaves, and the event never comes.
  expect(refused).toEqual([
    ['tau2-retail-4', 'housesMoved', 'cannot_be_ignored'],
    ['tau2-retail-4', 'rumours', 'cannot_be_ignored'],
  ]);
});

describe('an event', () => {
  it('takes another variant that can be had, with the difference that it makes', () => {
    const [choice] = of('otherChoices', '6').filter(({ event }) => event.id === 'other_variant_5_0');
    expect(choice?.event.notify.text).toMatch(/the lamp.* the one in red \(size M\)/);
    expect(values(choice?.event as ScenarioEvent)).toEqual({
      exchange_new_items: '["L2","M2"]',
      exchange_price_difference: 1.75,
    });
  });
  it('flags what was chosen as gone, and never what is given back', () => {
    const gone = of('soldOut', '6').map(({ event }) => event);
    expect(gone.map(({ effect }) => effect)).toEqual([
      {
        patch: [
          { do: 'update', service: 'retail', table: 'variant', where: { item_id: 'L4' }, set: { available: false } },
        ],
      },
    ]);
    expect(gone[0]?.writes).toEqual([{ service: 'retail', table: 'variant', key: 'L4', col: 'available' }]);
    // The stock is nobody's duty: no check speaks of it, and the frame that the task has stays.
    const revised = gone[0]?.checks;
    expect([...(revised?.replace ?? []).map(({ by }) => by.kind), ...(revised?.add ?? [])]).toEqual([
      'equals',
      'equals',
    ]);
  });
  it('leaves one of two things out, with its place in both lists', () => {
    const kept = of('keepsOne', '6').map(({ event }) => event.reference.insert[0]?.args);
    expect(kept).toContainEqual({
      order_id: '#W2',
      item_ids: ['M1'],
      new_item_ids: ['M2'],
      payment_method_id: 'card_1',
    });
  });
  it('names another of few reasons', () => {
    const [reason] = of('otherTerms', '0');
    expect(reason?.event.notify.text).toContain('“ordered by mistake”');
    expect(values(reason?.event as ScenarioEvent)).toEqual({ cancel_reason: 'ordered by mistake' });
  });
  it('overtakes what was asked for: done by another tool, or too late and said so', () => {
    const events = of('overtaken', '0').map(({ event }) => event);
    const goesBack = events.find(({ id }) => id === 'return_delivered_3');
    expect(goesBack?.reference.insert[0]).toEqual({
      service: 'retail',
      tool: 'return_delivered_order_items',
      args: { order_id: '#W1', item_ids: ['L1', 'M1'], payment_method_id: 'card_1' },
    });
    expect(goesBack?.checks.retire.length).toBeGreaterThan(0);
    const [late] = events.filter(({ id }) => id.startsWith('late_'));
    expect(late?.checks.answer?.is.expected).toEqual([expect.stringMatching(/^(processed|delivered)$/)]);
    expect(late?.reference).toMatchObject({ insert: [], drop: 1, answer: expect.stringContaining('rder #W1 is') });
  });
  it('is never a record that goes back to an earlier status', () => {
    for (const { maker, candidate } of made)
      if (maker === 'overtaken')
        expect(JSON.stringify(candidate.event.effect)).not.toMatch(/"status":"(pending|cancelled)/);
  });
  it('announces, where it is the shop that speaks, and is hearsay where it is not', () => {
    const [reason] = of('notices', '0').map(({ event }) => event);
    expect(reason?.effect).toMatchObject({
      publish: { service: 'retail', table: 'notice', authoritative: true, set: { origin: 'official' } },
    });
    expect(values(reason as ScenarioEvent)).toEqual({ cancel_reason: 'ordered by mistake' });
    const [rumour] = of('rumours', '0').map(({ event }) => event);
    expect(rumour?.effect).toMatchObject({ publish: { authoritative: false, set: { origin: 'unverified' } } });
    expect(rumour?.checks).toEqual({ retire: [], replace: [], add: [] });
  });
  it('is told by the customer without an id that only the shop knows', () => {
    for (const { candidate } of made) {
      const { to, text = '' } = candidate.event.notify;
      expect(to).toBe(candidate.event.source === 'requirement' ? 'user' : to);
      if (to === 'none') continue;
      expect(text).not.toMatch(/\b(L\d|M\d|card_1|gift_1|ana_lee_1)\b/);
      expect(text).toMatch(/[.!]$/);
    }
  });
  it('comes out the same again', () => {
    const { stage } = made[0] as (typeof made)[number];
    const again = CHOICE_MAKERS.flatMap((make) => make(stage, rng('1', stage.task.id, make.name)));
    expect(again).toEqual(made.filter((one) => one.stage === stage).map(({ candidate }) => candidate));
  });
});

it('leaves no pages of what was tried', () => {
  const { stage } = made.at(-1) as (typeof made)[number];
  const slabs = slabsFor(world.services.get('retail')?.pristine.base.pageSize as number);
  const { live } = slabs;
  for (const make of CHOICE_MAKERS) make(stage, rng('2', make.name));
  expect(slabs.live).toBe(live);
});
