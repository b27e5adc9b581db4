/** Rows back to the domain's records: what db.json holds, and what a session made of it. */
import { canonicalJson, type Json } from '../../../../kit/hash.js';
import type { LoadedService } from '../../../../world/loaded.js';
import type { State } from '../../../../world/state/state.js';
import type { Row, RowChange, SqlValue } from '../../../../world/state/types.js';

export const KINDS = ['products', 'users', 'orders'] as const;
export type Kind = (typeof KINDS)[number];
export type Records = Record<Kind, Record<string, Json>>;

const ADDRESS = ['address1', 'address2', 'city', 'country', 'state', 'zip'];
const pick = (row: Row, cols: readonly string[]): { [key: string]: Json } =>
  Object.fromEntries(cols.map((col) => [col, (row[col] ?? null) as Json]));
const parsed = (value: SqlValue | undefined): Json => (typeof value === 'string' ? (JSON.parse(value) as Json) : null);

const SHOWN_OF: Record<string, string[]> = {
  credit_card: ['source', 'brand', 'last_four'],
  paypal: ['source'],
  gift_card: ['source', 'balance'],
};

/** Reads records of a state, one by one. */
export const recordReader = (service: LoadedService, state: State): ((kind: Kind, id: string) => Json) => {
  const all = (table: string, col: string, id: string, order = 'rowid'): Row[] => {
    service.connection.bind(state);
    const sql = `SELECT * FROM "${table}" WHERE "${col}" = ? ORDER BY ${order}`;
    return service.connection.prepare(sql).all([id]);
  };
  const product = (id: string): Json => {
    const [row] = all('product', 'product_id', id);
    const variants = all('variant', 'product_id', id).map((variant): [string, Json] => [
      String(variant.item_id),
      {
        ...pick(variant, ['item_id', 'price']),
        options: parsed(variant.options),
        available: variant.available === 1,
      },
    ]);
    return row ? { ...pick(row, ['product_id', 'name']), variants: Object.fromEntries(variants) } : null;
  };
  const user = (id: string): Json => {
    const [row] = all('user', 'user_id', id);
    const methods = all('payment_method', 'user_id', id).map((method): [string, Json] => [
      String(method.payment_method_id),
      { id: String(method.payment_method_id), ...pick(method, SHOWN_OF[String(method.source)] ?? []) },
    ]);
    if (!row) return null;
    return {
      ...pick(row, ['user_id', 'email']),
      name: pick(row, ['first_name', 'last_name']),
      address: pick(row, ADDRESS),
      payment_methods: Object.fromEntries(methods),
      orders: all('order', 'user_id', id).map(({ order_id }) => String(order_id)),
    };
  };
  const order = (id: string): Json => {
    const [row] = all('order', 'order_id', id);
    if (!row) return null;
    const items = all('order_item', 'order_id', id, 'position');
    const payments = all('payment', 'order_id', id, 'position');
    const scalars = [
      'order_id',
      'user_id',
      'status',
      'cancel_reason',
      'exchange_payment_method_id',
      'exchange_price_difference',
      'return_payment_method_id',
    ];
    const lists = ['fulfillments', 'exchange_items', 'exchange_new_items', 'return_items'];
    return {
      ...pick(row, scalars),
      ...Object.fromEntries(lists.map((col) => [col, parsed(row[col])])),
      address: pick(row, ADDRESS),
      items: items.map((item) => ({
        ...pick(item, ['name', 'product_id', 'item_id', 'price']),
        options: parsed(item.options),
      })),
      payment_history: payments.map((payment) => pick(payment, ['transaction_type', 'amount', 'payment_method_id'])),
    };
  };
  const of = { products: product, users: user, orders: order };
  return (kind, id) => of[kind](id);
};

const OWNER: Record<string, [Kind, string]> = {
  product: ['products', 'product_id'],
  variant: ['products', 'product_id'],
  user: ['users', 'user_id'],
  payment_method: ['users', 'user_id'],
  order: ['orders', 'order_id'],
  order_item: ['orders', 'order_id'],
  payment: ['orders', 'order_id'],
};

/** Records that own the rows, each once. */
export const ownersOf = (changes: readonly RowChange[]): [Kind, string][] => {
  const found = new Map<string, [Kind, string]>();
  for (const { table, before, after } of changes) {
    const [kind, col] = OWNER[table] as [Kind, string];
    for (const row of [before, after]) if (row) found.set(`${kind} ${row[col]}`, [kind, String(row[col])]);
  }
  return [...found.values()];
};

const withoutNulls = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]])),
  );
};

/** One text for equal records: keys in any order, a key without a value like one that is not there. */
export const textOfRecord = (value: Json): string => canonicalJson(withoutNulls(value));
