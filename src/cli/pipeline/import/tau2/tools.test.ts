/** The service's tools on a small shop: what each changes and refuses, quirks included. */
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

describe('look-ups', () => {
  it('find a user by e-mail in any case and answer with the id alone', () => {
    expect(shop.call(shop.open(), 'find_user_id_by_email', { email: 'ANA.lee@MAIL.example' })).toBe('ana_lee_1');
    expect(shop.refused('find_user_id_by_email', { email: 'nobody@mail.example' })).toBe('Error: User not found');
  });
  it('find a user by names in any case and the exact zip code', () => {
    const find = { first_name: 'ANA', last_name: 'lee', zip: '02101' };
    expect(shop.call(shop.open(), 'find_user_id_by_name_zip', find)).toBe('ana_lee_1');
    expect(shop.refused('find_user_id_by_name_zip', { ...find, zip: '2101' })).toBe('Error: User not found');
  });
  it('show an order, a product, an item and a user as the records are', () => {
    const session = shop.open();
    expect(shop.call(session, 'get_order_details', { order_id: '#W2' })).toEqual(shop.record(session, 'orders', '#W2'));
    expect(shop.call(session, 'get_product_details', { product_id: 'P1' })).toEqual(
      shop.record(session, 'products', 'P1'),
    );
    expect(shop.call(session, 'get_user_details', { user_id: 'ana_lee_1' })).toEqual(
      shop.record(session, 'users', 'ana_lee_1'),
    );
    expect(shop.call(session, 'get_item_details', { item_id: 'L3' })).toEqual({
      item_id: 'L3',
      options: { color: 'green', size: 'M' },
      available: false,
      price: 9,
    });
    expect(shop.call(session, 'list_all_product_types', {})).toEqual({ product_types: { Lamp: 'P1', Mug: 'P2' } });
  });
  it.each([
    ['get_order_details', { order_id: 'W1' }, 'Error: Order not found'],
    ['get_product_details', { product_id: 'L1' }, 'Error: Product not found'],
    ['get_item_details', { item_id: 'P1' }, 'Error: Item not found'],
    ['get_user_details', { user_id: 'ana' }, 'Error: User not found'],
  ])('%s of nothing', (tool, args, said) => expect(shop.refused(tool, args)).toBe(said));
});

describe('calculate', () => {
  it.each([
    ['3', '3.0'],
    ['1 + 2 * 3', '7.0'],
    ['(1 + 2) * 3', '9.0'],
    ['-4 / 3', '-1.33'],
    ['10 / 4', '2.5'],
    ['2.675', '2.67'],
    ['0.125', '0.12'],
    ['0.375', '0.38'],
    ['1.005 * 1000', '1005.0'],
    ['-0.125', '-0.12'],
    ['7 // 2', '3.0'],
    ['2 ** 3 ** 2', '512.0'],
    ['- 2 ** 2', '-4.0'],
    ['99999999 * 99999999 * 10', '9.9999998e+16'],
  ])('%s is %s', (expression, value) => expect(shop.call(shop.open(), 'calculate', { expression })).toEqual({ value }));
  it.each(['', '1 +', '(1', '1)', '2 3', '1 / 0', 'x', 'process.exit()', '1e5', '.', '('.repeat(900), '1..2'])(
    'refuses %s',
    (expression) => expect(shop.refused('calculate', { expression })).toMatch(/^Error: /),
  );
});

