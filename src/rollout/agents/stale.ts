/**
 * The old reference in a scenario, as by an agent that notices nothing and believes what it reads: what an event has to make fail
 * (dynamics.md, rule 4), and the negative beside the re-solved reference.
 */
import type { Task } from '../../artifacts/task.js';
import { believedAnswer, believedCall, memoryOf } from '../../dynamics/author/believing.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { Policy, View } from '../policy.js';
import { proposed } from '../policy.js';
import { referencePolicy } from './reference.js';
import { answering, callId, madeCalls, offeredName, resultOf } from './replay.js';

const PRODUCER = { policy: 'stale', name: 'stale' } as const;

/** `still`: the task as it is without events; `world`: as that task finds it. Without one, what it read is what was recorded. */
export const stalePolicy = (still: Task, world?: LoadedWorld): Policy => {
  if (!world) return { ...referencePolicy(still), producer: PRODUCER };
  const stage = { world, task: still };
  const next = (view: View): ReturnType<Policy['next']> => {
    const memory = memoryOf(stage);
    const now = (call: number) => resultOf(view.messages, callId(call));
    const made = madeCalls(view.messages);
    for (const n of still.reference.calls.keys()) {
      if (made.has(callId(n))) continue;
      const call = believedCall(stage, memory, n, now);
      // A call whose arguments did not turn up is not made: what comes after it may be.
      if (!call) continue;
      return { text: '', calls: [proposed(callId(n), offeredName(call, view.tools), call.args)] };
    }
    return answering(believedAnswer(still, memory, now), view);
  };
  return { producer: PRODUCER, next };
};
