/** Injected faults in a server's sessions: what agents see, what the ledger keeps, and that they travel with the session. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../kit/hash.js';
import { faultRule } from '../../faults/rule.js';
import type { CallOutcome } from '../../tool-host.js';
import { add, call, code, now, open, start, TASK, toDisk, withServers } from './server.fixture.js';

withServers();

const withFaults = (...rules: string[]) => ({ ...TASK, faults: { rules, seed: 's' } });
type Fixture = ReturnType<typeof start>;
const list = (fixture: Fixture, session: { id: string }): CallOutcome => call(fixture, session, 'list_invoices', {});
const seen = (outcomes: CallOutcome[]): Json[] => outcomes.map(({ result }) => result);
const times = <T>(n: number, work: () => T): T[] => Array.from({ length: n }, work);

describe('P1', () => {
  it('fails once in the service’s own form, changes nothing, and passes', () => {
    const fixture = start();
    const session = open(fixture, withFaults('create_customer=P1'));
    const before = now(fixture.server.live(session.id).state()).hash;
    const failed = add(fixture, session, 1);
    expect(failed).toMatchObject({ ok: false, error: { fault: 'injected', status: expect.any(Number) } });
    expect(failed.entry).toMatchObject({ injected: { profile: 'P1', rule: 'create_customer=P1' }, touched: [] });
    expect(failed.result).toHaveProperty('error');
    expect(JSON.stringify(failed.result)).not.toMatch(/inject|P1/);
    expect(now(fixture.server.live(session.id).state()).hash).toBe(before);
    expect(add(fixture, session, 1).ok).toBe(true);
    expect(add(fixture, session, 2).ok).toBe(true);
  });

  it('lasts as many calls as it says', () => {
    const fixture = start();
    const session = open(fixture, withFaults('list_invoices=P1x3'));
    expect(times(5, () => list(fixture, session).ok)).toEqual([false, false, false, true, true]);
  });

  it('comes at about its rate, independently of other tools’ calls', () => {
    const fixture = start();
    const rule = withFaults('list_invoices=P1@20%');
    const session = open(fixture, rule);
    const alone = times(400, () => list(fixture, session).ok);
    const other = open(fixture, rule);
    const between = times(400, () => {
      call(fixture, other, 'no_such_tool', {});
      return list(fixture, other).ok;
    });
    expect(between).toEqual(alone);
    const failed = alone.filter((ok) => !ok).length;
    expect(failed).toBeGreaterThan(50);
    expect(failed).toBeLessThan(110);
  });
});

it('P2 fails for good, and only the tools of its name', () => {
  const fixture = start();
  const session = open(fixture, withFaults('list_invoices=P2'));
  expect(times(4, () => list(fixture, session).ok)).toEqual([false, false, false, false]);
  expect(new Set(seen(times(3, () => list(fixture, session))).map((one) => JSON.stringify(one))).size).toBe(1);
  expect(add(fixture, session, 1).ok).toBe(true);
});

describe('lies', () => {
  it('P3 lies once, P4 always and always the same; the state is the truth', () => {
    const fixture = start();
    const truth = list(fixture, open(fixture)).result;
    const once = open(fixture, withFaults('list_invoices=P3'));
    const [first, second] = times(2, () => list(fixture, once));
    expect(first?.ok).toBe(true);
    expect(first?.result).not.toEqual(truth);
    expect(first?.entry.injected).toEqual({ profile: 'P3', rule: 'list_invoices=P3' });
    expect(second?.result).toEqual(truth);
    expect(second?.entry).not.toHaveProperty('injected');
    const forGood = open(fixture, withFaults('list_invoices=P4'));
    const [a, b, c] = seen(times(3, () => list(fixture, forGood)));
    expect(a).not.toEqual(truth);
    expect([b, c]).toEqual([a, a]);
    expect(now(fixture.server.live(forGood.id).state()).hash).toBe(now(fixture.server.live(once.id).state()).hash);
  });

  it('are told of reads only', () => {
    const fixture = start();
    const session = open(fixture, withFaults('*=P4'));
    expect(add(fixture, session, 1).entry).not.toHaveProperty('injected');
  });
});

describe('faults travel with the session', () => {
  const rule = withFaults('list_invoices=P1@30%');
  const straight = (): boolean[] => {
    const fixture = start();
    const session = open(fixture, rule);
    return times(40, () => list(fixture, session).ok);
  };

  it('into forks', () => {
    const fixture = start();
    const session = open(fixture, rule);
    const head = times(10, () => list(fixture, session).ok);
    const branches = now(fixture.server.fork(session.id, { count: 2 }));
    for (const branch of branches) expect([...head, ...times(30, () => list(fixture, branch).ok)]).toEqual(straight());
    expect([...head, ...times(30, () => list(fixture, session).ok)]).toEqual(straight());
  });

  it('into snapshots, in memory and at rest, and back', async () => {
    const fixture = start();
    const session = open(fixture, rule);
    const live = fixture.server.live(session.id);
    const head = times(10, () => list(fixture, session).ok);
    const { snapshot } = now(live.takeSnapshot());
    times(7, () => list(fixture, session));
    now(live.restore(snapshot));
    expect([...head, ...times(30, () => list(fixture, session).ok)]).toEqual(straight());
    await toDisk(fixture, session);
    await live.restore(snapshot);
    expect([...head, ...times(30, () => list(fixture, session).ok)]).toEqual(straight());
  });

  it('through rest', async () => {
    const fixture = start();
    const session = open(fixture, rule);
    const head = times(10, () => list(fixture, session).ok);
    await toDisk(fixture, session);
    expect([...head, ...times(30, () => list(fixture, session).ok)]).toEqual(straight());
  });
});

describe('who gets which', () => {
  it('a server’s own go to every session, the n-th of a task always the same ones, and a request overrides them', () => {
    const faults = { rules: [faultRule('list_invoices=P1@30%')], seed: 'server' };
    const pattern = (fixture: Fixture, request: object = TASK): string => {
      const session = open(fixture, request);
      return times(40, () => (list(fixture, session).ok ? '.' : 'x')).join('');
    };
    const one = start({}, { faults });
    const [first, second] = times(2, () => pattern(one));
    const two = start({}, { faults });
    expect(times(2, () => pattern(two))).toEqual([first, second]);
    expect(first).not.toBe(second);
    expect(pattern(two, { ...TASK, faults: { rules: [] } })).toBe('.'.repeat(40));
  });

  it('the session says its rules to trainers', () => {
    const fixture = start();
    expect(open(fixture, withFaults('list_invoices=P4')).faults).toEqual(['list_invoices=P4']);
    expect(open(fixture)).not.toHaveProperty('faults');
  });

  it('a rule that is none opens nothing', () => {
    const fixture = start();
    expect(() => fixture.server.open(withFaults('list_invoices=P9'))).toThrow(code('bad_fault'));
    expect(fixture.server.size).toBe(0);
  });
});

it('statistics tell injected failures from the agent’s and the world’s', () => {
  const fixture = start();
  const session = open(fixture, withFaults('list_invoices=P2'));
  times(3, () => list(fixture, session));
  expect(JSON.stringify(fixture.server.statistics.report())).toContain('injected');
});
