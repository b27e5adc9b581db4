/** The dynamic verifier on a session of the fixture world: what fired changes what is asked, what did not changes nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import type { Check } from '../../artifacts/check.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Milestone } from '../../artifacts/task.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import { gather } from '../../verify/evidence.js';
import { verify } from '../../verify/verdict.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { EventEngine } from '../engine/engine.js';
import { event } from '../event.fixture.js';
import { affectedChecks, writtenPlaces } from './footprints.js';
import { type Judged, type Realised, revise } from './revise.js';

let engine: Engine;
let world: LoadedWorld;
let keys: string[];
beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine);
  const { data } = open([]).call('list_invoices', { limit: 3 }).result as { data: { id: string }[] };
  keys = data.map(({ id }) => id);
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});

const me = callerOf({ name: 'Bo Lund', email: 'bo.lund@fixture.example' });
const open = (events: ScenarioEvent[]): Session =>
  Session.open(world, {
    id: 's',
    me,
    ...(events.length > 0 ? { woven: new EventEngine({ seed: 's', events }) } : {}),
  });
const memoIs = (id: string, key: string, value: string): Check => ({
  kind: 'equals',
  id,
  footprint: [{ service: 'billing', table: 'invoice', keys: [key], cols: ['memo'] }],
  service: 'billing',
  table: 'invoice',
  where: { id: key },
  col: 'memo',
  value,
});
const frame = (...allowed: string[]): Check => ({
  kind: 'unchanged',
  id: 'frame',
  footprint: [],
  except: allowed.map((key) => ({ service: 'billing', table: 'invoice', keys: [key], cols: ['memo', 'updated_at'] })),
});
const milestone = (...checks: Check[]): Milestone => ({ id: 'm1', node: 'a1', checks });
const task = (): Judged => ({
  milestones: [
    milestone(
      memoIs('c1', keys[0] as string, 'asked'),
      memoIs('c2', keys[1] as string, 'asked too'),
      frame(...keys.slice(0, 2)),
    ),
  ],
});
const write = (session: Session, key: string, memo: string): boolean =>
  session.call('update_invoice', { invoice_id: key, memo }).ok;
const realised = (session: Session): Realised[] => {
  const own = session.woven as EventEngine | undefined;
  return (own?.fired() ?? []).map((fired) => ({
    event: fired,
    touched: own?.log.find(({ event: id }) => id === fired.id)?.touched ?? [],
  }));
};
const passes = (session: Session, judged: Judged): boolean =>
  verify(judged, gather(session, ''), 't', 'h'.repeat(64)).pass;

/** Somebody else changes a third invoice, and wants the first to say something else. */
const changes = (): ScenarioEvent[] => [
  event('third_changed', {
    effect: {
      patch: [
        {
          do: 'update',
          service: 'billing',
          table: 'invoice',
          where: { id: keys[2] as string },
          set: { memo: 'theirs' },
        },
      ],
    },
  }),
  event('new_wish', {
    source: 'requirement',
    effect: { say: 'Please write “changed” there.' },
    notify: { to: 'user' },
    checks: { retire: [], replace: [{ id: 'c1', by: memoIs('c1', keys[0] as string, 'changed') }], add: [] },
  }),
];

