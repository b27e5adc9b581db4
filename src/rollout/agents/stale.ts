/** The old reference in a scenario, as by an agent that notices nothing: what such an event has to make fail (dynamics.md, rule 4). */
import type { Task } from '../../artifacts/task.js';
import type { Policy } from '../policy.js';
import { referencePolicy } from './reference.js';

/** `still`: the task as it is without events. */
export const stalePolicy = (still: Task): Policy => ({
  ...referencePolicy(still),
  producer: { policy: 'stale', name: 'stale' },
});
