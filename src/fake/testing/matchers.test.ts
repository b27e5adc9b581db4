/** The matchers and assertions: what they hold, and what they say when they do not. */
import { AssertionError } from 'node:assert';
import { afterAll, beforeAll, expect, expectTypeOf, it } from 'vitest';
import {
  assertCalled,
  assertNoRow,
  assertNotCalled,
  assertRow,
  assertRows,
  assertSent,
  startWorld,
  type TestWorld,
} from './testing.js';
import { TILL } from './till.fixture.js';
import './vitest.js';

let world: TestWorld;
let id: string;
beforeAll(async () => {
  world = await startWorld(TILL, { data: { customer: [{ id: 'cus_0', name: 'Zed', email: 'zed@mail.example' }] } });
  const made = await world.fetch('/v2/customers', {
    method: 'POST',
    body: JSON.stringify({ name: 'Ana', email: 'ana@mail.example', is_vip: true, address: { city: 'Graz' } }),
    headers: { 'content-type': 'application/json' },
  });
  ({ id } = (await made.json()) as { id: string });
  await world.fetch(`/customers/${id}`);
});
afterAll(() => world.close());

const said = (work: () => unknown): string => {
  try {
    work();
    return 'it passed';
  } catch (thrown) {
    return (thrown as Error).message;
  }
};

it('finds rows by fields as they are shown and as they are stored', () => {
  expect(world).toHaveRow('customer', { email: 'ana@mail.example', is_vip: true, address: { city: 'Graz' } });
  expect(world).toHaveRow('customers', { address_city: /^Gr/, isVip: 1, name: expect.stringContaining('An') });
  expect(world).toHaveRows('Customer', { name: 'Ana' }, 1);
  expect(world).not.toHaveRow('customer', { email: 'ana@mail.example', is_vip: false });
  expect(world).toHaveRow('customer');
  assertRow(world, 'customer', { id });
  assertRows(world, 'customer', { name: 'Nobody' }, 0);
  assertNoRow(world, 'customer', { name: 'Nobody' });
});

it('names the nearest row and what is different', () => {
  const message = said(() => assertRow(world, 'customer', { email: 'ana@mail.exampel', name: 'Ana' }));
  expect(message).toContain(`The nearest is ${id}:`);
  expect(message).toContain('email: expected "ana@mail.exampel", is "ana@mail.example"');
  expect(message).not.toContain('name: expected');
  expect(said(() => expect(world).not.toHaveRow('customer', { name: 'Ana' }))).toContain('ana@mail.example');
  expect(said(() => assertRows(world, 'customer', { name: 'Ana' }, 2))).toContain('there are 1 of');
});

it('takes a mistyped name for a mistake, not for an absence', () => {
  const cases: [() => unknown, string][] = [
    [() => expect(world).not.toHaveRow('custmer'), 'no such table'],
    [() => expect(world).not.toHaveRow('customer', { emial: 'x' }), 'no such field'],
    [() => expect(world).not.toHaveCalled('POST /custmers'), 'no such operation'],
    [() => expect(world).not.toHaveSent('customer.creatd'), 'no such webhook'],
    [() => expect({}).toHaveRow('customer'), 'for a world'],
  ];
  for (const [work, text] of cases) expect(said(work)).toContain(text);
});

it('finds calls by operation, id, path and tool', () => {
  expect(world).toHaveCalled('POST /customers', { body: { name: 'Ana' }, status: 201, times: 1 });
  expect(world).toHaveCalled('createCustomer');
  expect(world).toHaveCalled('GET /customers/{id}', { params: { id } });
  expect(world).toHaveCalled(`GET /customers/${id}`);
  expect(world).toHaveCalled('GET /customers/*', { times: 1 });
  expect(world).not.toHaveCalled('GET /customers/cus_0');
  expect(world).not.toHaveCalled('DELETE /customers/*');
  expect(world).toHaveCalled(world.ledger()[0]?.tool ?? '', { args: { name: 'Ana' } });
  assertCalled(world, 'POST /customers', { body: { address: { city: 'Graz' } } });
  assertNotCalled(world, 'payInvoice');
});

it('tells which calls came instead', () => {
  expect(said(() => assertCalled(world, 'POST /invoices'))).toMatch(/not called.*\n {2}POST \/v2\/customers -> 201/);
  expect(said(() => assertCalled(world, 'POST /customers', { body: { name: 'Bo' } }))).toContain(
    'body: expected {"name":"Bo"}, is {"name":"Ana"',
  );
  expect(said(() => assertCalled(world, 'createCustomer', { times: 2 }))).toContain('2 times; it was once');
  expect(said(() => assertNotCalled(world, 'createCustomer'))).toContain('it was:');
});

it('finds webhooks', () => {
  expect(world).toHaveSent('customer.created', { body: { data: { object: { id } } }, times: 1 });
  expect(world).not.toHaveSent('invoice_paid');
  assertSent(world, 'customer.created', { state: 'kept' });
  expect(said(() => assertSent(world, 'customer.deleted'))).toContain('customer.created (kept)');
});

it('throws what test runners know, from where the test stands', () => {
  expect(() => assertRow(world, 'customer', { name: 'Nobody' })).toThrow(AssertionError);
  expectTypeOf(expect(world).toHaveRow).parameter(0).toEqualTypeOf<string>();
});
