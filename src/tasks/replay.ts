/** Runs a list of calls and an answer on a fresh session and asks the task's verifier. */
import type { Call, Task } from '../artifacts/task.js';
import type { Verdict } from '../artifacts/verdict.js';
import type { Session } from '../serve/sessions/session.js';
import { type Evidence, gather } from '../verify/evidence.js';
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

/**
 * Many attempts at one task: each starts from the session that the reference's calls left at the point where the attempt
 * leaves them, so that no beginning runs twice. Attempts share calls with the reference by identity.
 */
export class Rehearsal {
  readonly #task: Task;
  readonly #hash: string;
  readonly #reference: readonly Call[];
  /** Sessions after the first n calls of the reference. */
  readonly #after: Session[];
  #opened = 0;
  /** What the reference leaves: the same for every answer given with it. */
  #evidence: Evidence | undefined;

  constructor(ground: Ground, task: Task, hash: string) {
    this.#task = task;
    this.#hash = hash;
    this.#reference = task.reference.calls;
    this.#after = [ground.fresh()];
  }

  #at(n: number): Session {
    const known = this.#after[n];
    if (known) return known;
    const before = this.#at(n - 1);
    const session = before.fork(`${before.id}.`);
    const call = this.#reference[n - 1] as Call;
    session.call(call.tool, structuredClone(call.args));
    this.#after[n] = session;
    return session;
  }

  /** A session on which the calls have been made. It stays open: drop it. */
  play(calls: readonly Call[]): Session {
    let shared = 0;
    while (shared < calls.length && calls[shared] === this.#reference[shared]) shared++;
    const start = this.#at(shared);
    const session = start.fork(`${start.id}-${this.#opened++}`);
    for (const call of calls.slice(shared)) session.call(call.tool, structuredClone(call.args));
    return session;
  }

  judge(attempt: Attempt): Verdict {
    const isReference =
      attempt.calls.length === this.#reference.length && attempt.calls.every((call, i) => call === this.#reference[i]);
    if (isReference) {
      const whole = this.#at(this.#reference.length);
      this.#evidence ??= gather(whole, '');
      return verify(this.#task, { ...this.#evidence, answer: attempt.answer }, whole.id, this.#hash);
    }
    const session = this.play(attempt.calls);
    const verdict = verify(this.#task, gather(session, attempt.answer), session.id, this.#hash);
    session.drop();
    return verdict;
  }

  drop(): void {
    for (const session of this.#after) session.drop();
  }
}

/** Why a verdict failed, in one line. */
export const failureOf = (verdict: Verdict): string =>
  verdict.milestones
    .flatMap(({ checks }) => checks.filter(({ pass }) => !pass))
    .map(({ check, evidence }) => `${check}: ${evidence}`)
    .slice(0, 2)
    .join('; ');
