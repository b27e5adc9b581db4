/** A shop of a few records in the shape of the benchmark's files; made up here. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../../../kit/hash.js';

type Data = Record<string, unknown>;

const home = { address1: '1 Elm Row', address2: 'Flat 2', city: 'Boston', country: 'USA', state: 'MA', zip: '02101' };

const LAMP = { product_id: 'P1', name: 'Lamp' };
const variant = (item_id: string, color: string, price: number, available = true): Data => ({
  item_id,
  options: { color, size: 'M' },
  available,
  price,
});

const item = (item_id: string, price: number, color: string): Data =>
  item_id.startsWith('L')
    ? { name: 'Lamp', product_id: 'P1', item_id, price, options: { color, size: 'M' } }
    : { name: 'Mug', product_id: 'P2', item_id, price, options: { color, size: 'M' } };

const paid = (amount: number, payment_method_id: string): Data[] => [
  { transaction_type: 'payment', amount, payment_method_id },
];

const order = (order_id: string, user_id: string, status: string, items: Data[], payments: Data[]): Data => ({
  order_id,
  user_id,
  address: home,
  items,
  status,
  fulfillments: status === 'delivered' ? [{ tracking_id: ['555000'], item_ids: items.map((one) => one.item_id) }] : [],
  payment_history: payments,
});

/** Fresh each time, for tests that break it. */
export const smallDb = (): { products: Data; users: Data; orders: Data } => ({
  products: {
    P1: {
      ...LAMP,
      variants: {
        L1: variant('L1', 'blue', 10.1),
        L2: variant('L2', 'red', 12.35),
        L3: variant('L3', 'green', 9, false),
        L4: variant('L4', 'gold', 10.2),
      },
    },
    P2: {
      product_id: 'P2',
      name: 'Mug',
      variants: { M1: variant('M1', 'white', 5.25), M2: variant('M2', 'black', 4.75) },
    },
  },
  users: {
    ana_lee_1: {
      user_id: 'ana_lee_1',
      name: { first_name: 'Ana', last_name: 'Lee' },
      address: home,
      email: 'Ana.Lee@mail.example',
      payment_methods: {
        card_1: { source: 'credit_card', id: 'card_1', brand: 'visa', last_four: '1111' },
        gift_1: { source: 'gift_card', id: 'gift_1', balance: 2 },
      },
      orders: ['#W1', '#W2', '#W4', '#W5'],
    },
    bo_kim_2: {
      user_id: 'bo_kim_2',
      name: { first_name: 'Bo', last_name: 'Kim' },
      address: { ...home, zip: '02199' },
      email: 'bo@mail.example',
      payment_methods: { pal_2: { source: 'paypal', id: 'pal_2' } },
      orders: ['#W3'],
    },
  },
  orders: {
    '#W1': order(
      '#W1',
      'ana_lee_1',
      'pending',
      [item('L1', 10.1, 'blue'), item('M1', 5.25, 'white')],
      paid(15.35, 'card_1'),
    ),
    '#W2': order(
      '#W2',
      'ana_lee_1',
      'delivered',
      [item('L1', 10.1, 'blue'), item('L1', 10.1, 'blue'), item('M1', 5.25, 'white')],
      paid(25.45, 'card_1'),
    ),
    '#W3': order('#W3', 'bo_kim_2', 'pending', [item('M2', 4.75, 'black')], paid(4.75, 'pal_2')),
    '#W4': order('#W4', 'ana_lee_1', 'pending', [item('M2', 4.75, 'black')], paid(4.75, 'gift_1')),
    '#W5': order('#W5', 'ana_lee_1', 'processed', [item('M2', 4.75, 'black')], paid(4.75, 'card_1')),
  },
});

const task = (id: string, reason: string, actions: [string, Data][], more: Data = {}): Data => ({
  id,
  user_scenario: {
    persona: null,
    instructions: {
      domain: 'retail',
      reason_for_call: reason,
      known_info: 'You are Ana Lee in zip code 02101.',
      unknown_info: 'You do not remember your email address',
      task_instructions: '.',
    },
  },
  initial_state: null,
  evaluation_criteria: {
    actions: actions.map(([name, args], i) => ({ action_id: `${id}_${i}`, name, arguments: args, info: null })),
    communicate_info: [],
    nl_assertions: null,
    reward_basis: ['DB', 'NL_ASSERTION'],
    ...more,
  },
});

const FIND: [string, Data] = ['find_user_id_by_name_zip', { first_name: 'Ana', last_name: 'Lee', zip: '02101' }];
const look = (order_id: string): [string, Data] => ['get_order_details', { order_id }];

