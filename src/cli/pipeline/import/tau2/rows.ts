/** The domain's nested records as rows of the service's tables. */
import type { ServiceSpec } from '../../../../artifacts/service.js';
import { canonicalJson, type Json } from '../../../../kit/hash.js';
import { idOf } from '../../../../world/ids.js';
import type { Row } from '../../../../world/state/types.js';
import { badShape } from './read.js';
import type { Db } from './shapes.js';

type Rows = Record<string, Row[]>;

const MEND = 'Mend db.json.';
const list = (value: Json[] | null | undefined): string | null => (value ? canonicalJson(value) : null);

/** What foreign keys would refuse, and what they cannot see: said with the record's own name. */
const assertWhole = ({ products, users, orders }: Db): void => {
  const no = (message: string, value: string): never => {
    throw badShape(`db.json: ${message}`, value, MEND);
  };
  const variants = new Map<string, string>();
  for (const [id, product] of Object.entries(products)) {
    if (product.product_id !== id) no('a product stands under another id than its own', id);
    for (const [key, { item_id }] of Object.entries(product.variants)) {
      if (item_id !== key) no('a variant stands under another id than its own', key);
      if (variants.has(item_id)) no('two products share an item id', item_id);
      variants.set(item_id, id);
    }
  }
  const methods = new Map<string, string>();
  for (const [id, user] of Object.entries(users)) {
    if (user.user_id !== id) no('a user stands under another id than its own', id);
    for (const [key, method] of Object.entries(user.payment_methods)) {
      if (method.id !== key) no('a payment method stands under another id than its own', key);
      if (methods.has(key)) no('two users share a payment method', key);
      methods.set(key, id);
    }
    const stray = user.orders.find((order) => orders[order]?.user_id !== id);
    if (stray !== undefined) no(`user ${id} has an order that is not there or another user's`, stray);
  }
  const places = new Map(Object.values(users).flatMap((user) => user.orders.map((order, i) => [order, i] as const)));
  const next = new Map<string, number>();
  for (const [id, order] of Object.entries(orders)) {
    if (order.order_id !== id) no('an order stands under another id than its own', id);
    if (!users[order.user_id]) no(`order ${id} is of a user that is not there`, order.user_id);
    const at = next.get(order.user_id) ?? 0;
    if (places.get(id) !== at) no("a user's orders are not listed in the order of the file", id);
    next.set(order.user_id, at + 1);
    for (const { item_id, product_id } of order.items)
      if (variants.get(item_id) !== product_id)
        no(`order ${id} has an item that is no variant of its product`, item_id);
    const paid = order.payment_history.find((one) => methods.get(one.payment_method_id) !== order.user_id);
    if (paid) no(`order ${id} was paid by a method that its user does not have`, paid.payment_method_id);
  }
};

/** Parents first. */
const TABLES = ['product', 'variant', 'user', 'payment_method', 'order', 'order_item', 'payment', 'notice'];

/** Key of an order's item: its place on the order, so that keys sort as items stand. */
const itemKey = (order: string, position: number): string => `${order}-${String(position).padStart(4, '0')}`;

/**
 * Rows by table, parents first; records keep their order. Ids of payments, which the original does not have, are those the service
 * itself would have given them. Throws `bad_shape` where the records do not hold together.
 */
export const rowsOf = (db: Db, spec: ServiceSpec, seed: string): Rows => {
  assertWhole(db);
  const rows: Rows = Object.fromEntries(
    TABLES.filter((table) => table !== 'notice' || spec.tables.notice).map((table) => [table, []]),
  );
  const add = (table: string, row: Row): void => void rows[table]?.push(row);
  for (const { product_id, name, variants } of Object.values(db.products)) {
    add('product', { product_id, name });
    for (const { item_id, options, available, price } of Object.values(variants))
      add('variant', { item_id, product_id, options: canonicalJson(options), available: Number(available), price });
  }
  for (const { user_id, name, address, email, payment_methods } of Object.values(db.users)) {
    add('user', { user_id, ...name, ...address, email });
    for (const { id, ...rest } of Object.values(payment_methods))
      add('payment_method', { payment_method_id: id, user_id, ...rest });
  }
  const gen = spec.tables.payment?.key.gen;
  for (const order of Object.values(db.orders)) {
    const { order_id, user_id, address, items, status, fulfillments, payment_history } = order;
    add('order', {
      order_id,
      user_id,
      ...address,
      status,
      fulfillments: canonicalJson(fulfillments),
      cancel_reason: order.cancel_reason ?? null,
      exchange_items: list(order.exchange_items),
      exchange_new_items: list(order.exchange_new_items),
      exchange_payment_method_id: order.exchange_payment_method_id ?? null,
      exchange_price_difference: order.exchange_price_difference ?? null,
      return_items: list(order.return_items),
      return_payment_method_id: order.return_payment_method_id ?? null,
    });
    for (const [position, { options, ...item }] of items.entries()) {
      const order_item_id = itemKey(order_id, position);
      add('order_item', { order_item_id, order_id, position, ...item, options: canonicalJson(options) });
    }
    for (const [position, payment] of payment_history.entries()) {
      const n = (rows.payment?.length ?? 0) + 1;
      const payment_id = gen ? idOf(gen, `${seed}/${spec.id}/payment`, n) : String(n);
      add('payment', { payment_id, order_id, position, ...payment });
    }
  }
  return rows;
};
