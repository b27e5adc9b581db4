/** What each matcher says of a world: whether it holds, and words for either case. */
import { TreadleError } from '../../../errors.js';
import { nearNames } from '../../../kit/near.js';
import { WorldHandle } from '../handle.js';
import type { TestWorld } from '../types.js';
import { allCalls, type Called, type CallSeen, callsNamed } from './calls.js';
import { isLike, shownOf } from './like.js';
import { checkFields, differenceLines, nearestRow, rowsLike, type Where } from './rows.js';

export interface Match {
  pass: boolean;
  /** Why it fails; where it passes, why its opposite fails. */
  message(): string;
}

const MOST_LINES = 12;

const lines = (head: string, items: readonly string[]): string => {
  const shown = items.slice(0, MOST_LINES).map((item) => `  ${item}`);
  const more = items.length > MOST_LINES ? [`  and ${items.length - MOST_LINES} more`] : [];
  return [head, ...shown, ...more].join('\n');
};

/** Two copies of this module (a bundle's and node's) make two classes: what counts is what it can do. */
const insideOf = (given: unknown): WorldHandle => {
  if (given instanceof WorldHandle) return given;
  const like = given as Partial<WorldHandle> | null;
  if (
    typeof like === 'object' &&
    like !== null &&
    typeof like.held === 'function' &&
    typeof like.session === 'function'
  )
    return like as WorldHandle;
  throw new TreadleError({
    code: 'no_world',
    message: 'This matcher is for a world',
    value: shownOf(given),
    next: 'Give what startWorld() or fork() resolved to.',
  });
};

const times = (n: number): string => (n === 1 ? 'once' : n === 0 ? 'never' : `${n} times`);

export const haveRows = (given: TestWorld, table: string, where: Where = {}, count?: number): Match => {
  const world = insideOf(given);
  const found = world.table(table);
  const all = world.held(found);
  checkFields(all, where, Object.keys(found.spec.tables[found.table]?.cols ?? {}));
  const matching = rowsLike(all, where);
  const wanted = `a row ${shownOf(where)} in ${found.table}`;
  const pass = count === undefined ? matching.length > 0 : matching.length === count;
  const key = found.spec.tables[found.table]?.key.col ?? '';
  const seen = (): string[] => matching.map(({ shown, stored }) => `${stored[key]}: ${shownOf(shown)}`);
  return {
    pass,
    message: () => {
      if (pass)
        return lines(
          `Expected no ${count === undefined ? '' : `${count} times `}${wanted.slice(2)}, there is:`,
          seen(),
        );
      if (count !== undefined && matching.length > 0)
        return lines(`Expected ${wanted} ${times(count)}, there are ${matching.length} of ${all.length} rows:`, seen());
      const nearest = nearestRow(all, where);
      const head = `Expected ${wanted}${count === undefined ? '' : ` ${times(count)}`}; none of its ${all.length} rows is like it`;
      if (!nearest) return head;
      const { row, differing } = nearest;
      return [`${head}. The nearest is ${row.stored[key]}:`, ...differenceLines(differing)].join('\n');
    },
  };
};

const isCalled = (expected: Called) => (seen: CallSeen) => seen.differing(expected).length === 0;

export const haveCalled = (given: TestWorld, name: string, expected: Called = {}): Match => {
  const world = insideOf(given);
  const calls = callsNamed(world, name, expected);
  const matching = calls.filter(isCalled(expected));
  const { times: count, ...rest } = expected;
  const pass = count === undefined ? matching.length > 0 : matching.length === count;
  const like = Object.keys(rest).length > 0 ? ` with ${shownOf(rest)}` : '';
  return {
    pass,
    message: () => {
      if (pass)
        return lines(
          `Expected ${name} not to be called${like}, it was:`,
          matching.map(({ text }) => text),
        );
      const head =
        `Expected ${name} to be called ${count === undefined ? '' : `${times(count)} `}${like.trim()}`.trimEnd();
      if (matching.length > 0)
        return lines(
          `${head}; it was ${times(matching.length)}:`,
          matching.map(({ text }) => text),
        );
      const others = allCalls(world).map(({ text }) => text);
      if (calls.length === 0)
        return lines(`${head}; it was not called. Calls that came:`, others.length > 0 ? others : ['none']);
      return lines(
        `${head}; its calls were:`,
        calls.flatMap((call) => [call.text, ...call.differing(expected).map((line) => `  ${line}`)]),
      );
    },
  };
};

export interface Sent {
  /** In part. */
  body?: unknown;
  headers?: Readonly<Record<string, unknown>>;
  /** `sent`, `failed`, `kept` ... */
  state?: string;
  /** Exactly so often; at least once when absent. */
  times?: number;
}

export const haveSent = (given: TestWorld, event: string, expected: Sent = {}): Match => {
  const world = insideOf(given);
  const { times: count, ...rest } = expected;
  const names = world.served.webhooks?.names ?? [];
  if (!names.includes(event))
    throw new TreadleError({
      code: 'unknown_webhook',
      message: 'The document declares no such webhook or callback',
      value: event,
      next: `Nearest: ${nearNames(event, names).join(', ') || 'none'}.`,
    });
  const all = world.webhooks.sent();
  const matching = all.filter(
    (one) => one.event === event && isLike(rest, { body: one.body, headers: one.headers, state: one.state }),
  );
  const pass = count === undefined ? matching.length > 0 : matching.length === count;
  const text = ({ event: name, state, body }: (typeof all)[number]): string => `${name} (${state}) ${shownOf(body)}`;
  const like = Object.keys(rest).length > 0 ? ` with ${shownOf(rest)}` : '';
  return {
    pass,
    message: () =>
      pass
        ? lines(`Expected no webhook ${event}${like}, there is:`, matching.map(text))
        : lines(
            `Expected webhook ${event} ${count === undefined ? 'to be sent' : times(count)}${like}, it was ${times(matching.length)}. What was:`,
            all.length > 0 ? all.map(text) : ['none'],
          ),
  };
};
