/** Arguments for the wrong thing: another entity the agent has seen, or one that is nearly the right one. */

import type { Task } from '../../artifacts/task.js';
import type { Message } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import { withValueAt } from '../../kit/json-path.js';
import type { Rng } from '../../kit/rng.js';
import { resultOf } from './replay.js';

export type Scalar = string | number;

/** All scalars that any result holds under a field of this name, in order of appearance. */
export const seenUnder = (value: Json, field: string, into: Scalar[]): void => {
  if (Array.isArray(value)) {
    for (const item of value) seenUnder(item, field, into);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value)) {
    if (key === field && (typeof item === 'string' || typeof item === 'number')) into.push(item);
    else seenUnder(item, field, into);
  }
};

export const results = (messages: readonly Message[]): Json[] =>
  messages.flatMap(({ role, toolCallId }) => {
    const result = role === 'tool' && toolCallId !== undefined ? resultOf(messages, toolCallId) : undefined;
    return result === undefined ? [] : [result];
  });

/** A value that looks like `value` and is another: a digit or letter at its end is changed. */
export const nearMiss = (value: Json): Json => {
  if (typeof value === 'number') return value + 1;
  if (typeof value !== 'string') return value;
  const last = value.at(-1) ?? '';
  return (
    value.slice(0, -1) + (/[0-8]/.test(last) ? String(Number(last) + 1) : last === '9' ? '0' : last === 'a' ? 'b' : 'a')
  );
};

/** The call's arguments with one entity exchanged for another one. */
export const wrongArguments = (
  task: Task,
  n: number,
  args: Record<string, Json>,
  messages: readonly Message[],
  random: Rng,
): Record<string, Json> => {
  const pointing = task.reference.sources.filter(({ call, from }) => call === n && 'observed' in from);
  const source = pointing.length > 0 ? random.pick(pointing) : undefined;
  if (!source || !('observed' in source.from)) return args;
  const right = source.arg
    .split('.')
    .reduce<Json | undefined>(
      (at, key) => (at !== null && typeof at === 'object' && !Array.isArray(at) ? at[key] : undefined),
      args,
    );
  if (typeof right !== 'string' && typeof right !== 'number') return args;
  const field = source.from.path.split('.').at(-1) ?? '';
  const seen: Scalar[] = [];
  for (const result of results(messages)) seenUnder(result, field, seen);
  const others = [...new Set(seen)].filter((value) => value !== right && typeof value === typeof right);
  return withValueAt(args, source.arg, others.length > 0 ? random.pick(others) : nearMiss(right));
};
