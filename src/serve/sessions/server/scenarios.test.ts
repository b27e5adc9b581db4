/** Scenarios in a server's sessions: how they are opened and refused, what is told to whom, and what verification makes of what fired. */
import { describe, expect, it } from 'vitest';
import {
  CALLS_AGAIN,
  changedMind,
  EVERY_EVENT,
  imported,
  MEMO_CHANGED,
  memoChanged,
  NEWS,
  OTHER_EMAIL,
  outage,
  publishScenario,
} from '../../../../test/fixtures/scenario.js';
import { newCustomer } from '../../../../test/fixtures/server.js';
import type { Scenario, ScenarioEvent } from '../../../artifacts/scenario.js';
import { event, needs } from '../../../dynamics/event.fixture.js';
import { eventWeaver } from '../../../dynamics/weaver.js';
import type { Json } from '../../../kit/hash.js';
import type { OpenedSession } from '../../api.js';
import { faultRule } from '../../faults/rule.js';
import type { CallOutcome } from '../../tool-host.js';
import { agentView } from './agent-view.js';
import { call, code, now, open, start, stateOf, TASK, toDisk, withServers } from './server.fixture.js';

withServers();

type Fixture = ReturnType<typeof start>;
const startWith = (events?: ScenarioEvent[], over: Partial<Scenario> = {}) => {
  const fixture = start({}, { weaver: eventWeaver });
  const made = publishScenario(fixture.registry, fixture.task, events, over);
  const begin = (request: object = {}): OpenedSession => open(fixture, { scenario: made.name, ...request });
  return { fixture, begin, ...made };
};
const search = (fixture: Fixture, session: { id: string }): CallOutcome =>
  call(fixture, session, 'search_customers', { query: 'Ana' });
const add = (fixture: Fixture, session: { id: string }, email = newCustomer.email): CallOutcome =>
  call(fixture, session, 'create_customer', { name: newCustomer.name, email });
const texts = ({ notices }: CallOutcome): string[] | undefined => notices?.map(({ text }) => text);
const eventsOf = ({ server }: Fixture, { id }: { id: string }) => now(server.live(id).events());
const fates = (fixture: Fixture, session: { id: string }): string[] =>
  eventsOf(fixture, session).log.map(({ event: one, fate, calls }) => `${one} ${fate} ${calls}`);
const verdictOf = ({ server }: Fixture, { id }: { id: string }) => now(server.verify(id));
/** Everything that should be the same in two sessions of one scenario. */
const print = (fixture: Fixture, session: { id: string }): Json =>
  JSON.parse(
    JSON.stringify({
      log: eventsOf(fixture, session).log,
      notices: eventsOf(fixture, session).notices,
      state: stateOf(fixture, session),
    }),
  );

