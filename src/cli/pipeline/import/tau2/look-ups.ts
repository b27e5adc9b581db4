/**
 * References completed: nearly half of the benchmark's begin with a write, since they are for grading. The store's policy has the
 * customer found first, and nobody knows an item's number who has not looked. What is added reads only: the state left is the same.
 */
import { TreadleError } from '../../../../errors.js';
import { addressOf, type Json } from '../../../../kit/hash.js';
import type { Session } from '../../../../serve/sessions/session.js';
import type { Ground } from '../../../../tasks/ground/ground.js';
import type { LoadedService } from '../../../../world/loaded.js';
import type { Row } from '../../../../world/state/types.js';
import type { Done, Replayed } from './replays.js';
import { saidIn } from './sources.js';

type Step = [tool: string, args: Record<string, Json>];

const stepId = ([tool, args]: Step): string => `${tool} ${addressOf(args)}`;

const textsAt = (args: Record<string, Json>, name: string): string[] => {
  const value = args[name];
  return Array.isArray(value) ? value.map(String) : [];
};

/** By the e-mail address where the customer says it, else by name and zip code. */
const findStep = (said: string, { email, first_name, last_name, zip }: Row): Step =>
  saidIn(said, String(email)) !== undefined
    ? ['find_user_id_by_email', { email: String(email) }]
    : ['find_user_id_by_name_zip', { first_name: String(first_name), last_name: String(last_name), zip: String(zip) }];

const isFind = ([tool]: Step): boolean => tool.startsWith('find_user_id_by_');

const saidBy = ({ task: { user_scenario } }: Replayed): string => {
  const { known_info, reason_for_call } = user_scenario.instructions;
  return [known_info, reason_for_call].filter(Boolean).join(' ');
};

/** What has to have been looked at before this write: its order, and the products of what it chooses. */
const before = (ground: Ground, service: LoadedService, [, args]: Step): Step[] => {
  const variants = ground.rows(service)('variant');
  const products = textsAt(args, 'new_item_ids').flatMap(
    (item) => variants.find(({ item_id }) => item_id === item)?.product_id ?? [],
  );
  return [
    ...(typeof args.order_id === 'string' ? [['get_order_details', { order_id: args.order_id }] as Step] : []),
    ...[...new Set(products)].map((product_id): Step => ['get_product_details', { product_id: String(product_id) }]),
  ];
};

const stepsOf = (ground: Ground, service: LoadedService, replayed: Replayed): Step[] => {
  const { session } = replayed;
  const own = session.ledger.map(({ tool, args }): Step => [tool, args as Record<string, Json>]);
  const orders = ground.rows(service)('order');
  const whose = own.map(([, { user_id, order_id }]) =>
    typeof user_id === 'string' ? user_id : orders.find((order) => order.order_id === order_id)?.user_id,
  );
  const user = ground
    .rows(service)('user')
    .find(({ user_id }) => user_id === whose.find(Boolean));
  if (!user) return own;
  const opening: Step[] = [
    own.find(isFind) ?? findStep(saidBy(replayed), user),
    ['get_user_details', { user_id: String(user.user_id) }],
  ];
  const steps: Step[] = [];
  const made = new Set<string>();
  const add = (step: Step): void => {
    made.add(stepId(step));
    steps.push(step);
  };
  for (const step of opening) add(step);
  for (const [n, step] of own.entries()) {
    const isWrite = (session.ledger[n]?.touched.length ?? 0) > 0;
    if (isWrite) for (const read of before(ground, service, step)) if (!made.has(stepId(read))) add(read);
    // A read that was made already shows nothing new, unless something was written since: those are left as they are.
    if (isWrite || !opening.some((one) => stepId(one) === stepId(step))) add(step);
  }
  return steps;
};

const diffOf = (session: Session): string => addressOf(session.diff() as never);

/**
 * The replay with the look-ups that its writes presuppose; the same one where nothing is written. The session of the first is
 * dropped. Throws `import_differs` (fault world) where the state left is another: it cannot be.
 */
export const withLookUps = (ground: Ground, service: LoadedService, replayed: Replayed): Replayed => {
  if (!replayed.session.ledger.some(({ touched }) => touched.length > 0)) return replayed;
  const session = ground.fresh();
  const done = stepsOf(ground, service, replayed).map(([name, args]): Done => {
    const { ok, result } = session.call(name, structuredClone(args));
    return { name, ok, result };
  });
  const isSame = diffOf(session) === diffOf(replayed.session);
  const failed = done.find(({ ok }) => !ok);
  replayed.session.drop();
  if (isSame && !failed) return { ...replayed, session, done };
  session.drop();
  throw new TreadleError({
    code: 'import_differs',
    message: `Look-ups before the writes of task ${replayed.task.id} change what it leaves`,
    value: failed?.name ?? replayed.task.id,
    next: 'This is a defect: please report it.',
    fault: 'world',
  });
};
