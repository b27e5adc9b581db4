/** Verification inside the server: on its own ledger and states, by a verifier that no agent can reach (weft.txt 3.3.3). */
import { parseArtifact } from '../../../artifacts/registry.js';
import type { Task } from '../../../artifacts/task.js';
import { TreadleError } from '../../../errors.js';
import { gather } from '../../../verify/evidence.js';
import { verify } from '../../../verify/verdict.js';
import type { Verdict, VerifyRequest } from '../../api.js';
import type { Registry } from '../../registry/registry.js';
import { judgedBy, Verifier } from '../../registry/verifier.js';
import type { Session } from '../session.js';
import type { LiveSession } from './live-session.js';

const MOST_KEPT = 4_096;
/**
 * A registry's tasks by hash, with their verifier, as text: rollouts of one task are verified by the dozen, reading one from a
 * corpus takes milliseconds, and as objects they would weigh three times as much.
 */
const kept = new WeakMap<Registry, Map<string, string>>();

const judgedTask = (registry: Registry, task: string, verifier: string): Task => {
  const known = kept.get(registry) ?? new Map<string, string>();
  kept.set(registry, known);
  const key = `${task} ${verifier}`;
  const found = known.get(key);
  if (found !== undefined) return JSON.parse(found) as Task;
  const own = parseArtifact('task', registry.read('task', task), `task ${task}`);
  const judged = judgedBy(own, Verifier.parse(registry.read('verifier', verifier)));
  if (known.size >= MOST_KEPT) known.delete(known.keys().next().value as string);
  known.set(key, JSON.stringify(judged));
  return judged;
};

/** Reads what judging will need ahead. */
export const warmVerdict = (registry: Registry, task: string, verifier: string): void => {
  judgedTask(registry, task, verifier);
};

/** Throws `no_task` for a session without one. */
export const judge = (registry: Registry, live: LiveSession, session: Session, request: VerifyRequest): Verdict => {
  const { task, verifier } = live.start.pins;
  if (!task || !verifier)
    throw new TreadleError({
      code: 'no_task',
      message: 'The session was opened without a task, so there is nothing to verify',
      value: live.id,
      next: 'Open sessions with {"task": "<name>"}.',
    });
  const by = request.verifier === undefined ? verifier : registry.resolve('verifier', request.verifier);
  const answer = request.answer ?? live.answer;
  return verify(judgedTask(registry, task.hash, by.hash), gather(session, answer), live.id, task.hash);
};