describe('opening', () => {
  it('is of the scenario’s task, with the scenario pinned', () => {
    const { fixture, begin, task, name } = startWith();
    const session = begin();
    expect(session.brief).toBe(task.brief);
    expect(session.pins).toMatchObject({ task: { name: `fixture/${task.id}` }, scenario: { name, version: 1 } });
    expect(open(fixture, { scenario: session.pins.scenario?.hash }).pins.scenario?.name).toBe(name);
    expect(open(fixture, { scenario: 'new-customer-2-a', task: `fixture/${task.id}` }).pins.scenario?.name).toBe(name);
  });

  it('of an unknown one, or one of another task, is refused', () => {
    const { fixture, begin } = startWith();
    expect(() => open(fixture, { scenario: 'fixture/new-customer-2-b' })).toThrow(
      expect.objectContaining({ code: 'unknown_record', next: 'Did you mean fixture/new-customer-2-a?' }),
    );
    expect(() => begin(TASK)).toThrow(
      expect.objectContaining({ code: 'bad_request', value: TASK.task, next: expect.stringContaining('customer-2') }),
    );
    expect(() => begin({ world: 'elsewhere' })).toThrow(code('unknown_record'));
  });

  it('of one whose task is not here, or of another world, is refused with what to do', () => {
    const other = 'f'.repeat(64);
    const { begin } = startWith(EVERY_EVENT, { task: other });
    expect(begin).toThrow(
      expect.objectContaining({ code: 'no_such_task', value: other, next: expect.stringMatching(/treadle dynamics/) }),
    );
    expect(startWith(EVERY_EVENT, { world: other }).begin).toThrow(
      expect.objectContaining({ code: 'no_such_task', value: other }),
    );
  });

  it('of one from another version is refused when it is published', () => {
    const { fixture, scenario } = startWith();
    expect(() =>
      fixture.registry.publish('scenario', 'fixture/x', { ...scenario, treadle: 'scenario/2' } as unknown as Json),
    ).toThrow(code('other_version'));
  });

  const NO_CHECKS = { retire: [], replace: [], add: [] };
  const FOUR = { kind: 'number' as const, asks: 'the sum', expected: 4, distractors: [] };
  const broken: [string, ScenarioEvent[], string][] = [
    ['a circle of needs', [event('a', needs('b')), event('b', needs('a'))], 'event_cycle'],
    ['a parent that is not there', [event('a', needs('nobody'))], 'unknown_event'],
    ['a tool that is not there', [event('a', { when: { after: { tool: 'launch', nth: 1 } } })], 'unknown_tool'],
    ['a fault of no tool', [event('a', { effect: { fault: { profile: 'P1', tool: 'launch' } } })], 'unknown_tool'],
    [
      'an answer that is not asked',
      [event('a', { checks: { ...NO_CHECKS, answer: { milestone: 'm1', is: FOUR } } })],
      'unknown_check',
    ],
    ['a check that is not there', [event('a', { checks: { retire: ['c9'], replace: [], add: [] } })], 'unknown_check'],
  ];
  it.each(broken)('of one with %s is refused', (_, events, refusal) => {
    const { fixture, begin } = startWith(events);
    for (const _again of [1, 2]) expect(begin).toThrow(code(refusal));
    expect(fixture.server.size).toBe(0);
  });

  it('of two engines is refused', () => {
    const { fixture, begin, name } = startWith();
    expect(() => begin({ scenario: [name, name] })).toThrow(
      expect.objectContaining({ code: 'two_engines', value: [name, name] }),
    );
    expect(() => begin({ faults: { rules: ['list_invoices=P1'] } })).toThrow(
      expect.objectContaining({ code: 'two_engines', value: { scenario: name, faults: ['list_invoices=P1'] } }),
    );
    expect(begin({ scenario: [name], faults: { rules: [] } }).status).toBe('open');
    expect(() => open(fixture, { ...TASK, notices: 'control' })).toThrow(code('bad_request'));
  });

  it('on a server that injects faults needs to say that it wants none', () => {
    const faults = { rules: [faultRule('list_invoices=P1')], seed: '0' };
    const fixture = start({}, { weaver: eventWeaver, faults });
    const { name } = publishScenario(fixture.registry, fixture.task);
    expect(() => open(fixture, { scenario: name })).toThrow(
      expect.objectContaining({ code: 'two_engines', next: expect.stringContaining('"faults": {"rules": []}') }),
    );
    expect(open(fixture, { scenario: name, faults: { rules: [] } }).faults).toBeUndefined();
  });

  it('needs a weaver', () => {
    const fixture = start();
    const { name } = publishScenario(fixture.registry, fixture.task);
    expect(() => open(fixture, { scenario: name })).toThrow(code('no_scenarios'));
  });
});

describe('what is told', () => {
  it('comes beside the answer of the call after which it is due, once', () => {
    const { fixture, begin } = startWith([changedMind, memoChanged, outage]);
    const session = begin();
    const first = search(fixture, session);
    expect(first.notices).toEqual([
      { event: 'changed_mind', to: 'user', text: CALLS_AGAIN, at: expect.any(Number), delivered: 1 },
    ]);
    expect(JSON.stringify(first.result)).not.toContain(CALLS_AGAIN);
    expect(texts(search(fixture, session))).toEqual([MEMO_CHANGED]);
    expect(search(fixture, session).notices).toBeUndefined();
    expect(call(fixture, session, 'list_invoices')).toMatchObject({ ok: false, error: { fault: 'injected' } });
    expect(fates(fixture, session)).toEqual(['changed_mind fired 1', 'memo_changed fired 2', 'outage fired 2']);
  });

  it('waits where no result could carry it', () => {
    const { fixture, begin } = startWith([event('at_once', { when: { at: 0 } })]);
    const session = begin();
    expect(call(fixture, session, 'no_such_tool').notices).toBeUndefined();
    expect(fates(fixture, session)).toEqual(['at_once fired 1']);
    expect(texts(search(fixture, session))).toEqual(['at_once happened']);
  });

  it('is told again with a call sent again under its name, and of that call alone', () => {
    const { fixture, begin } = startWith([changedMind]);
    const live = fixture.server.live(begin().id);
    const first = now(live.call('search_customers', { query: 'Ana' }, { operation: 'one' }));
    expect(texts(first)).toEqual([CALLS_AGAIN]);
    expect(now(live.call('search_customers', { query: 'Ana' }, { operation: 'two' })).notices).toBeUndefined();
    expect(now(live.call('search_customers', { query: 'Ana' }, { operation: 'one' }))).toEqual(first);
    expect(now(live.events()).log).toHaveLength(1);
  });

  it('is the trainer’s alone where it is asked for so, in its calls’ answers or taken', () => {
    const { fixture, begin } = startWith([changedMind, memoChanged]);
    const session = begin({ notices: 'control' });
    expect(session.notices).toBe('control');
    const live = fixture.server.live(session.id);
    expect(now(agentView(live).call('search_customers', { query: 'Ana' })).notices).toBeUndefined();
    expect(eventsOf(fixture, session).notices).toEqual([expect.not.objectContaining({ delivered: 1 })]);
    expect(now(live.takeNotices()).notices.map(({ text }) => text)).toEqual([CALLS_AGAIN]);
    expect(now(live.takeNotices()).notices).toEqual([]);
    expect(texts(search(fixture, session))).toEqual([MEMO_CHANGED]);
  });

  it('is none of sessions without a scenario', () => {
    const { fixture } = startWith();
    const plain = open(fixture);
    expect(fixture.server.live(plain.id).hearing).toBeUndefined();
    expect(() => eventsOf(fixture, plain)).toThrow(code('no_scenario'));
    expect(() => now(fixture.server.live(plain.id).takeNotices())).toThrow(code('no_scenario'));
  });
});