describe('cancel_pending_order', () => {
  it('refunds every payment; a gift card has its money at once', () => {
    const session = shop.open();
    shop.call(session, 'cancel_pending_order', { order_id: '#W4', reason: 'ordered by mistake' });
    expect(shop.record(session, 'orders', '#W4')).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'ordered by mistake',
      payment_history: [
        { transaction_type: 'payment' },
        { transaction_type: 'refund', amount: 4.75, payment_method_id: 'gift_1' },
      ],
    });
    expect(shop.record(session, 'users', 'ana_lee_1')).toMatchObject({
      payment_methods: { gift_1: { balance: 6.75 } },
    });
  });
  it('takes a pending order and one of two reasons', () => {
    const order = { order_id: '#W5', reason: 'no longer needed' };
    expect(shop.refused('cancel_pending_order', order)).toBe('Error: Only a pending order can be cancelled');
    expect(shop.refused('cancel_pending_order', { order_id: '#W1', reason: 'bored' })).toMatch(/no longer needed/);
    expect(shop.refused('cancel_pending_order', { ...order, order_id: '#W9' })).toBe('Error: Order not found');
  });
});

describe('modify_pending_order_items', () => {
  const modify = (item_ids: string[], new_item_ids: string[], payment_method_id = 'card_1') => ({
    order_id: '#W1',
    item_ids,
    new_item_ids,
    payment_method_id,
  });
  it('gives every changed item the price and the options of the last one, and pays the difference as it comes out', () => {
    const session = shop.open();
    shop.call(session, 'modify_pending_order_items', modify(['L1', 'M1'], ['L2', 'M2']));
    const order = shop.record(session, 'orders', '#W1');
    expect(order).toMatchObject({
      status: 'pending (item modified)',
      items: [
        { item_id: 'L2', name: 'Lamp', price: 4.75, options: { color: 'black', size: 'M' } },
        { item_id: 'M2', name: 'Mug', price: 4.75, options: { color: 'black', size: 'M' } },
      ],
    });
    const unrounded = 12.35 - 10.1 + (4.75 - 5.25);
    expect((order.payment_history as Json[])[1]).toEqual({
      transaction_type: 'payment',
      amount: unrounded,
      payment_method_id: 'card_1',
    });
  });
  it('refunds a difference that is not positive', () => {
    const session = shop.open();
    shop.call(session, 'modify_pending_order_items', modify(['M1'], ['M2']));
    expect(shop.record(session, 'orders', '#W1').payment_history).toHaveLength(2);
    expect(shop.record(session, 'orders', '#W1')).toMatchObject({
      payment_history: [{}, { transaction_type: 'refund', amount: 0.5 }],
    });
  });
  it('takes it from a gift card that covers it, in whole cents', () => {
    const session = shop.open();
    shop.call(session, 'modify_pending_order_items', modify(['L1'], ['L4'], 'gift_1'));
    expect(shop.record(session, 'users', 'ana_lee_1')).toMatchObject({ payment_methods: { gift_1: { balance: 1.9 } } });
  });
  it('changes nothing but the status for no items', () => {
    const session = shop.open();
    shop.call(session, 'modify_pending_order_items', modify([], []));
    expect(shop.record(session, 'orders', '#W1')).toMatchObject({
      status: 'pending (item modified)',
      payment_history: [{}, { transaction_type: 'refund', amount: 0 }],
    });
  });
  it.each([
    ['an item that is not there', modify(['L2'], ['L1']), 'not hold L2 that often'],
    ['an item more often than it is there', modify(['L1', 'L1'], ['L2', 'L2']), 'not hold L1 that often'],
    ['lists of different lengths', modify(['L1'], ['L2', 'M2']), 'differ in length'],
    ['the same item', modify(['L1'], ['L1']), 'would stay what it is'],
    ['an item of another product', modify(['L1'], ['M1']), 'no variant of the same product'],
    ['an item that is sold out', modify(['L1'], ['L3']), 'L3 is not available'],
    ["another user's way to pay", modify(['L1'], ['L2'], 'pal_2'), 'no such payment method'],
  ])('refuses %s', (_, args, said) => expect(shop.refused('modify_pending_order_items', args)).toContain(said));
  it('refuses a gift card that does not cover it', () =>
    expect(shop.refused('modify_pending_order_items', modify(['L1'], ['L2'], 'gift_1'))).toContain('does not cover'));
});
