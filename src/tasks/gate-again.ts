/** A task that is made already, through the gate once more: with solutions drawn anew, and without what only its maker knew of it. */
import type { Certificate } from '../artifacts/certificate.js';
import type { Task } from '../artifacts/task.js';
import { rng } from '../kit/rng.js';
import { callerOf } from '../serve/sessions/caller.js';
import { Session } from '../serve/sessions/session.js';
import { gate } from './gate.js';
import { strayCall } from './generate.js';
import type { Ground } from './ground/ground.js';

/** `ground`: of the world as the task finds it. The same seed draws the same wrong and right solutions. */
export const gateAgain = (ground: Ground, task: Task, seed: string): Certificate => {
  const actor = { ...callerOf(task.actor), title: task.actor.title };
  const base = Session.open(ground.world, { id: 'gate', me: actor });
  let opened = 0;
  const own: Ground = { ...ground, actor, fresh: () => base.fork(`gate-${opened++}`) };
  const random = rng(seed, 'gate-again', task.id);
  try {
    return gate(own, task, { random, stray: strayCall(own, random.stream('stray')), other: undefined });
  } finally {
    base.drop();
  }
};
