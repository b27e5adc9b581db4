/** Names of webhooks, their signatures, and expressions of callbacks. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Table } from '../../../artifacts/table.js';
import type { HttpParam } from '../../../document/http.js';
import { isAsked } from './asked.js';
import type { Declared } from './declared.js';
import { type Effect, isTold, sameWord } from './effect.js';
import { resolved } from './expression.js';
import { leavesOf } from './leaves.js';
import { meaningOf, tablesMeant } from './meaning.js';
import { isAllowed } from './post.js';
import { signedHeaders } from './sign.js';

it('reads names in the forms that documents have', () => {
  for (const name of ['customer.created', 'customer_created', 'newCustomer', 'onCustomerCreated', 'CUSTOMER_ADDED']) {
    const meaning = meaningOf(name);
    expect([name, [...meaning.changes], tablesMeant(meaning, ['order', 'customer'])]).toEqual([
      name,
      ['insert'],
      ['customer'],
    ]);
  }
  const meant = (name: string, ...tables: string[]): string[] => tablesMeant(meaningOf(name), tables);
  expect(meant('crm.customers.deleted', 'customer', 'crm')).toEqual(['customer']);
  expect(meant('order.created', 'shop_order')).toEqual(['shop_order']);
  expect(meant('order.created', 'shop_order', 'order')).toEqual(['order']);
  expect(meant('check-run-completed', 'run', 'check_run', 'check')).toEqual(['check_run']);
  expect(meant('customer.created', 'order')).toEqual([]);
  expect(meant('created', 'order')).toEqual([]);
});

it('knows what the events of an address ask for', () => {
  const declared = (name: string, ...aliases: string[]): Declared =>
    ({ name, aliases, meaning: meaningOf(name) }) as unknown as Declared;
  const asks = (events: unknown, name: string, ...aliases: string[]): boolean =>
    isAsked(leavesOf(events), declared(name, ...aliases));
  expect(asks({ events: ['order.created'] }, 'orderCreated')).toBe(true);
  expect(asks({ topic: 'orders/create' }, 'order.created')).toBe(true);
  expect(asks({ enabled_events: ['*'] }, 'order.created')).toBe(true);
  expect(asks({ enabled_events: ['order.*', 'shop.created'] }, 'order.created')).toBe(true);
  expect(asks({ eventTypes: [{ name: 'ORDER_PAID' }] }, 'order.paid')).toBe(true);
  expect(asks({ config: { events: 'order.paid, order.created' } }, 'order.created')).toBe(true);
  expect(asks({ events: ['pull_request'] }, 'pull-request-review-requested', 'pull_request')).toBe(true);
  for (const nothing of [{}, { events: [] }, { events: null }, { url: 'http://x' }])
    expect(asks(nothing, 'order.created')).toBe(true);
  expect(asks({ events: ['invoice'] }, 'invoice_item.created')).toBe(false);
  expect(asks({ events: ['order.paid'] }, 'order.created')).toBe(false);
  expect(asks({ events: ['order.updated'] }, 'order.created')).toBe(false);
  expect(asks({ enabled_events: ['shop.*'] }, 'order.created')).toBe(false);
  // What other things of the row are about says nothing of it.
  expect(asks({ owner: { events: ['shop.created'] } }, 'order.created')).toBe(true);
});

it('knows one word in its forms', () => {
  const pairs = [
    ['closed', 'close'],
    ['canceled', 'cancelled'],
    ['paid', 'pay'],
    ['shipped', 'ship'],
    ['activated', 'active'],
    ['completed', 'complete'],
  ] as const;
  for (const [a, b] of pairs) expect([a, b, sameWord(a, b)]).toEqual([a, b, true]);
  expect(sameWord('paid', 'open')).toBe(false);
  expect(sameWord('opened', 'operated')).toBe(false);
});

const TABLE: Table = {
  noun: 'invoice',
  key: { col: 'id' },
  cols: {
    id: { type: 'text' },
    status: { type: 'text', enum: ['open', 'paid', 'void'] },
    is_archived: { type: 'bool' },
    sent_at: { type: 'datetime' },
    note: { type: 'text' },
  },
};
const effect = (change: Effect['change'], row: Effect['row']): Effect => ({
  service: 's',
  table: 'invoice',
  key: 'i1',
  change,
  cols: Object.keys(row),
  row: { id: 'i1', ...row },
});
const told = (name: string, what: Effect, action?: string): boolean => isTold(meaningOf(name), what, TABLE, action);

it('tells of a status, a flag or a moment that was set, and of nothing else', () => {
  expect(told('invoice.paid', effect('update', { status: 'paid' }))).toBe(true);
  expect(told('invoice.paid', effect('update', { status: 'void' }))).toBe(false);
  expect(told('invoice.paid', effect('update', { note: 'paid' }))).toBe(false);
  expect(told('invoice_voided', effect('update', { status: 'void' }))).toBe(true);
  expect(told('invoice.archived', effect('update', { is_archived: 1 }))).toBe(true);
  expect(told('invoice.archived', effect('update', { is_archived: 0 }))).toBe(false);
  expect(told('invoice.sent', effect('update', { sent_at: 1 }))).toBe(true);
  expect(told('invoice.sent', effect('update', { sent_at: null }))).toBe(false);
  expect(told('invoice.refunded', effect('update', { note: 'x' }), 'refund')).toBe(true);
  expect(told('invoice.updated', effect('insert', { note: 'x' }))).toBe(false);
  expect(told('invoice.deleted', effect('delete', {}))).toBe(true);
  expect(told('invoice', effect('update', { note: 'x' }))).toBe(true);
});

const header = (name: string): HttpParam => ({
  name,
  in: 'header',
  required: true,
  style: 'simple',
  explode: false,
  schema: {},
});
const signing = { secret: 'top', id: 'msg_1', event: 'a.b', at: 1_700_000_000, body: '{"a":1}' };
const hmac = (key: string | Buffer, text: string, form: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(text).digest(form);

it('signs the way a header’s name stands for', () => {
  const { at, body } = signing;
  const cases: [string, string][] = [
    ['Stripe-Signature', `t=${at},v1=${hmac('top', `${at}.${body}`, 'hex')}`],
    ['X-Hub-Signature-256', `sha256=${hmac('top', body, 'hex')}`],
    ['X-Shop-Hmac-SHA256', hmac('top', body, 'base64')],
    ['X-Slack-Signature', `v0=${hmac('top', `v0:${at}:${body}`, 'hex')}`],
    ['webhook-signature', `v1,${hmac('top', `msg_1.${at}.${body}`, 'base64')}`],
    ['X-Acme-Signature', hmac('top', body, 'hex')],
  ];
  for (const [name, value] of cases)
    expect(signedHeaders([header(name)], signing)).toEqual({ [name.toLowerCase()]: value });
});

it('signs as Standard Webhooks where a secret is given and the document names no signature', () => {
  const secret = `whsec_${Buffer.from('raw key').toString('base64')}`;
  expect(signedHeaders([header('X-Event')], { ...signing, secret })).toEqual({
    'x-event': 'a.b',
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${hmac(Buffer.from('raw key'), 'msg_1.1700000000.{"a":1}', 'base64')}`,
  });
  expect(signedHeaders([header('X-Signature')], { ...signing, secret: undefined })).toEqual({});
});

const exchange = {
  request: {
    method: 'POST',
    path: '/p/1',
    query: 'q=2',
    headers: { 'x-to': 'h' },
    body: undefined,
    origin: 'http://o',
  },
  decoded: { params: { 'query q': 2, 'path id': 1 }, body: { to: 'http://a/', 'x/y': ['z'], no: {} } },
  response: { status: 201, headers: { location: '/l' }, body: '{"id":"i"}' },
};

it('resolves runtime expressions', () => {
  expect(resolved('{$request.body#/to}?id={$response.body#/id}', exchange)).toBe('http://a/?id=i');
  expect(resolved('$request.body#/to', exchange)).toBe('http://a/');
  expect(resolved('{$request.query.q}{$request.path.id}{$request.header.X-To}{$statusCode}{$method}', exchange)).toBe(
    '21h201POST',
  );
  expect(resolved('{$url} {$response.header.Location} {$request.body#/x~1y/0}', exchange)).toBe(
    'http://o/p/1?q=2 /l z',
  );
  for (const text of ['{$request.body#/none}', '{$request.body#/no}', '{$request.body#/__proto__/x}', '{$what}'])
    expect(resolved(text, exchange)).toBeUndefined();
});

it('calls this machine and hosts that were named, nothing else', () => {
  for (const url of ['http://localhost:1/x', 'http://127.0.0.1/', 'https://[::1]:8/', 'http://app.localhost/'])
    expect([url, isAllowed(url, [])]).toEqual([url, true]);
  const others = [
    'http://example.com/',
    'http://169.254.169.254/latest',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://localhost@evil.example/',
    'ftp://localhost/',
    'file:///x',
    'no url',
    '',
  ];
  for (const url of others) expect([url, isAllowed(url, [])]).toEqual([url, false]);
  expect(isAllowed('https://hooks.example/x', ['hooks.example'])).toBe(true);
});
