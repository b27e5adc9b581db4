/** A reference followed when earlier results are others than when it was recorded: where the arguments of its calls come from. */
import type { Call, Reference } from '../artifacts/task.js';
import type { Json } from '../kit/hash.js';
import { valueAt, withValueAt } from '../kit/json-path.js';

export interface Seen {
  /** Value at a path of the result of the call with this number. */
  at: (call: number, path: string) => Json | undefined;
  /** What to put for an argument whose source is not there; undefined: what was recorded. */
  unseen: ((recorded: Json) => Json | undefined) | undefined;
}

const isUsable = (seen: Json | undefined, planned: Json | undefined): seen is string | number | boolean =>
  seen !== undefined && seen !== null && typeof seen === typeof planned && typeof seen !== 'object';

/** The arguments of reference call `n` by what was seen; undefined where `unseen` has nothing to put. */
export const followedArguments = (
  { calls, sources }: Pick<Reference, 'calls' | 'sources'>,
  n: number,
  { at, unseen }: Seen,
): Call['args'] | undefined => {
  let args = calls[n]?.args ?? {};
  for (const { call, arg, from } of sources) {
    if (call !== n || !('observed' in from)) continue;
    const planned = valueAt(args, arg);
    const seen = at(from.observed, from.path);
    const put = isUsable(seen, planned) ? seen : planned !== undefined && unseen ? unseen(planned) : planned;
    if (put === undefined && planned !== undefined) return undefined;
    if (put !== undefined && put !== planned) args = withValueAt(args, arg, put);
  }
  return args;
};