describe('wait', () => {
  it('is offered where the scenario offers it, to who has all of the session', () => {
    const { fixture, begin } = startWith([memoChanged]);
    const live = fixture.server.live(begin().id);
    const names = (service?: string): string[] =>
      agentView(live, service)
        .tools()
        .map(({ name }) => name);
    expect(names()).toContain('wait');
    expect(names('billing')).not.toContain('wait');
    expect(now(agentView(live, 'billing').call('wait', { seconds: 5 })).error?.code).toBe('unknown_tool');
    const waited = now(agentView(live).call('wait', { seconds: 600 }));
    expect(waited.result).toEqual({ waited_seconds: 8 });
    expect(texts(waited)).toEqual([MEMO_CHANGED]);
    const { offersWait: _, ...rest } = { offersWait: true, ...startWith([memoChanged]).scenario };
    fixture.registry.publish('scenario', 'fixture/plain', { ...rest, id: 'plain' } as unknown as Json);
    const other = fixture.server.live(open(fixture, { scenario: 'fixture/plain' }).id);
    expect(other.tools().map(({ name }) => name)).not.toContain('wait');
  });
});

describe('verification', () => {
  it('asks what the events that fired make of the checks, and says so', () => {
    const { fixture, begin } = startWith([changedMind, memoChanged]);
    const stale = begin();
    search(fixture, stale);
    add(fixture, stale);
    expect(verdictOf(fixture, stale)).toMatchObject({
      pass: false,
      revised: { events: ['changed_mind', 'memo_changed'], retired: [], replaced: ['c1'], added: [] },
      revisions: [
        { event: 'changed_mind', retired: [], replaced: ['c1'], added: [], rows: [] },
        { event: 'memo_changed', replaced: [], rows: [{ service: 'billing', table: 'invoice' }] },
      ],
    });
    const careful = begin();
    search(fixture, careful);
    add(fixture, careful, OTHER_EMAIL);
    // The frame allows the outside change, and no other.
    expect(verdictOf(fixture, careful).pass).toBe(true);
    call(fixture, careful, 'create_customer', { name: 'One More', email: 'one@more.example' });
    expect(verdictOf(fixture, careful).pass).toBe(false);
  });

  it('asks the task’s own checks where nothing has fired', () => {
    const { fixture, begin } = startWith([changedMind]);
    const session = begin();
    add(fixture, session);
    const verdict = verdictOf(fixture, session);
    expect(verdict.pass).toBe(true);
    expect(verdict.revisions).toEqual([]);
    expect(verdict).not.toHaveProperty('revised');
    expect(verdictOf(fixture, open(fixture, TASK))).not.toHaveProperty('revisions');
  });

  it('asks so at a stage too, and on a closed session', () => {
    const { fixture, begin } = startWith([changedMind]);
    const session = begin();
    search(fixture, session);
    add(fixture, session, OTHER_EMAIL);
    expect(now(fixture.server.verify(session.id, { at: 'n1' })).pass).toBe(true);
    now(fixture.server.close(session.id));
    expect(verdictOf(fixture, session).pass).toBe(true);
    expect(eventsOf(fixture, session).log).toHaveLength(1);
  });
});

