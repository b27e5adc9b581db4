/** From a family's candidate to a proposal of the loop. */
import type { Call, Task } from '../../artifacts/task.js';
import { sha256 } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { Candidate } from '../atomic/candidate.js';
import { taskOf } from '../atomic/task.js';
import type { Ground } from '../ground/ground.js';
import { release } from '../pool.js';
import type { Proposal } from './synthesizer.js';

/** A proposal of whichever author, as the loop over a service keeps it. */
export interface AtomicProposal extends Omit<Proposal, 'task'> {
  /** The tool it was made for, or the last it calls: `service.tool.id`. */
  target: string;
  family: string;
  template: string;
  /** Absent where what was written is no task. */
  task?: Task;
  /** Why it is none. */
  refused?: string;
  /** What a family made it from, to be put together with others; a model's has none. */
  candidate?: Candidate;
}

/** `service.tool.id` of the calls, in order, without their dialect. */
export const chainIn = (world: LoadedWorld, calls: readonly Call[]): string[] =>
  calls.map(({ service, tool }) => `${service}.${world.tools.get(tool)?.tool.tool.id ?? tool}`);

const MOST = 80;

/** An id of parts; one that would be too long keeps its beginning and ends in what tells it apart. */
export const idOf = (...parts: string[]): string => {
  const id = parts
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+/, '');
  return id.length <= MOST ? id : `${id.slice(0, MOST - 9)}-${sha256(id).slice(0, 8)}`;
};

export const proposalOf = (
  ground: Ground,
  candidate: Candidate,
  target: string,
  random: Rng,
  id = idOf(ground.world.spec.id, target),
): AtomicProposal => {
  const { world } = ground;
  return {
    id,
    chain: chainIn(world, candidate.plan.calls),
    task: taskOf(ground, candidate, id, random),
    ...(candidate.otherPath ? { other: candidate.otherPath } : {}),
    ...(candidate.wrong ? { wrong: candidate.wrong } : {}),
    ...(candidate.right ? { right: candidate.right } : {}),
    ...(candidate.grounded ? { ground: candidate.grounded.ground } : {}),
    candidate,
    target,
    family: candidate.family,
    template: candidate.template,
    release: () => release(candidate),
  };
};
