/** Runs a list of calls and an answer on a fresh session and asks the task's verifier. */
import type { Call, Task } from '../artifacts/task.js';
import type { Verdict } from '../artifacts/verdict.js';
import type { Session } from '../serve/sessions/session.js';
import type { Judgement } from '../verify/answer.js';
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

/** A session as the calls up to here left it; nothing is called on it any more. */
interface Point {
  session: Session;
  /** What it leaves: the same for every answer given with these calls. */
  evidence?: Evidence;
  next: Map<string, Point>;
}

/** Calls of one text do the same at one point. */
const textOf = ({ tool, args }: Call): string => `${tool} ${JSON.stringify(args)}`;

/**
 * Many attempts at one task. Each goes on from where its calls have led before, so that no beginning runs twice: not the
 * reference's, nor that of a mutant that was tried out before it is judged. A session cannot tell: a fork goes on as what it
 * was forked from would have.
 */
export class Rehearsal {
  readonly #task: Task;
  readonly #hash: string;
  readonly #start: Point;
  readonly #judged = new Map<string, Judgement>();
  readonly #open: Session[] = [];

  constructor(ground: Ground, task: Task, hash: string) {
    this.#task = task;
    this.#hash = hash;
    this.#start = this.#point(ground.fresh());
  }

  #point(session: Session): Point {
    this.#open.push(session);
    return { session, next: new Map() };
  }

  /** The last point on the way that has been there, and how many of the calls lead to it. */
  #reached(calls: readonly Call[]): [Point, number] {
    let point = this.#start;
    for (const [i, call] of calls.entries()) {
      const next = point.next.get(textOf(call));
      if (!next) return [point, i];
      point = next;
    }
    return [point, calls.length];
  }

  #fork({ session }: Point): Session {
    return session.fork(`${session.id}-${this.#open.length}`);
  }

  #after(calls: readonly Call[]): Point {
    let [point, done] = this.#reached(calls);
    for (; done < calls.length; done++) {
      const call = calls[done] as Call;
      const session = this.#fork(point);
      session.call(call.tool, structuredClone(call.args));
      const next = this.#point(session);
      point.next.set(textOf(call), next);
      point = next;
    }
    return point;
  }

  /** A session on which the calls have been made, for looking at: attempts go on from it. It is the rehearsal's to drop. */
  play(calls: readonly Call[]): Session {
    return this.#after(calls).session;
  }

  judge({ calls, answer }: Attempt): Verdict {
    const [point, done] = this.#reached(calls);
    if (done === calls.length) {
      point.evidence ??= gather(point.session, '');
      return this.#verify(point.session, { ...point.evidence, answer });
    }
    const session = this.#fork(point);
    for (const call of calls.slice(done)) session.call(call.tool, structuredClone(call.args));
    const verdict = this.#verify(session, gather(session, answer));
    session.drop();
    return verdict;
  }

  #verify(session: Session, evidence: Evidence): Verdict {
    return verify(this.#task, { ...evidence, judged: this.#judged }, session.id, this.#hash);
  }

  drop(): void {
    for (const session of this.#open) session.drop();
  }
}

/** Why a verdict failed, in one line. */
export const failureOf = (verdict: Verdict): string =>
  verdict.milestones
    .flatMap(({ checks }) => checks.filter(({ pass }) => !pass))
    .map(({ check, evidence }) => `${check}: ${evidence}`)
    .slice(0, 2)
    .join('; ');