describe('the events travel with their session', () => {
  const play = (fixture: Fixture, session: { id: string }, from: number, to: number): CallOutcome[] =>
    Array.from({ length: to - from }, (_, i) =>
      (from + i) % 3 === 2 ? call(fixture, session, 'list_invoices') : search(fixture, session),
    );
  const LENGTH = 9;
  const whole = (fixture: Fixture, begin: () => OpenedSession) => {
    const session = begin();
    const answers = play(fixture, session, 0, LENGTH);
    return { print: print(fixture, session), told: answers.map(texts) };
  };

  it('the scenario tells all there is', () => {
    const { fixture, begin } = startWith();
    const { told } = whole(fixture, begin);
    expect(told.flat().filter(Boolean).sort()).toEqual([NEWS, CALLS_AGAIN, MEMO_CHANGED].sort());
  });

  it.each([1, 2, 4])('through a fork, and a fork of the fork, after %i calls', (n) => {
    const { fixture, begin } = startWith();
    const expected = whole(fixture, begin);
    const parent = begin();
    play(fixture, parent, 0, n);
    const [child] = now(fixture.server.fork(parent.id));
    play(fixture, child as OpenedSession, n, n + 1);
    const [grandchild] = now(fixture.server.fork((child as OpenedSession).id));
    for (const [session, at] of [
      [parent, n],
      [child, n + 1],
      [grandchild, n + 1],
    ] as [OpenedSession, number][]) {
      expect(play(fixture, session, at, LENGTH).map(texts)).toEqual(expected.told.slice(at));
      expect(print(fixture, session)).toEqual(expected.print);
    }
    expect(grandchild?.pins.scenario?.name).toBe('fixture/new-customer-2-a');
  });

  it.each([0, 1, 2, 4])('back to a snapshot taken after %i calls, across what fired since', (n) => {
    const { fixture, begin } = startWith();
    const expected = whole(fixture, begin);
    const session = begin();
    play(fixture, session, 0, n);
    const live = fixture.server.live(session.id);
    const { snapshot } = now(live.takeSnapshot());
    for (const _again of [1, 2]) {
      expect(play(fixture, session, n, LENGTH).map(texts)).toEqual(expected.told.slice(n));
      expect(print(fixture, session)).toEqual(expected.print);
      now(live.restore(snapshot));
      expect(eventsOf(fixture, session).log.every(({ calls }) => calls <= n)).toBe(true);
    }
  });

  it.each([1, 2, 4])('at rest in memory and on disk with a snapshot, after %i calls', async (n) => {
    const { fixture, begin } = startWith();
    const expected = whole(fixture, begin);
    const session = begin();
    play(fixture, session, 0, n);
    const live = fixture.server.live(session.id);
    const { snapshot } = now(live.takeSnapshot());
    live.park();
    expect(play(fixture, session, n, n + 2).map(texts)).toEqual(expected.told.slice(n, n + 2));
    await toDisk(fixture, session);
    expect(live.info().residence).toBe('disk');
    expect(play(fixture, session, n + 2, LENGTH).map(texts)).toEqual(expected.told.slice(n + 2));
    expect(print(fixture, session)).toEqual(expected.print);
    await toDisk(fixture, session);
    now(live.restore(snapshot));
    expect(play(fixture, session, n, LENGTH).map(texts)).toEqual(expected.told.slice(n));
    expect(print(fixture, session)).toEqual(expected.print);
  });

  it('a reset begins anew', () => {
    const { fixture, begin } = startWith();
    const expected = whole(fixture, begin);
    const session = begin();
    play(fixture, session, 0, 5);
    now(fixture.server.reset(session.id));
    expect(eventsOf(fixture, session)).toMatchObject({ log: [], notices: [] });
    expect(play(fixture, session, 0, LENGTH).map(texts)).toEqual(expected.told);
    expect(print(fixture, session)).toEqual(expected.print);
  });

  it('two hundred sessions, call by call in turns, have one log', () => {
    const { fixture, begin } = startWith();
    const expected = whole(fixture, begin);
    const sessions = Array.from({ length: 200 }, () => begin());
    for (let n = 0; n < LENGTH; n++) for (const session of sessions) play(fixture, session, n, n + 1);
    const prints = new Set(sessions.map((session) => JSON.stringify(print(fixture, session))));
    expect([...prints]).toEqual([JSON.stringify(expected.print)]);
  });

  it('an event by chance fires in one seed at another step than in the next', () => {
    const firsts = ['s1', 's2', 's3', 's4', 's5', 's6'].map((seed) => {
      const { fixture, begin } = startWith([imported], { seed });
      const session = begin();
      play(fixture, session, 0, LENGTH);
      return eventsOf(fixture, session).log[0]?.calls;
    });
    expect(new Set(firsts).size).toBeGreaterThan(1);
  });
});
