/** Limits that ended what the agent was doing. */
import type { BehaviourFlag } from './flag.js';

/**
 * The last turn is flagged when a token limit cut its message or the context was full (`finish: length`), or when all turns
 * were used up without an answer (`finish: turn_limit`). Deadlines and failures of the endpoint are the surroundings' and are
 * not flagged.
 */
export const truncation: BehaviourFlag = {
  id: 'truncation',
  says: 'a limit on tokens or turns ended the rollout',
  sightings: ({ finish, problem, usage }) => {
    const turn = Math.max(0, usage.turns - 1);
    if (finish === 'length') return [{ turn, evidence: problem?.code ?? 'a token limit cut the message' }];
    return finish === 'turn_limit' ? [{ turn, evidence: `no answer after ${usage.turns} turns` }] : [];
  },
};
