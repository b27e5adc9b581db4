/** The matchers as functions that throw, for node:test and whatever else has no `expect`. */
import { AssertionError } from 'node:assert';
import type { TestWorld } from '../types.js';
import type { Called } from './calls.js';
import type { Where } from './rows.js';
import { haveCalled, haveRows, haveSent, type Match, type Sent } from './verdicts.js';

// The stack begins at the test, not here.
const hold = ({ pass, message }: Match, from: (...args: never[]) => void, isNot = false): void => {
  if (pass === isNot) throw new AssertionError({ message: message(), stackStartFn: from });
};

/** A row whose fields are these, in part. Throws AssertionError, as do the others. */
export const assertRow = (world: TestWorld, table: string, where?: Where): void =>
  hold(haveRows(world, table, where), assertRow);

export const assertNoRow = (world: TestWorld, table: string, where?: Where): void =>
  hold(haveRows(world, table, where), assertNoRow, true);

export const assertRows = (world: TestWorld, table: string, where: Where, count: number): void =>
  hold(haveRows(world, table, where, count), assertRows);

export const assertCalled = (world: TestWorld, operation: string, expected?: Called): void =>
  hold(haveCalled(world, operation, expected), assertCalled);

export const assertNotCalled = (world: TestWorld, operation: string, expected?: Called): void =>
  hold(haveCalled(world, operation, expected), assertNotCalled, true);

export const assertSent = (world: TestWorld, event: string, expected?: Sent): void =>
  hold(haveSent(world, event, expected), assertSent);
