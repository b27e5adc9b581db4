/** The domain's writing tools a second time, over the records themselves, written from their description alone: what the service is held against. */
import type { Db } from './shapes.js';

type Order = Db['orders'][string];
type Args = Record<string, string | string[]>;

/** A refusal; nothing has changed. */
export class Refused extends Error {}
const no = (why: string): never => {
  throw new Refused(why);
};

/** Sums of cents are never halfway between two cents. */
const cents = (value: number): number => Number(value.toFixed(2));
const count = (list: readonly string[], one: string): number => list.filter((item) => item === one).length;

const orderOf = (db: Db, { order_id }: Args): Order => db.orders[String(order_id)] ?? no('order');
const methodOf = (db: Db, order: Order, id: string) => db.users[order.user_id]?.payment_methods[id] ?? no('method');

const pay = (method: ReturnType<typeof methodOf>, amount: number): void => {
  if (method.source === 'gift_card') method.balance = cents(method.balance - amount);
};
const covers = (method: ReturnType<typeof methodOf>, amount: number): void => {
  if (method.source === 'gift_card' && method.balance < amount) no('balance');
};

const holds = (order: Order, ids: readonly string[]): void => {
  const own = order.items.map(({ item_id }) => item_id);
  if (ids.some((id) => count(ids, id) > count(own, id))) no('item');
};

/** Old item and new variant, pair by pair. */
const pairsOf = (db: Db, order: Order, ids: readonly string[], next: readonly string[], sameAllowed: boolean) => {
  holds(order, ids);
  if (ids.length !== next.length) no('length');
  return ids.map((id, i) => {
    const to = next[i] as string;
    if (id === to && !sameAllowed) no('same');
    const item = order.items.find(({ item_id }) => item_id === id) ?? no('item');
    const variant = db.products[item.product_id]?.variants[to] ?? no('variant');
    if (!variant.available) no('sold out');
    return { id, to, item, variant };
  });
};

const addressIn = ({ address1, address2, city, country, state, zip }: Args): Order['address'] =>
  ({ address1, address2, city, country, state, zip }) as Order['address'];

/** By tool; each changes `db` or throws `Refused` before it did. */
export const MODEL: Record<string, (db: Db, args: Args) => void> = {
  cancel_pending_order: (db, args) => {
    const order = orderOf(db, args);
    if (order.status !== 'pending') no('status');
    if (args.reason !== 'no longer needed' && args.reason !== 'ordered by mistake') no('reason');
    for (const { amount, payment_method_id } of [...order.payment_history]) {
      pay(methodOf(db, order, payment_method_id), -amount);
      order.payment_history.push({ transaction_type: 'refund', amount, payment_method_id });
    }
    order.status = 'cancelled';
    order.cancel_reason = args.reason as Order['cancel_reason'];
  },
  modify_pending_order_address: (db, args) => {
    const order = orderOf(db, args);
    if (!order.status.includes('pending')) no('status');
    order.address = addressIn(args);
  },
  modify_user_address: (db, args) => {
    const user = db.users[String(args.user_id)] ?? no('user');
    user.address = addressIn(args);
  },
  modify_pending_order_items: (db, args) => {
    const order = orderOf(db, args);
    if (order.status !== 'pending') no('status');
    const pairs = pairsOf(db, order, args.item_ids as string[], args.new_item_ids as string[], false);
    const payment_method_id = String(args.payment_method_id);
    const method = methodOf(db, order, payment_method_id);
    let difference = 0;
    for (const { item, variant } of pairs) difference += variant.price - item.price;
    covers(method, difference);
    order.payment_history.push({
      transaction_type: difference > 0 ? 'payment' : 'refund',
      amount: Math.abs(difference),
      payment_method_id,
    });
    pay(method, difference);
    const last = pairs.at(-1)?.variant;
    for (const { id, to } of pairs) {
      const item = order.items.find(({ item_id }) => item_id === id);
      if (item && last) Object.assign(item, { item_id: to, price: last.price, options: last.options });
    }
    order.status = 'pending (item modified)';
  },
  modify_pending_order_payment: (db, args) => {
    const order = orderOf(db, args);
    if (!order.status.includes('pending')) no('status');
    const payment_method_id = String(args.payment_method_id);
    const method = methodOf(db, order, payment_method_id);
    const [paid, ...more] = order.payment_history;
    if (!paid || more.length > 0 || paid.transaction_type !== 'payment') return no('payments');
    if (paid.payment_method_id === payment_method_id) no('same');
    const { amount } = paid;
    covers(method, amount);
    order.payment_history.push(
      { transaction_type: 'payment', amount, payment_method_id },
      { transaction_type: 'refund', amount, payment_method_id: paid.payment_method_id },
    );
    pay(method, amount);
    pay(methodOf(db, order, paid.payment_method_id), -amount);
  },
  exchange_delivered_order_items: (db, args) => {
    const order = orderOf(db, args);
    if (order.status !== 'delivered') no('status');
    const pairs = pairsOf(db, order, args.item_ids as string[], args.new_item_ids as string[], true);
    const difference = cents(pairs.reduce((sum, { item, variant }) => sum + (variant.price - item.price), 0));
    covers(methodOf(db, order, String(args.payment_method_id)), difference);
    Object.assign(order, {
      status: 'exchange requested',
      exchange_items: [...args.item_ids].sort(),
      exchange_new_items: [...args.new_item_ids].sort(),
      exchange_payment_method_id: args.payment_method_id,
      exchange_price_difference: difference,
    });
  },
  return_delivered_order_items: (db, args) => {
    const order = orderOf(db, args);
    if (order.status !== 'delivered') no('status');
    const id = String(args.payment_method_id);
    const method = methodOf(db, order, id);
    if (method.source !== 'gift_card' && id !== order.payment_history[0]?.payment_method_id) no('method');
    holds(order, args.item_ids as string[]);
    Object.assign(order, {
      status: 'return requested',
      return_items: [...args.item_ids].sort(),
      return_payment_method_id: id,
    });
  },
};
