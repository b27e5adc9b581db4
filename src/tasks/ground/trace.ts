/** Whether a reference's arguments come from where they are said to come from (certify.md, "reachable"). */

import type { Call, Source, Task } from '../../artifacts/task.js';
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import { pathTo } from './plan.js';

/** The value of a source's argument; of a list its first. */
export const argumentOf = ({ call, arg }: Pick<Source, 'call' | 'arg'>, calls: readonly Call[]): Json => {
  const value = arg
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], calls[call]?.args);
  return (Array.isArray(value) ? value[0] : value) as Json;
};

/** Sources that are neither in the brief nor in an earlier result of the run. */
export const lostSources = (
  { brief, reference }: Pick<Task, 'brief' | 'reference'>,
  ledger: readonly LedgerEntry[],
): Source[] => {
  const text = brief.toLowerCase();
  return reference.sources.filter((source) => {
    const { from, call } = source;
    if ('brief' in from) return !text.includes(from.brief.toLowerCase());
    if ('constant' in from) return false;
    const result = ledger[from.observed]?.result ?? null;
    return from.observed >= call || pathTo(result as Json, argumentOf(source, reference.calls)) === undefined;
  });
};
