/** How fast a server's heap may grow. */
import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets a heap that nobody needs grow to twice what lives in it; a server holds thousands of sessions and is better off with a
 * third. `lean` also keeps the young generation small: about 40 MiB less, and calls cost up to a half more.
 */
export const boundHeap = (lean: boolean): void => {
  setFlagsFromString('--heap-growing-percent=30');
  if (lean) setFlagsFromString('--semi-space-growth-factor=1');
};
