import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../test/fixtures/world.js';
import { Check } from '../artifacts/check.js';
import type { CheckResult } from '../artifacts/verdict.js';
import { callerOf } from '../serve/sessions/caller.js';
import { Session } from '../serve/sessions/session.js';
import { type LoadedWorld, unloadWorld } from '../world/loaded.js';
import { Engine } from '../world/state/engine.js';
import { evaluate } from './checks.js';
import { gather } from './evidence.js';

let engine: Engine;
let world: LoadedWorld;
let session: Session;
beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine);
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});
beforeEach(() => {
  session = Session.open(world, { id: 's', me: callerOf({ name: 'Bo Lund', email: 'bo.lund@fixture.example' }) });
});
afterEach(() => session.drop());

type Loose = Record<string, unknown>;
const judged = (check: Loose, answer = '', spec?: Parameters<typeof evaluate>[2]): CheckResult =>
  evaluate(Check.parse({ id: 'c1', footprint: [], ...check }), gather(session, answer), spec);
const passes = (check: Loose): boolean => {
  const result = judged(check);
  expect(result.broken).toBeUndefined();
  expect(result.evidence).not.toBe('');
  return result.pass;
};
const at = (table: string, where: Loose): Loose => ({ service: 'billing', table, where });
const anInvoice = (status: string): string =>
  (session.call('list_invoices', { status: [status], limit: 1 }).result as { data: { id: string }[] }).data[0]?.id ??
  '';

describe('rows', () => {
  it('exists and absent are opposites', () => {
    for (const [where, there] of [
      [{ name: 'Bo Lund' }, true],
      [{ name: 'bo lund' }, false],
      [{}, true],
      [{ phone: null }, true],
      [{ name: 'Bo Lund', email: 'kunde11@mail.example' }, true],
      [{ name: 'Bo Lund', email: 'kunde2@mail.example' }, false],
    ] as const) {
      expect(passes({ kind: 'exists', ...at('customer', where) })).toBe(there);
      expect(passes({ kind: 'absent', ...at('customer', where) })).toBe(!there);
    }
  });

  it('count is exact, both ways', () => {
    const counted = (count: number): boolean =>
      passes({ kind: 'count', ...at('customer', { name: 'Bo Lund' }), count });
    expect([0, 1, 2, 3].map(counted)).toEqual([false, false, true, false]);
    expect(passes({ kind: 'count', ...at('customer', { name: 'Nobody' }), count: 0 })).toBe(true);
    expect(judged({ kind: 'count', ...at('invoice', {}), count: 2 }).evidence).toContain('more than 2 rows');
  });

  it('sees what the session did and nothing of other sessions', () => {
    const other = session.fork('other');
    expect(session.call('create_customer', { name: 'New & Co', email: 'new@mail.example' }).ok).toBe(true);
    const check = { kind: 'exists', ...at('customer', { name: 'New & Co' }) };
    expect(passes(check)).toBe(true);
    expect(evaluate(Check.parse({ id: 'c1', footprint: [], ...check }), gather(other, '')).pass).toBe(false);
    other.drop();
  });

  it.each(["x'; DROP TABLE customer; --", '" OR 1=1 --', '%', '\u0000'])('values are values: %j', (name) => {
    expect(passes({ kind: 'exists', ...at('customer', { name }) })).toBe(false);
    expect(passes({ kind: 'exists', ...at('customer', {}) })).toBe(true);
  });

  it('booleans are what the state holds for them', () => {
    const agents = (is_active: boolean): Loose => ({
      kind: 'count',
      service: 'tickets',
      table: 'agent',
      where: { is_active },
      count: 1,
    });
    expect([passes(agents(false)), passes(agents(true))]).toEqual([true, false]);
  });
});

