/** A front's side of its supervisor. */
import type { Json } from '../../../kit/hash.js';
import type { Before, Keep } from './supervisor.js';

export interface Life {
  /** What the life before kept; null in the first. */
  before: Json | null;
  /** For the next life; says too that this one serves. */
  keep(state: Json): void;
}

/** Undefined where nobody supervises this process. `orphaned`: the supervisor is gone, so nobody would start this process again. */
export const lifeOf = (orphaned: () => void): Promise<Life | undefined> => {
  if (process.send === undefined || process.channel === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    process.once('disconnect', orphaned);
    process.once('message', (said) => {
      // The channel alone is no reason to live on.
      process.channel?.unref();
      resolve({
        before: (said as Before).before,
        keep: (state) => void process.send?.({ keep: state } satisfies Keep),
      });
    });
  });
};
