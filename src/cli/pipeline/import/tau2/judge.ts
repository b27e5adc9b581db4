/** The task gate over imported tasks, and what its lines say of all of them together. */
import type { Certificate } from '../../../../artifacts/certificate.js';
import type { Call, Task } from '../../../../artifacts/task.js';
import { addressOf, type Json } from '../../../../kit/hash.js';
import { rng } from '../../../../kit/rng.js';
import { gate } from '../../../../tasks/gate.js';
import type { Ground } from '../../../../tasks/ground/ground.js';
import { type Plan, startPlan } from '../../../../tasks/ground/plan.js';
import { passes } from '../../../../tasks/replay.js';
import type { LoadedService } from '../../../../world/loaded.js';
import type { Row } from '../../../../world/state/types.js';

const customerIn = (ground: Ground, service: LoadedService, task: Task): Row | undefined => {
  const key = task.bindings.find(({ table }) => table === 'user')?.key;
  return ground
    .rows(service)('user')
    .find(({ user_id }) => user_id === key);
};

/** A change that has nothing to do with the task: another user moves house. */
const strayFor = (ground: Ground, service: LoadedService, customer: Row | undefined): Call | undefined => {
  const other = ground
    .rows(service)('user')
    .find(({ user_id }) => user_id !== customer?.user_id);
  if (!other) return undefined;
  const { user_id, address2, city, state, country, zip } = other as Record<string, string>;
  const args = { user_id, address1: '1 Other Street', address2, city, state, country, zip } as Call['args'];
  return { service: service.id, tool: 'modify_user_address', args };
};

/** The customer by the other of the two ways, and each of their orders. */
const otherWay = (ground: Ground, service: LoadedService, task: Task, customer: Row | undefined): Plan | undefined => {
  if (!customer) return undefined;
  const { user_id, first_name, last_name, zip, email } = customer as Record<string, string>;
  const byEmail = task.reference.calls.some(({ tool }) => tool === 'find_user_id_by_email');
  const find: [string, object] = byEmail
    ? ['find_user_id_by_name_zip', { first_name, last_name, zip }]
    : ['find_user_id_by_email', { email }];
  const orders = ground
    .rows(service)('order')
    .filter((order) => order.user_id === user_id);
  const calls: [string, object][] = [
    find,
    ['get_user_details', { user_id }],
    ...orders.map(({ order_id }): [string, object] => ['get_order_details', { order_id }]),
  ];
  const plan = startPlan(ground.fresh());
  plan.calls.push(...calls.map(([tool, args]): Call => ({ service: service.id, tool, args: args as Call['args'] })));
  return plan;
};

const numbersIn = (value: Json): string[] => {
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((item) => numbersIn(item as Json));
};

/** The shotgun: the right answer among all the numbers that were seen. */
const everything = (ground: Ground, { reference }: Task): string => {
  const session = ground.fresh();
  const seen = reference.calls.flatMap(({ tool, args }) => numbersIn(session.call(tool, structuredClone(args)).result));
  session.drop();
  return `It is one of these: ${[...new Set([...seen.slice(0, 200), reference.answer])].join(', ')}.`;
};

export interface Judged {
  task: Task;
  certificate: Certificate;
  /** Doing nothing passes where the state alone counts. */
  nothingByState: boolean;
  /** The reference hands over to a person, and leaving that out passes too. */
  unseenTransfer: boolean;
  /** An answer with every number that the reference's calls showed passes: what has to be said is looked for and nothing more. */
  looseAnswer: boolean;
}

export const judgeTask = (ground: Ground, service: LoadedService, task: Task, seed: string): Judged => {
  const customer = customerIn(ground, service, task);
  const other = otherWay(ground, service, task, customer);
  const stray = strayFor(ground, service, customer);
  const certificate = gate(ground, task, { random: rng(seed, 'gate', task.id), stray, other });
  other?.session.drop();
  const hash = addressOf(task);
  const milestones = task.milestones.map((one) => ({
    ...one,
    checks: one.checks.filter(({ kind }) => kind !== 'answer'),
  }));
  const nothing = { calls: [], answer: '' };
  const { calls, answer } = task.reference;
  const stays = calls.filter(({ tool }) => tool !== 'transfer_to_human_agents');
  return {
    task,
    certificate,
    nothingByState: passes(ground, { ...task, milestones }, nothing, hash),
    looseAnswer: task.answer !== undefined && passes(ground, task, { calls, answer: everything(ground, task) }, hash),
    unseenTransfer: stays.length < calls.length && passes(ground, task, { calls: stays, answer }, hash),
  };
};
