/** Replays the task's proven solution, one call a turn, each stage's calls when a user asks for that stage. The embedded default: every stage runs without a model. */
import type { Task } from '../../artifacts/task.js';
import type { Policy } from '../policy.js';
import { answering, callId, madeCalls, referenceCall } from './replay.js';
import { callsDue, stageReply } from './stages.js';

/** Stateless: it goes on from wherever the history stands, so that it may be forked or restored in the middle. */
export const referencePolicy = (task: Task): Policy => ({
  producer: { policy: 'reference', name: 'reference' },
  next: (view) => {
    const made = madeCalls(view.messages);
    const due = task.reference.calls.slice(0, callsDue(task, view));
    const n = due.findIndex((_, index) => !made.has(callId(index)));
    return n < 0 ? answering(stageReply(task, view), view) : referenceCall(task, n, view);
  },
});