describe('values', () => {
  it('equals and not_equals speak of the single row that is meant', () => {
    const id = anInvoice('draft');
    const value = (kind: string, col: string, wanted: unknown): boolean =>
      passes({ kind, ...at('invoice', { id }), col, value: wanted });
    expect(value('equals', 'status', 'draft')).toBe(true);
    expect(value('equals', 'status', 'DRAFT')).toBe(false);
    expect(value('not_equals', 'status', 'void')).toBe(true);
    expect(value('not_equals', 'status', 'draft')).toBe(false);
    session.call('void_invoice', { invoice_id: id });
    expect(value('equals', 'status', 'void')).toBe(true);
  });

  it('numbers are not texts, and null is a value', () => {
    const id = anInvoice('draft');
    const total = world.services.get('billing')?.connection.prepare('SELECT total FROM invoice WHERE id = ?').get([id]);
    const value = (wanted: unknown): boolean =>
      passes({ kind: 'equals', ...at('invoice', { id }), col: 'total', value: wanted });
    expect([value(total?.total), value(String(total?.total)), value(null)]).toEqual([true, false, false]);
    expect(passes({ kind: 'equals', ...at('invoice', { id }), col: 'internal_note', value: null })).toBe(true);
  });

  it.each(['equals', 'not_equals'])('%s fails where no row or several are meant', (kind) => {
    expect(passes({ kind, ...at('customer', { name: 'Bo Lund' }), col: 'phone', value: 'x' })).toBe(false);
    expect(passes({ kind, ...at('customer', { name: 'Nobody' }), col: 'phone', value: 'x' })).toBe(false);
  });
});

describe('calls', () => {
  const returned = (tools: string[], key: string | number): boolean => passes({ kind: 'returned', tools, key });

  it('a key counts when a good call of a named tool showed it', () => {
    const id = anInvoice('paid');
    expect(returned(['list_invoices'], id)).toBe(true);
    expect(returned(['get_invoice'], id)).toBe(false);
    expect(returned(['get_invoice', 'list_invoices'], id)).toBe(true);
    expect(returned(['list_invoices'], id.slice(0, -1))).toBe(false);
  });

  it('a key that the agent only wrote itself does not', () => {
    session.call('get_invoice', { invoice_id: 'inv_guessed' });
    expect(returned(['get_invoice'], 'inv_guessed')).toBe(false);
  });

  it('numbers are not found inside texts', () => {
    session.call('findTickets', {});
    const result = session.ledger.at(-1)?.result as { data: { attributes: { agentId?: number } }[] };
    expect(returned(['findTickets'], '1')).toBe(false);
    expect(JSON.stringify(result)).toContain('1');
  });
});

describe('files', () => {
  it('hold, equal, contain, or are not there', () => {
    session.workspace.write('notes/a.txt', 'line one\nline two');
    const file = (more: Loose): boolean => passes({ kind: 'file', path: 'notes/a.txt', ...more });
    expect(file({})).toBe(true);
    expect(file({ contains: 'two' })).toBe(true);
    expect(file({ contains: 'three' })).toBe(false);
    expect(file({ equals: 'line one' })).toBe(false);
    expect(file({ equals: 'line one\nline two', contains: 'one' })).toBe(true);
    expect(file({ absent: true })).toBe(false);
    expect(passes({ kind: 'file', path: 'notes/b.txt' })).toBe(false);
    expect(passes({ kind: 'file', path: 'notes/b.txt', absent: true })).toBe(true);
  });
});

describe('answers', () => {
  it('go to the judge with the answer specification', () => {
    const spec = { kind: 'number' as const, asks: 'how many', expected: 12, distractors: [13] };
    expect(judged({ kind: 'answer' }, 'There are 12.', spec)).toMatchObject({ pass: true, kind: 'answer' });
    expect(judged({ kind: 'answer' }, '12 or 13', spec).pass).toBe(false);
    expect(judged({ kind: 'answer' }, '', spec).pass).toBe(false);
  });
});

describe('checks that cannot be evaluated', () => {
  it.each([
    ['a table that is not there', { kind: 'exists', service: 'billing', table: 'nothing', where: {} }],
    ['a service that is not there', { kind: 'absent', service: 'payroll', table: 'customer', where: {} }],
    ['a column that is not there', { kind: 'exists', ...at('customer', { shoe_size: 44 }) }],
    ['an invariant that is not there', { kind: 'invariant', invariant: 'nothing' }],
    ['an answer that nobody specified', { kind: 'answer' }],
  ])('%s: failed, and broken, never passed', (_, check) => {
    const result = judged(check, 'anything');
    expect(result).toMatchObject({ pass: false, broken: true, check: 'c1' });
    expect(result.evidence).not.toBe('');
  });

  it('a value of a column that is not there is no value at all', () => {
    const id = anInvoice('draft');
    for (const kind of ['equals', 'not_equals'])
      expect(judged({ kind, ...at('invoice', { id }), col: 'shoe_size', value: null })).toMatchObject({
        pass: false,
        broken: true,
      });
  });
});
