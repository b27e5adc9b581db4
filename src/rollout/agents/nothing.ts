/** The policy that does nothing and says nothing: every task must fail it. */
import type { Policy } from '../policy.js';

export const nothingPolicy = (): Policy => ({
  producer: { policy: 'none', name: 'nothing' },
  next: () => ({ text: '', calls: [] }),
});