/** One of each sort: a change, a question, nothing to do, a hand-over, a change taken back, a reference that raises, an exchange. */
export const smallTasks = (): Data[] => [
  task('0', 'You want order #W1 cancelled, no longer needed.', [
    FIND,
    look('#W1'),
    ['cancel_pending_order', { order_id: '#W1', reason: 'no longer needed' }],
  ]),
  task('1', 'You want to know what the mug of order #W2 cost.', [FIND, look('#W2')], {
    communicate_info: ['5.25'],
    nl_assertions: ['Agent should tell that it cost $5.25.'],
  }),
  task('2', 'You want your lamp replaced, and not if it costs more.', []),
  task('3', 'You want to speak to a person.', [['transfer_to_human_agents', { summary: 'wants a person' }]]),
  task('4', 'You move to 9 Oak Way, and then you do not.', [
    FIND,
    ['modify_user_address', { user_id: 'ana_lee_1', ...home, address1: '9 Oak Way' }],
    ['modify_user_address', { user_id: 'ana_lee_1', ...home }],
  ]),
  task('6', 'You want a lamp and the mug of order #W2 exchanged, for one in gold and one in black, by card_1.', [
    FIND,
    look('#W2'),
    ['get_product_details', { product_id: 'P1' }],
    ['get_product_details', { product_id: 'P2' }],
    [
      'exchange_delivered_order_items',
      { order_id: '#W2', item_ids: ['L1', 'M1'], new_item_ids: ['L4', 'M2'], payment_method_id: 'card_1' },
    ],
  ]),
  task('5', 'You want order #W9 cancelled.', [
    FIND,
    look('#W9'),
    ['cancel_pending_order', { order_id: '#W1', reason: 'ordered by mistake' }],
  ]),
];

/** What the original would have recorded of the tasks; written by hand. */
export const smallKey = (): Data[] => {
  const { orders } = smallDb() as { orders: Record<string, Data> };
  const cancelled = (reason: string): Data => ({
    orders: {
      '#W1': {
        ...orders['#W1'],
        status: 'cancelled',
        cancel_reason: reason,
        exchange_items: null,
        payment_history: [
          ...paid(15.35, 'card_1'),
          { transaction_type: 'refund', amount: 15.35, payment_method_id: 'card_1' },
        ],
      },
    },
  });
  const line = (task_id: string, actions: Data[], changed: Data = {}, raises = false): Data => ({
    task_id,
    raises,
    actions,
    changed,
  });
  const ok = (name: string, result?: Json): Data => ({ name, ok: true, ...(result === undefined ? {} : { result }) });
  const found = ok('find_user_id_by_name_zip', 'ana_lee_1');
  return [
    line('0', [found, ok('get_order_details'), ok('cancel_pending_order')], cancelled('no longer needed')),
    line('1', [found, ok('get_order_details')]),
    line('2', []),
    line('3', [ok('transfer_to_human_agents', 'Transfer successful')]),
    line('4', [found, ok('modify_user_address'), ok('modify_user_address')]),
    line(
      '6',
      [
        found,
        ok('get_order_details'),
        ok('get_product_details'),
        ok('get_product_details'),
        ok('exchange_delivered_order_items'),
      ],
      {
        orders: {
          '#W2': {
            ...orders['#W2'],
            status: 'exchange requested',
            exchange_items: ['L1', 'M1'],
            exchange_new_items: ['L4', 'M2'],
            exchange_payment_method_id: 'card_1',
            exchange_price_difference: -0.4,
            cancel_reason: null,
            return_items: null,
          },
        },
      },
    ),
    line(
      '5',
      [found, { name: 'get_order_details', ok: false, error: 'Order not found' }, ok('cancel_pending_order')],
      cancelled('ordered by mistake'),
      true,
    ),
  ];
};

const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Writes the folder; `other` replaces files by name, null leaves one out. */
export const writeFolder = (dir: string, other: Record<string, string | null> = {}): string => {
  mkdirSync(dir, { recursive: true });
  const files: Record<string, string | null> = {
    'db.json': JSON.stringify(smallDb()),
    'tasks.json': JSON.stringify(smallTasks()),
    'policy.md': '# Shop policy\n\nBe kind.\n\n## Cancelling\n\nOnly pending orders.\n\n## Cancelling\n\nAsk twice.\n',
    'split_tasks.json': JSON.stringify({
      train: ['0', '1', '6'],
      test: ['2', '3', '4', '5'],
      base: ['0', '1', '2', '3', '4', '5', '6'],
    }),
    'reference-replay.jsonl': lines(smallKey()),
    ...other,
  };
  for (const [name, text] of Object.entries(files)) if (text !== null) writeFileSync(join(dir, name), text);
  return dir;
};