describe('what is asked after events', () => {
  it('is the revised check, the others untouched, and a frame that allows what was done from outside', () => {
    const session = open(changes());
    expect(write(session, keys[1] as string, 'asked too')).toBe(true);
    expect(write(session, keys[0] as string, 'changed')).toBe(true);
    const before = task();
    const revision = revise(before, realised(session));
    expect(revision).toMatchObject({ retired: [], replaced: ['c1'], added: [], kept: ['c2'] });
    expect(revision.judged.milestones[0]?.checks[1]).toBe(before.milestones[0]?.checks[1]);
    expect(passes(session, revision.judged)).toBe(true);
    expect(passes(session, before)).toBe(false);
  });

  it('fails who ignores the event, and who does more than the event allows', () => {
    const stale = open(changes());
    write(stale, keys[1] as string, 'asked too');
    write(stale, keys[0] as string, 'asked');
    expect(passes(stale, revise(task(), realised(stale)).judged)).toBe(false);
    const greedy = open(changes());
    write(greedy, keys[1] as string, 'asked too');
    write(greedy, keys[0] as string, 'changed');
    expect(greedy.call('update_invoice', { invoice_id: keys[2] as string, due_on: '2031-01-01' }).ok).toBe(true);
    expect(passes(greedy, revise(task(), realised(greedy)).judged)).toBe(false);
  });

  it('is what it was, to the object, where nothing fired', () => {
    const before = task();
    const { judged, kept } = revise(before, []);
    expect(judged.milestones).toBe(before.milestones);
    expect(kept).toEqual(['c1', 'c2', 'frame']);
  });

  it('may be less, and more', () => {
    const added = memoIs('c9', keys[2] as string, 'new');
    const fired = event('swap', { checks: { retire: ['c2'], replace: [], add: [added] } });
    const { judged, retired, added: names } = revise(task(), [{ event: fired, touched: [] }]);
    expect([retired, names]).toEqual([['c2'], ['c9']]);
    expect(judged.milestones[0]?.checks.map(({ id }) => id)).toEqual(['c1', 'frame', 'c9']);
  });

  it('may have another answer', () => {
    const asks = { kind: 'number' as const, asks: 'how many', expected: 3, distractors: [] };
    const asked: Judged = { milestones: [milestone({ kind: 'answer', id: 'answer', footprint: [] })], answer: asks };
    const more = event('more', {
      checks: { retire: [], replace: [], add: [], answer: { is: { ...asks, expected: 4 } } },
    });
    const { judged } = revise(asked, [{ event: more, touched: [] }]);
    const says = (answer: string): boolean => verify(judged, gather(open([]), answer), 't', 'h'.repeat(64)).pass;
    expect([says('4'), says('3')]).toEqual([true, false]);
    const nowhere = event('x', { checks: { retire: [], replace: [], add: [], answer: { milestone: 'm1', is: asks } } });
    expect(() => revise(asked, [{ event: nowhere, touched: [] }])).toThrow(
      expect.objectContaining({ code: 'unknown_check' }),
    );
  });

  it('a row that both change differs in the columns of both, and in no others', () => {
    const due: ScenarioEvent = event('due', {
      effect: {
        patch: [
          {
            do: 'update',
            service: 'billing',
            table: 'invoice',
            where: { id: keys[0] as string },
            set: { due_on: 1_900_000_000 },
          },
        ],
      },
    });
    const both = open([due]);
    write(both, keys[1] as string, 'asked too');
    write(both, keys[0] as string, 'asked');
    expect(passes(both, revise(task(), realised(both)).judged)).toBe(true);
    const more = both.fork('more');
    expect(more.call('update_invoice', { invoice_id: keys[2] as string, memo: 'too much' }).ok).toBe(true);
    expect(passes(more, revise(task(), realised(more)).judged)).toBe(false);
  });

  it('a row that came, and one that went, are allowed as such and no further', () => {
    const touched = [
      { service: 'billing', table: 'invoice', key: 'inv_new', change: 'insert' as const, cols: [] },
      { service: 'billing', table: 'invoice', key: 'inv_old', change: 'delete' as const, cols: [] },
    ];
    const { judged } = revise(task(), [{ event: event('both'), touched }]);
    const frames = judged.milestones.flatMap(({ checks }) =>
      checks.flatMap((check) => (check.kind === 'unchanged' ? [check] : [])),
    );
    expect(frames.flatMap(({ except }) => except.slice(-2))).toEqual([
      { service: 'billing', table: 'invoice', keys: ['inv_new'], inserts: 1 },
      { service: 'billing', table: 'invoice', keys: ['inv_old'], deletes: true },
    ]);
  });

  it.each([
    { retire: ['c7'], replace: [], add: [] },
    { retire: [], replace: [{ id: 'c7', by: frame() }], add: [] },
  ])('a check that the task lacks is refused: %j', (checks) =>
    expect(() => revise(task(), [{ event: event('bad', { checks }), touched: [] }])).toThrow(
      expect.objectContaining({ code: 'unknown_check', value: 'c7', next: 'It has c1, c2, frame.' }),
    ),
  );
});

describe('the checks that an event touches', () => {
  const touched = (key: string, cols: string[], change: 'update' | 'insert' = 'update') =>
    writtenPlaces([{ service: 'billing', table: 'invoice', key, change, cols }]);

  it('are those whose row and column it writes, never the frame', () => {
    const { milestones } = task();
    expect(affectedChecks(milestones, touched(keys[0] as string, ['memo']))).toEqual(['c1']);
    expect(affectedChecks(milestones, touched(keys[0] as string, ['due_on']))).toEqual([]);
    expect(affectedChecks(milestones, touched(keys[2] as string, ['memo']))).toEqual([]);
    expect(affectedChecks(milestones, touched(keys[1] as string, [], 'insert'))).toEqual(['c2']);
    expect(affectedChecks(milestones, [{ service: 'tickets', table: 'invoice' }])).toEqual([]);
  });

  it('are all of a table where a check speaks of any row', () => {
    const any: Check = {
      kind: 'count',
      id: 'n',
      footprint: [{ service: 'billing', table: 'invoice' }],
      service: 'billing',
      table: 'invoice',
      where: {},
      count: 3,
    };
    expect(affectedChecks([milestone(any)], touched('inv_new', [], 'insert'))).toEqual(['n']);
  });
});
