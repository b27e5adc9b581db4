/**
 * One token sequence from a rollout's turns. The next prompt must begin with everything before it; where a chat template rewrites
 * history it does not, and then there are no tokens to train on rather than wrong ones (rollout.md, "token-in/token-out").
 */
import type { Trace } from '../artifacts/trace.js';
import type { ChatTokens } from '../models/types.js';

export interface TokenTrack {
  add(turn: ChatTokens | undefined): void;
  /** Undefined when a turn came without tokens or history was rewritten. `logprobs` spans the sequence, 0 where the mask is 0. */
  tokens(): Trace['tokens'];
  /** Another track with the same sequence so far. */
  fork(): TokenTrack;
}

interface Kept {
  inputIds: readonly number[];
  mask: readonly (0 | 1)[];
  logprobs: readonly number[];
  isWhole: boolean;
  hasLogprobs: boolean;
}

const NOTHING: Kept = { inputIds: [], mask: [], logprobs: [], isWhole: true, hasLogprobs: true };

export const tokenTrack = (from: Kept = NOTHING): TokenTrack => {
  const [inputIds, mask, logprobs] = [[...from.inputIds], [...from.mask], [...from.logprobs]];
  let { isWhole, hasLogprobs } = from;
  const append = (ids: readonly number[], bit: 0 | 1, probabilities?: readonly number[]): void => {
    for (const [at, id] of ids.entries()) {
      inputIds.push(id);
      mask.push(bit);
      logprobs.push(probabilities?.[at] ?? 0);
    }
  };
  return {
    add: (turn) => {
      if (!turn || turn.prompt.length < inputIds.length || inputIds.some((id, at) => turn.prompt[at] !== id)) {
        isWhole = false;
        return;
      }
      hasLogprobs &&= turn.logprobs !== undefined;
      append(turn.prompt.slice(inputIds.length), 0);
      append(turn.output, 1, turn.logprobs);
    },
    tokens: () =>
      isWhole && inputIds.length > 0 ? { inputIds, mask, ...(hasLogprobs ? { logprobs } : {}) } : undefined,
    fork: () => tokenTrack({ inputIds, mask, logprobs, isWhole, hasLogprobs }),
  };
};
