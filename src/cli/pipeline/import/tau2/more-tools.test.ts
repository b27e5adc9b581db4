/** The tools that act on what was delivered, on addresses and on payments. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../../kit/hash.js';
import { openShop, type Shop } from './shop.fixture.js';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(mkdtempSync(join(tmpdir(), 'tau2-')));
});
afterAll(() => shop.close());

const made = (tool: string, args: object, kind: 'orders' | 'users', id: string): { [key: string]: Json } => {
  const session = shop.open();
  shop.call(session, tool, args);
  const record = shop.record(session, kind, id);
  session.drop();
  return record;
};

describe('modify_pending_order_payment', () => {
  it('pays anew and refunds the old way; gift cards are debited and credited', () => {
    const session = shop.open();
    shop.call(session, 'modify_pending_order_payment', { order_id: '#W4', payment_method_id: 'card_1' });
    expect(shop.record(session, 'orders', '#W4')).toMatchObject({
      status: 'pending',
      payment_history: [
        { transaction_type: 'payment', payment_method_id: 'gift_1' },
        { transaction_type: 'payment', payment_method_id: 'card_1', amount: 4.75 },
        { transaction_type: 'refund', payment_method_id: 'gift_1', amount: 4.75 },
      ],
    });
    expect(shop.record(session, 'users', 'ana_lee_1')).toMatchObject({
      payment_methods: { gift_1: { balance: 6.75 } },
    });
    expect(
      session.call('modify_pending_order_payment', { order_id: '#W4', payment_method_id: 'gift_1' }).result,
    ).toContain('single payment');
  });
  it.each([
    ['#W5', 'gift_1', 'Only a pending'],
    ['#W1', 'card_1', 'paid this way already'],
    ['#W1', 'gift_1', 'does not cover'],
    ['#W1', 'pal_2', 'no such payment method'],
  ])('refuses %s by %s', (order_id, payment_method_id, said) =>
    expect(shop.refused('modify_pending_order_payment', { order_id, payment_method_id })).toContain(said),
  );
});

describe('addresses', () => {
  const there = { address1: '9 Oak Way', address2: '', city: 'Salem', state: 'MA', country: 'USA', zip: '01970' };
  it('of a pending order, also of one whose items were changed', () => {
    const session = shop.open();
    const items = { item_ids: ['M1'], new_item_ids: ['M2'], payment_method_id: 'card_1' };
    shop.call(session, 'modify_pending_order_items', { order_id: '#W1', ...items });
    shop.call(session, 'modify_pending_order_address', { order_id: '#W1', ...there });
    expect(shop.record(session, 'orders', '#W1').address).toEqual(there);
    expect(shop.record(session, 'users', 'ana_lee_1').address).not.toEqual(there);
  });
  it('of a user', () =>
    expect(made('modify_user_address', { user_id: 'bo_kim_2', ...there }, 'users', 'bo_kim_2').address).toEqual(there));
  it('not of an order on its way, not of nobody', () => {
    expect(shop.refused('modify_pending_order_address', { order_id: '#W5', ...there })).toContain('Only a pending');
    expect(shop.refused('modify_user_address', { user_id: 'nobody', ...there })).toBe('Error: User not found');
  });
});

describe('exchange_delivered_order_items', () => {
  const exchange = (item_ids: string[], new_item_ids: string[], payment_method_id = 'card_1') => ({
    order_id: '#W2',
    item_ids,
    new_item_ids,
    payment_method_id,
  });
  it('asks for it: both lists sorted, the difference in whole cents, items and payments as they were', () => {
    const order = made(
      'exchange_delivered_order_items',
      exchange(['M1', 'L1', 'L1'], ['M2', 'L4', 'L2']),
      'orders',
      '#W2',
    );
    expect(order).toMatchObject({
      status: 'exchange requested',
      exchange_items: ['L1', 'L1', 'M1'],
      exchange_new_items: ['L2', 'L4', 'M2'],
      exchange_payment_method_id: 'card_1',
      exchange_price_difference: 1.85,
      items: [{ item_id: 'L1' }, { item_id: 'L1' }, { item_id: 'M1' }],
    });
    expect(order.payment_history).toHaveLength(1);
  });
  it('takes the same item again', () =>
    expect(made('exchange_delivered_order_items', exchange(['L1'], ['L1']), 'orders', '#W2')).toMatchObject({
      exchange_price_difference: 0,
    }));
  it.each([
    ['an item more often than it is there', exchange(['L1', 'L1', 'L1'], ['L2', 'L2', 'L2']), 'not hold L1 that often'],
    ['lists of different lengths', exchange(['L1'], []), 'differ in length'],
    ['an item of another product', exchange(['M1'], ['L2']), 'no variant of the same product'],
    ['an item that is sold out', exchange(['L1'], ['L3']), 'L3 is not available'],
    ['a gift card that does not cover it', exchange(['L1'], ['L2'], 'gift_1'), 'Insufficient'],
    ['an order that was not delivered', { ...exchange(['L1'], ['L2']), order_id: '#W1' }, 'Non-delivered'],
  ])('refuses %s', (_, args, said) => expect(shop.refused('exchange_delivered_order_items', args)).toContain(said));
});

describe('return_delivered_order_items', () => {
  const give = (item_ids: string[], payment_method_id: string, order_id = '#W2') => ({
    order_id,
    item_ids,
    payment_method_id,
  });
  it.each(['card_1', 'gift_1'])('asks for it, refunded to %s', (method) =>
    expect(made('return_delivered_order_items', give(['M1', 'L1'], method), 'orders', '#W2')).toMatchObject({
      status: 'return requested',
      return_items: ['L1', 'M1'],
      return_payment_method_id: method,
    }),
  );
  it.each([
    ['an item that is not there', give(['L2'], 'card_1'), 'not hold L2 that often'],
    ['another way than it was paid', give(['M1'], 'pal_2'), 'no such payment method'],
    ['an order that was not delivered', give(['M1'], 'card_1', '#W1'), 'Only a delivered'],
  ])('refuses %s', (_, args, said) => expect(shop.refused('return_delivered_order_items', args)).toContain(said));
});

it('transfer_to_human_agents changes nothing', () => {
  const session = shop.open();
  const hash = session.hash();
  expect(shop.call(session, 'transfer_to_human_agents', { summary: 'angry' })).toBe('Transfer successful');
  expect(session.hash()).toBe(hash);
});
