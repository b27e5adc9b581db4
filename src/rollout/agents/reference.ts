/** Replays the task's proven solution, one call a turn. The embedded default: every stage runs without a model. */
import type { Task } from '../../artifacts/task.js';
import type { Policy } from '../policy.js';
import { answering, callId, madeCalls, referenceCall } from './replay.js';

/** Stateless: it goes on from wherever the history stands, so that it may be forked or restored in the middle. */
export const referencePolicy = (task: Task): Policy => ({
  producer: { policy: 'reference', name: 'reference' },
  next: (view) => {
    const made = madeCalls(view.messages);
    const n = task.reference.calls.findIndex((_, index) => !made.has(callId(index)));
    return n < 0 ? answering(task.reference.answer, view) : referenceCall(task, n, view);
  },
});
