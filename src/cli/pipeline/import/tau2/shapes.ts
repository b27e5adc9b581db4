/** tau2-bench's retail files as data: db.json, tasks.json, split_tasks.json, and an answer key of recorded replays. */
import { z } from 'zod';

/**
 * The service rounds as SQLite does, which is as Python does for sums of amounts in cents; a finer price would come out
 * differently in rare cases, so none is taken.
 */
const Cents = z
  .number()
  .refine((value) => Math.round(value * 100) / 100 === value, 'an amount with at most 2 decimals');

const Address = z.strictObject({
  address1: z.string(),
  address2: z.string(),
  city: z.string(),
  country: z.string(),
  state: z.string(),
  zip: z.string(),
});
const Options = z.record(z.string(), z.string());

const Variant = z.strictObject({ item_id: z.string(), options: Options, available: z.boolean(), price: Cents.min(0) });
const Product = z.strictObject({
  product_id: z.string(),
  name: z.string(),
  variants: z.record(z.string(), Variant),
});

const PaymentMethod = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('credit_card'),
    id: z.string(),
    brand: z.string(),
    last_four: z.string(),
  }),
  z.strictObject({ source: z.literal('paypal'), id: z.string() }),
  z.strictObject({ source: z.literal('gift_card'), id: z.string(), balance: Cents }),
]);
const User = z.strictObject({
  user_id: z.string(),
  name: z.strictObject({ first_name: z.string(), last_name: z.string() }),
  address: Address,
  email: z.string(),
  payment_methods: z.record(z.string(), PaymentMethod),
  orders: z.array(z.string()),
});

const Item = z.strictObject({
  name: z.string(),
  product_id: z.string(),
  item_id: z.string(),
  price: Cents,
  options: Options,
});
const Order = z.strictObject({
  order_id: z.string(),
  user_id: z.string(),
  address: Address,
  items: z.array(Item),
  status: z.enum([
    'pending',
    'pending (item modified)',
    'processed',
    'delivered',
    'cancelled',
    'exchange requested',
    'return requested',
  ]),
  fulfillments: z.array(z.record(z.string(), z.json())),
  payment_history: z.array(
    z.strictObject({
      transaction_type: z.enum(['payment', 'refund']),
      amount: Cents.min(0),
      payment_method_id: z.string(),
    }),
  ),
  cancel_reason: z.enum(['no longer needed', 'ordered by mistake']).nullish(),
  exchange_items: z.array(z.string()).nullish(),
  exchange_new_items: z.array(z.string()).nullish(),
  exchange_payment_method_id: z.string().nullish(),
  exchange_price_difference: z.number().nullish(),
  return_items: z.array(z.string()).nullish(),
  return_payment_method_id: z.string().nullish(),
});

export const Db = z.strictObject({
  products: z.record(z.string(), Product),
  users: z.record(z.string(), User),
  orders: z.record(z.string(), Order),
});

/** An action of a reference: a call of one of the domain's tools. */
const Action = z.object({ name: z.string(), arguments: z.record(z.string(), z.json()) });

export const Tau2Task = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,60}$/),
  user_scenario: z.object({
    persona: z.string().nullish(),
    instructions: z.object({
      reason_for_call: z.string().min(1),
      known_info: z.string().nullish(),
      unknown_info: z.string().nullish(),
      task_instructions: z.string().nullish(),
    }),
  }),
  initial_state: z.null('a task that starts on another database cannot be imported').optional(),
  evaluation_criteria: z.object({
    actions: z.array(Action).nullish(),
    communicate_info: z.array(z.string()).nullish(),
    nl_assertions: z.array(z.string()).nullish(),
    reward_basis: z.array(z.string()),
  }),
});
export const Tau2Tasks = z.array(Tau2Task).min(1);

/** Ids of tasks by the name of their split. */
export const Splits = z.record(z.string(), z.array(z.string()));

const records = z.record(z.string(), z.json());
/** One line of reference-replay.jsonl: what the original tools did, and every record that differed afterwards, whole. */
export const Recorded = z.object({
  task_id: z.string(),
  raises: z.boolean(),
  actions: z.array(
    z.object({ name: z.string(), ok: z.boolean(), result: z.json().optional(), error: z.string().optional() }),
  ),
  changed: z.strictObject({
    products: records.optional(),
    users: records.optional(),
    orders: records.optional(),
  }),
});

export type Db = z.infer<typeof Db>;
export type Tau2Task = z.infer<typeof Tau2Task>;
export type Action = z.infer<typeof Action>;
export type Splits = z.infer<typeof Splits>;
export type Recorded = z.infer<typeof Recorded>;
