import { describe, expect, it } from 'vitest';
import { broken, condition, tool } from '../../../test/fixtures/broken.js';

describe('expressions', () => {
  const bad: [string, RegExp][] = [
    ['p.', /refund_payment steps\[1\]/],
    ['p.amount', /must be true or false/],
    ['p.nope == 1', /nope/],
    ['q == 1', /q/],
    ["p.amount == 'x'", /no such overload/],
    ['args == args', /./],
    ['args.amount > 1', /has\(args.amount\)/],
    ["args.reason.startsWith('x')", /may be absent/],
    ['!has(args.amount) && args.amount > 1', /may be absent/],
    ["p.status.matches('a+')", /matches/],
    ['[1, 2].exists(a, [1, 2].exists(b, a == b))', /comprehension inside/],
    ['p.amount > 1.5 ? 1 : true', /Ternary/],
    [`${'!'.repeat(500)}true`, /./],
    [`${Array.from({ length: 500 }, () => 'true').join(' && ')}`, /./],
  ];
  it.each(bad)('%s is refused', (that, message) => {
    expect(broken('billing', condition(that))).toMatchObject({
      code: 'bad_expression',
      message: expect.stringMatching(message),
    });
  });

  const good = [
    'has(args.amount) && args.amount > 1',
    '!has(args.amount) || args.amount > 1',
    'has(args.amount) ? args.amount <= p.amount : true',
    '!(has(args.amount) && args.amount > p.amount)',
    'p.amount * 1.5 > 3 && p.amount + 1 > 2.5',
    'p.paid_at + 30 * day > now && day_of(now) == today',
    "me.email.endsWith('.example') || me.id == p.id",
    'min(p.amount, 5) + max(p.refunded, 1) > abs(-3)',
    '[p.amount, 4].exists(a, a > 3)',
    'p.status != null',
    'has(p.status)',
    'cel.bind(x, p.amount - 1, x > 0)',
    "p.status in ['captured', 'refunded']",
  ];
  it.each(good)('%s compiles', (that) => expect(broken('billing', condition(that))).toBeUndefined());

  const onTicket = (list: unknown[]) => (data: never) => {
    const solve = tool(data, 'solveTicket');
    solve.steps = [
      { get: { table: 'ticket', where: { id: '$args.ticket_id' }, as: 't', else: { error: 'not_found' } } },
      ...list,
    ];
    solve.returns = { done: true };
  };
  it.each([
    ['t.promised_on > now', /t.promised_on may be null/],
    ["t.requester_city.contains('a')", /may be null/],
    ['t.score * 2.0 > 1.0', /may be null/],
    ['t.promised_on == null || t.credit > 0', /t.credit may be null/],
    ['t.promised_on == null && t.promised_on > now', /may be null/],
  ])('%s: a null must be guarded', (that, message) => {
    expect(broken('tickets', onTicket([{ require: [{ that, error: 'x' }] }]))).toMatchObject({
      code: 'bad_expression',
      message: expect.stringMatching(message),
    });
  });
  it.each([
    't.promised_on == null || t.promised_on > now',
    't.promised_on != null && t.promised_on > now',
    'has(t.promised_on) && t.promised_on > now',
    '!has(t.promised_on) || t.promised_on > now',
    't.promised_on != null ? t.promised_on > now : false',
    "t.requester_city == 'Ghent'",
    "t.requester_city in ['Ghent']",
    't.agent_id != t.priority',
  ])('%s: guarded or harmless', (that) => {
    expect(broken('tickets', onTicket([{ require: [{ that, error: 'x' }] }]))).toBeUndefined();
  });
  it('remembers what an earlier step made sure of, until the name is bound again', () => {
    const sure = { require: [{ that: 't.promised_on != null', error: 'x' }] };
    const use = { require: [{ that: 't.promised_on > now', error: 'x' }] };
    const again = { get: { table: 'ticket', where: { id: '$t.id' }, as: 't', else: { error: 'not_found' } } };
    expect(broken('tickets', onTicket([sure, use]))).toBeUndefined();
    expect(broken('tickets', onTicket([{ if: { that: 't.promised_on != null', do: [use] } }]))).toBeUndefined();
    expect(broken('tickets', onTicket([sure, again, use]))?.code).toBe('bad_expression');
    expect(broken('tickets', onTicket([{ if: { that: 't.promised_on != null', do: [use] } }, use]))?.code).toBe(
      'bad_expression',
    );
  });
  it('a row that may be none must be guarded; a foreign key that is not null finds its row', () => {
    const find = (where: unknown) => ({ get: { table: 'agent', where, as: 'a' } });
    const use = { require: [{ that: 'a.is_active', error: 'x' }] };
    expect(broken('tickets', onTicket([find({ name: '$t.subject' }), use]))).toMatchObject({
      message: expect.stringMatching(/a may be no row/),
    });
    expect(
      broken(
        'tickets',
        onTicket([find({ name: '$t.subject' }), { require: [{ that: 'a == null || a.is_active', error: 'x' }] }]),
      ),
    ).toBeUndefined();
    expect(broken('tickets', onTicket([find({ id: '$t.agent_id' }), use]))?.code).toBe('bad_expression');
    const sure = { require: [{ that: 't.agent_id != null', error: 'x' }] };
    expect(broken('tickets', onTicket([sure, find({ id: '$t.agent_id' }), use]))).toBeUndefined();
  });
  it('a null cannot go into a required column', () => {
    const set = (subject: string) => ({ update: { table: 'ticket', where: { id: '$t.id' }, set: { subject } } });
    expect(broken('tickets', onTicket([set('$t.requester_city')]))).toMatchObject({
      code: 'bad_steps',
      message: expect.stringMatching(/may be null/),
    });
    expect(broken('tickets', onTicket([set("t.requester_city != null ? t.requester_city : 'none'")]))).toBeUndefined();
  });
});
