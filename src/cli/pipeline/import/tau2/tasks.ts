/** A task of tau2-bench as a Task of ours: checks from what its reference changed, bindings from what its customer says. */
import type { AnswerSpec, Check } from '../../../../artifacts/check.js';
import type { Binding, Call, Task } from '../../../../artifacts/task.js';
import type { Json } from '../../../../kit/hash.js';
import type { Session } from '../../../../serve/sessions/session.js';
import { checksOf } from '../../../../tasks/checks.js';
import type { Ground } from '../../../../tasks/ground/ground.js';
import type { LoadedService } from '../../../../world/loaded.js';
import type { Row } from '../../../../world/state/types.js';
import type { Replayed } from './replays.js';
import type { Splits, Tau2Task } from './shapes.js';
import { saidIn, sourcesOf } from './sources.js';

/** The customer's side as the benchmark tells it to its simulated user, sentence by sentence; dots alone say nothing. */
const partsOf = ({ user_scenario: { instructions } }: Tau2Task) => {
  const clean = (text: string | null | undefined): string => (/\w/.test(text ?? '') ? (text ?? '').trim() : '');
  return {
    known: clean(instructions.known_info),
    reason: clean(instructions.reason_for_call),
    unknown: clean(instructions.unknown_info),
    manner: clean(instructions.task_instructions),
  };
};

const FRAME =
  'A customer of the store is with you; serve them as its policies say. What the customer was told of themselves:';

const briefOf = (task: Tau2Task): string => {
  const { known, reason, unknown, manner } = partsOf(task);
  return [FRAME, known, reason, unknown, manner].filter(Boolean).join(' ');
};

const answerOf = ({ evaluation_criteria: { communicate_info } }: Tau2Task): AnswerSpec | undefined =>
  communicate_info && communicate_info.length > 0
    ? { kind: 'text', asks: 'What the customer has to be told.', expected: communicate_info, distractors: [] }
    : undefined;

/** Descriptors that the text says of a row, by column. */
const descriptorsIn = (brief: string, row: Row, cols: readonly string[]): Binding['descriptors'] =>
  cols.flatMap((col) => {
    const value = row[col];
    const words = typeof value === 'string' ? saidIn(brief, value) : undefined;
    return typeof value === 'string' && words !== undefined ? [{ col, value, words }] : [];
  });

/** The user the reference serves: whom it looks up, else whose order it acts on. */
const customerOf = (ground: Ground, service: LoadedService, { done, session }: Replayed): Row | undefined => {
  const users = ground.rows(service)('user');
  const found = done.find(({ name, ok }) => ok && name.startsWith('find_user_id_'))?.result;
  const order = session.ledger.flatMap(({ touched }) => touched).find(({ table }) => table === 'order')?.key;
  const owner = ground
    .rows(service)('order')
    .find(({ order_id }) => order_id === order)?.user_id;
  const named = session.ledger.map(({ args }) => (args as { user_id?: unknown } | null)?.user_id).find(Boolean);
  return users.find(({ user_id }) => user_id === (found ?? owner ?? named));
};

const WHO = ['first_name', 'last_name', 'zip', 'email', 'user_id'];

/**
 * The customer, and every row that the reference's tools act on. An order that the customer does not name by its number is
 * theirs and in the status that the errand needs: what else the text says of it (what is in it) stands in no column of its own.
 */
const bindingsOf = (ground: Ground, service: LoadedService, brief: string, replayed: Replayed): Binding[] => {
  const customer = customerOf(ground, service, replayed);
  const of = (name: string, table: string, row: Row, descriptors: Binding['descriptors']): Binding => ({
    name,
    service: service.id,
    table,
    key: row[service.keys[table] as string] as string,
    descriptors,
  });
  const touched = replayed.session.ledger.flatMap((entry) => entry.touched);
  const orders = [...new Set(touched.filter(({ table }) => table === 'order').map(({ key }) => key))];
  const isOwnRow = touched.some(({ table }) => table === 'user');
  const subjects = orders.flatMap((key, i): Binding[] => {
    const row = ground
      .rows(service)('order')
      .find(({ order_id }) => order_id === key);
    if (!row) return [];
    const number = descriptorsIn(brief, row, ['order_id']);
    const whose = customer ? [{ col: 'user_id', value: String(customer.user_id), words: 'the customer' }] : [];
    // What is asked for says which status it must have: only a pending order can be cancelled.
    const status = [{ col: 'status', value: String(row.status), words: String(row.status) }];
    return [
      of(i === 0 ? 'subject' : `subject${i + 1}`, 'order', row, number.length > 0 ? number : [...whose, ...status]),
    ];
  });
  const name = isOwnRow ? `subject${subjects.length + 1}` : 'customer';
  return [...(customer ? [of(name, 'user', customer, descriptorsIn(brief, customer, WHO))] : []), ...subjects];
};

