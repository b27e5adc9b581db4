/** The ground that a task stands on: the world's own, or with the rows that the task adds to it. */
import type { Task } from '../../artifacts/task.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import { type Ground, prepareGround } from './ground.js';

/** Give it back with `drop`. Throws `bad_grounding` where the rows do not fit the world. */
export const groundFor = (ground: Ground, task: Pick<Task, 'grounding'>): { ground: Ground; drop(): void } => {
  const world = groundedWorld(ground.world, task.grounding);
  if (world === ground.world) return { ground, drop: () => undefined };
  return {
    ground: { ...prepareGround(world), actor: ground.actor },
    drop: () => dropGrounded(ground.world, world),
  };
};
