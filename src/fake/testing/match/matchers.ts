/** For `expect.extend(matchers)` of vitest and jest. */
import type { TestWorld } from '../types.js';
import type { Called } from './calls.js';
import type { Where } from './rows.js';
import { haveCalled, haveRows, haveSent, type Match, type Sent } from './verdicts.js';

export const matchers = {
  toHaveRow: (world: TestWorld, table: string, where?: Where): Match => haveRows(world, table, where),
  toHaveRows: (world: TestWorld, table: string, where: Where, count: number): Match =>
    haveRows(world, table, where, count),
  toHaveCalled: (world: TestWorld, operation: string, expected?: Called): Match =>
    haveCalled(world, operation, expected),
  toHaveSent: (world: TestWorld, event: string, expected?: Sent): Match => haveSent(world, event, expected),
};

/** What they look like on `expect(world)`. */
export interface WorldMatchers<R = unknown> {
  /** A row whose fields are these, in part. */
  toHaveRow(table: string, where?: Where): R;
  toHaveRows(table: string, where: Where, count: number): R;
  /** `POST /customers`, an operationId, or a tool. */
  toHaveCalled(operation: string, expected?: Called): R;
  /** A webhook or callback of the document. */
  toHaveSent(event: string, expected?: Sent): R;
}
