/** The engine on a session of the fixture world: when events fire, what they do, and that they travel with the session. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Json } from '../../kit/hash.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { packSession, unpackSession } from '../../serve/sessions/parcel.js';
import { Session } from '../../serve/sessions/session.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { event, needs, onCall } from '../event.fixture.js';
import { EventEngine } from './engine.js';

let engine: Engine;
let world: LoadedWorld;
let invoice: string;
beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine);
  const listed = plain().call('list_invoices', { status: ['open'], limit: 1 }).result as { data: { id: string }[] };
  invoice = (listed.data[0] as { id: string }).id;
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});

const me = callerOf({ name: 'Bo Lund', email: 'bo.lund@fixture.example' });
const plain = (): Session => Session.open(world, { id: 's', me });
const woven = (events: ScenarioEvent[], over: { seed?: string; offersWait?: true } = {}): Session =>
  Session.open(world, { id: 's', me, woven: new EventEngine({ seed: 's', events, ...over }) });
const engineOf = (session: Session): EventEngine => session.woven as EventEngine;
const fates = (session: Session): string[] =>
  engineOf(session).log.map(({ event: id, fate, calls }) => `${id} ${fate} ${calls}`);
const list = (session: Session) => session.call('list_invoices', { limit: 2 });
const get = (session: Session) => session.call('get_invoice', { invoice_id: invoice });
const memoNow = (session: Session): Json => (get(session).result as { memo: Json }).memo;
const memo = (text: string): Partial<ScenarioEvent> => ({
  effect: {
    patch: [{ do: 'update', service: 'billing', table: 'invoice', where: { id: invoice }, set: { memo: text } }],
  },
  writes: [{ service: 'billing', table: 'invoice', key: invoice, col: 'memo' }],
});

describe('an action’s completion', () => {
  it('fires at the nth successful call of that tool with these arguments, and at no failed one', () => {
    const session = woven([
      event('second', onCall('get_invoice', 2)),
      event('of_this', { when: { after: { tool: 'get_invoice', args: { invoice_id: invoice }, nth: 1 } } }),
      event('of_other', { when: { after: { tool: 'get_invoice', args: { invoice_id: 'inv_none' }, nth: 1 } } }),
    ]);
    expect(session.call('get_invoice', { invoice_id: 'inv_none' }).ok).toBe(false);
    list(session);
    expect(fates(session)).toEqual([]);
    get(session);
    expect(fates(session)).toEqual(['of_this fired 3']);
    get(session);
    get(session);
    expect(fates(session)).toEqual(['of_this fired 3', 'second fired 4']);
  });

  it('changes the state after the call, never during it, and tells which rows', () => {
    const session = woven([event('changed', { ...onCall('get_invoice'), ...memo('from outside') })]);
    expect(memoNow(session)).not.toBe('from outside');
    expect(memoNow(session)).toBe('from outside');
    expect(engineOf(session).log[0]?.touched).toEqual([
      { service: 'billing', table: 'invoice', key: invoice, change: 'update', cols: ['memo'] },
    ]);
    expect(session.ledger.every(({ touched }) => touched.length === 0)).toBe(true);
  });
});

describe('virtual time', () => {
  it('fires at the first call after it, and a child its delay later', () => {
    const start = world.spec.clock;
    const session = woven([
      event('due', { when: { at: start + 8 } }),
      event('later', { needs: [{ id: 'due', delay: 10 }], when: { at: 0 } }),
    ]);
    list(session);
    expect(fates(session)).toEqual([]);
    list(session);
    expect(fates(session)).toEqual(['due fired 2']);
    list(session);
    list(session);
    expect(fates(session)).toEqual(['due fired 2', 'later fired 4']);
  });

  it('is passed by waiting, up to the next event and no further', () => {
    const start = world.spec.clock;
    const session = woven([event('due', { when: { at: start + 3_600 } })], { offersWait: true });
    expect(session.tools().map(({ name }) => name)).toContain('wait');
    expect(session.call('wait', { seconds: 60 }).result).toEqual({ waited_seconds: 60 });
    expect(fates(session)).toEqual([]);
    expect(session.call('wait', { seconds: 86_400 }).result).toEqual({ waited_seconds: 3_540 });
    expect(fates(session)).toEqual(['due fired 2']);
    expect(session.call('wait', { seconds: 30 }).result).toEqual({ waited_seconds: 30 });
    expect(session.clock).toBe(start + 3_630);
    for (const args of [{}, { seconds: 0 }, { seconds: 1.5 }, { seconds: 1e12 }, null, 'long'])
      expect(session.call('wait', args)).toMatchObject({ ok: false, error: { fault: 'agent', status: 422 } });
  });

  it('has no tool where the scenario offers none', () => {
    const session = woven([event('a')]);
    expect(session.call('wait', { seconds: 5 }).error?.code).toBe('unknown_tool');
  });
});

describe('chance', () => {
  const random = (p: number): Partial<ScenarioEvent> => ({
    when: { random: { p, from: world.spec.clock, to: world.spec.clock + 300 } },
  });
  const firstAt = (seed: string, others: ScenarioEvent[] = []): number | undefined => {
    const session = woven([event('maybe', random(0.15)), ...others], { seed });
    for (let n = 0; n < 70; n++) list(session);
    return engineOf(session).log.find(({ event: id, fate }) => id === 'maybe' && fate === 'fired')?.calls;
  };

  it('depends on seed, event and step alone, and comes about as often as it should', () => {
    const seeds = Array.from({ length: 60 }, (_, n) => `s${n}`);
    const alone = seeds.map((seed) => firstAt(seed));
    expect(seeds.map((seed) => firstAt(seed, [event('other', random(0.5))]))).toEqual(alone);
    const soon = alone.filter((at) => at !== undefined && at <= 5).length;
    // 1 - 0.85^5 = 0.56 of them.
    expect(soon).toBeGreaterThan(20);
    expect(soon).toBeLessThan(48);
  });

  it('is over when its time is', () => {
    const session = woven([event('never', random(0)), event('child', needs('never'))]);
    for (let n = 0; n < 70; n++) list(session);
    expect(engineOf(session).log).toMatchObject([
      { event: 'never', fate: 'expired' },
      { event: 'child', fate: 'skipped', reason: 'never expired' },
    ]);
  });
});

describe('what does not fire says why, and takes its children along', () => {
  const unhappy: [string, Partial<ScenarioEvent>, RegExp][] = [
    [
      'a guard that does not hold',
      { guard: [{ path: { service: 'billing', table: 'invoice', col: 'status' }, op: 'eq', value: 'lost' }] },
      /billing.invoice status eq "lost" does not hold/,
    ],
    [
      'a record that is not there',
      {
        effect: {
          patch: [
            { do: 'update', service: 'billing', table: 'invoice', where: { id: 'inv_none' }, set: { memo: 'x' } },
          ],
        },
      },
      /record that is not there.*inv_none/,
    ],
    [
      'a value that the table refuses',
      {
        effect: {
          patch: [
            { do: 'update', service: 'billing', table: 'invoice', where: { number: 'none' }, set: { status: 'lost' } },
          ],
        },
      },
      /not there/,
    ],
    [
      'a table that is not there',
      { effect: { patch: [{ do: 'delete', service: 'billing', table: 'nothing', where: { id: 1 } }] } },
      /billing.nothing/,
    ],
    [
      'a patch without a place',
      { effect: { patch: [{ do: 'delete', service: 'billing', table: 'invoice' }] } },
      /does not say what/,
    ],
    [
      'a published row that breaks a key',
      { effect: { publish: { service: 'billing', table: 'invoice', set: { id: 'inv_new' }, authoritative: true } } },
      /./,
    ],
  ];
  it.each(unhappy)('%s', (_, over, says) => {
    const session = woven([event('bad', over), event('child', needs('bad')), event('free')]);
    const before = session.hash();
    list(session);
    expect(session.hash()).toBe(before);
    expect(engineOf(session).log).toMatchObject([
      { event: 'bad', fate: 'skipped', reason: expect.stringMatching(says), touched: [] },
      { event: 'child', fate: 'skipped', reason: 'bad was skipped' },
      { event: 'free', fate: 'fired' },
    ]);
  });

  it('one of two that exclude one another', () => {
    const session = woven([event('a'), event('b', { excludes: ['a'] })]);
    list(session);
    expect(fates(session)).toEqual(['a fired 1', 'b skipped 1']);
  });

  it('a patch over two services changes both or neither', () => {
    const other = { service: 'tickets', table: 'ticket', where: { id: 'nobody' }, set: { subject: 'x' } };
    const patch = [
      { do: 'update' as const, service: 'billing', table: 'invoice', where: { id: invoice }, set: { memo: 'both' } },
      { do: 'update' as const, ...other },
    ];
    const session = woven([event('both', { effect: { patch } })]);
    const before = session.hash();
    list(session);
    expect(engineOf(session).log[0]?.fate).toBe('skipped');
    expect(session.hash()).toBe(before);
  });
});

describe('what is told', () => {
  it('waits for its channel, once, with its own words or the event’s', () => {
    const session = woven([
      event('a', { notify: { to: 'user', text: 'Please make it two.' } }),
      event('b'),
      event('silent', { notify: { to: 'none' } }),
    ]);
    list(session);
    const own = engineOf(session);
    expect(own.tell('user', 1).map(({ text }) => text)).toEqual(['Please make it two.']);
    expect(own.tell('environment', 1).map(({ text }) => text)).toEqual(['b happened']);
    expect([...own.tell('user', 2), ...own.tell('environment', 2)]).toEqual([]);
    expect(own.notices.map(({ event: id, delivered }) => [id, delivered])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });
});

it('a fault event makes a tool fail from then on', () => {
  const session = woven([
    event('down', {
      ...onCall('list_invoices'),
      source: 'fault',
      effect: { fault: { profile: 'P2', tool: 'get_invoice' } },
    }),
  ]);
  expect(get(session).ok).toBe(true);
  list(session);
  expect(get(session)).toMatchObject({ ok: false, error: { fault: 'injected' } });
  expect(get(session).ok).toBe(false);
  expect(list(session).ok).toBe(true);
});

it('two faults of one tool each take their course', () => {
  const flaky = (id: string, nth: number): ScenarioEvent =>
    event(id, {
      source: 'fault',
      ...onCall('list_invoices', nth),
      effect: { fault: { profile: 'P1', tool: 'get_invoice' } },
    });
  const session = woven([flaky('one', 1), flaky('two', 2)]);
  const oks: boolean[] = [];
  for (let n = 0; n < 2; n++) {
    list(session);
    oks.push(get(session).ok, get(session).ok);
  }
  expect(oks).toEqual([false, true, false, true]);
});

describe('the engine travels with its session', () => {
  const events = (): ScenarioEvent[] => [
    event('first', { ...onCall('list_invoices', 2), ...memo('one') }),
    event('second', { ...needs('first'), ...onCall('list_invoices', 4), ...memo('two') }),
    event('flaky', { source: 'fault', effect: { fault: { profile: 'P1', tool: 'get_invoice', times: 3 } } }),
    event('maybe', { when: { random: { p: 0.2, from: 0, to: world.spec.clock + 9_999 } } }),
  ];
  const play = (session: Session, n: number): void => {
    for (let i = 0; i < n; i++) {
      list(session);
      get(session);
    }
  };
  const whole = (): { log: Json; hash: string; ledger: Json } => {
    const session = woven(events());
    play(session, 8);
    return told(session);
  };
  const told = (session: Session) => ({
    log: engineOf(session).log as unknown as Json,
    hash: session.hash(),
    ledger: session.ledger as unknown as Json,
  });

  it('the same calls give the same log and the same state', () => expect(whole()).toEqual(whole()));

  it.each([1, 3, 5])('through a fork after %i rounds, on both sides', (n) => {
    const session = woven(events());
    play(session, n);
    const branch = session.fork('s');
    play(session, 8 - n);
    play(branch, 8 - n);
    expect(told(session)).toEqual(whole());
    expect(told(branch)).toEqual(whole());
  });

  it.each([1, 3, 5])('back to a snapshot after %i rounds', (n) => {
    const session = woven(events());
    play(session, n);
    const point = session.snapshot();
    play(session, 4);
    session.restore(point);
    play(session, 8 - n);
    expect(told(session)).toEqual(whole());
  });

  it.each([1, 3, 5])('at rest after %i rounds', (n) => {
    const session = woven(events());
    play(session, n);
    const parcel = packSession(world, session);
    const { woven: saved, ...rest } = unpackSession(world, parcel);
    const asleep = new EventEngine({ seed: 's', events: events() });
    const woke = Session.resume(
      world,
      { id: 's', me, book: session.book.fork() },
      { ...rest, woven: asleep.loaded(saved as Json) },
    );
    play(woke, 8 - n);
    expect(told(woke)).toEqual(whole());
  });

  it('a reset begins anew', () => {
    const session = woven(events());
    play(session, 5);
    session.reset();
    play(session, 8);
    expect(told(session)).toEqual(whole());
  });

  it.each([[null], [{}], [{ state: { steps: -1 }, faults: {} }], ['x']])('a parcel with %j in it is refused', (saved) =>
    expect(() => new EventEngine({ seed: 's', events: events() }).loaded(saved as Json)).toThrow(
      expect.objectContaining({ code: 'bad_parcel' }),
    ),
  );
});
