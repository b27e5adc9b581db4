/** Runs a list of calls and an answer on a fresh session and asks the task's verifier. */
import type { Call, Task } from '../artifacts/task.js';
import type { Verdict } from '../artifacts/verdict.js';
import { sha256 } from '../kit/hash.js';
import type { Session } from '../serve/sessions/session.js';
import { gather } from '../verify/evidence.js';
import { verify } from '../verify/verdict.js';
import type { Ground } from './ground/ground.js';

export interface Attempt {
  calls: readonly Call[];
  answer: string;
}

export interface Replayed {
  verdict: Verdict;
  session: Session;
  /** Every call succeeded. */
  clean: boolean;
}

/** The session stays open: drop it. */
export const replay = (ground: Ground, task: Task, attempt: Attempt, hash: string): Replayed => {
  const session = ground.fresh();
  let clean = true;
  for (const call of attempt.calls) clean = session.call(call.tool, structuredClone(call.args)).ok && clean;
  return { verdict: verify(task, gather(session, attempt.answer), session.id, hash), session, clean };
};

/** Whether the verifier accepts the attempt. */
export const passes = (ground: Ground, task: Task, attempt: Attempt, hash: string): boolean => {
  const { verdict, session } = replay(ground, task, attempt, hash);
  session.drop();
  return verdict.pass;
};

/** One hash over all of a session's databases: equal states, equal hash. */
export const stateHash = (session: Session): string =>
  sha256([...session.world.services.keys()].map((id) => `${id}:${session.state(id).hash()}`).join('\n'));

/** Why a verdict failed, in one line. */
export const failureOf = (verdict: Verdict): string =>
  verdict.milestones
    .flatMap(({ checks }) => checks.filter(({ pass }) => !pass))
    .map(({ check, evidence }) => `${check}: ${evidence}`)
    .slice(0, 2)
    .join('; ');