const familyOf = (replayed: Replayed): string => {
  const writes = replayed.session.ledger.filter(({ touched }) => touched.length > 0).length;
  return writes === 0 ? 'nothing' : writes === 1 ? 'action' : 'errand';
};

const disclosureOf = (task: Tau2Task): Task['disclosure'] => {
  const { known, reason, unknown, manner } = partsOf(task);
  const forgets = /e-?mail/i.test(unknown) ? [{ id: 'email', asked: ['email', 'e-mail address'] }] : [];
  return {
    persona: task.user_scenario.persona || manner || 'plain',
    stages: [
      {
        node: 'n1',
        full: [known, reason, unknown].filter(Boolean).join(' '),
        partial: [known, reason].filter(Boolean).join(' '),
        vague: reason,
        facts: known ? [known] : [],
        ...(forgets.length > 0 ? { unknown: forgets } : {}),
      },
    ],
  };
};

/** Which splits a task is in, `base` left out: it is all of them. */
const splitOf = (splits: Splits, id: string): string =>
  Object.keys(splits).find((name) => name !== 'base' && splits[name]?.includes(id)) ?? 'all';

/** What the reference says at its end: what the customer has to be told, else that it is done or cannot be. */
const closingOf = ({ evaluation_criteria: { communicate_info } }: Tau2Task, session: Session): string => {
  if (communicate_info && communicate_info.length > 0) return communicate_info.join('; ');
  return session.ledger.some(({ touched }) => touched.length > 0) ? 'It is done.' : 'I cannot do that here.';
};

export interface Import {
  ground: Ground;
  service: LoadedService;
  splits: Splits;
}

/**
 * The state is checked whole, as the benchmark does (its `DB` basis); what has to be said (`communicate_info`) is an answer; what it
 * leaves to a judge (`nl_assertions`) is a rubric that no check reads.
 */
export const taskFrom = ({ ground, service, splits }: Import, replayed: Replayed): Task => {
  const { task, session, done } = replayed;
  const { world, actor } = ground;
  const calls = session.ledger.map(
    ({ tool, args }): Call => ({ service: service.id, tool, args: args as Call['args'] }),
  );
  const brief = briefOf(task);
  const answer = answerOf(task);
  const asked: Check[] = answer ? [{ kind: 'answer', id: 'answer', footprint: [] }] : [];
  const rubric = task.evaluation_criteria.nl_assertions ?? [];
  const { name, email, title } = actor;
  return {
    treadle: 'task/1',
    id: `tau2-retail-${task.id.toLowerCase()}`,
    kind: 'atomic',
    world: world.hash,
    worldId: world.spec.id,
    services: [service.id],
    actor: { name, email, title },
    brief,
    snapshot: world.spec.snapshot,
    clock: world.spec.clock,
    nodes: [
      {
        id: 'n1',
        family: familyOf(replayed),
        intent: partsOf(task).reason,
        service: service.id,
        chain: calls.map(({ tool }) => `${service.id}.${service.program.tools.get(tool)?.tool.id ?? tool}`),
      },
    ],
    edges: [],
    bindings: bindingsOf(ground, service, brief, replayed),
    disclosure: disclosureOf(task),
    milestones: [
      {
        id: 'm1',
        node: 'n1',
        checks: [...checksOf(session), ...asked],
        ...(rubric.length > 0 ? { rubric } : {}),
      },
    ],
    ...(answer ? { answer } : {}),
    reference: {
      calls,
      answer: closingOf(task, session),
      sources: sourcesOf(
        service,
        brief,
        calls,
        done.map(({ result }) => result as Json),
      ),
    },
    lineage: { template: `tau2-retail/${splitOf(splits, task.id)}`, seed: task.id },
  };
};
