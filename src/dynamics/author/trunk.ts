/**
 * The reference's sessions after each of its calls, kept while a task's events are thought about: what is tried out begins as the
 * reference does, and goes on from there on a fork, which cannot tell (tasks/replay.ts).
 */
import type { Call, Reference } from '../../artifacts/task.js';
import type { Session } from '../../serve/sessions/session.js';

interface Trunk {
  /** After so many calls; made as far as they were asked for. */
  at: Session[];
  open: () => Session;
}

const trunks = new WeakMap<Reference, Trunk>();

/** Keeps the sessions while `work` goes on. They are dropped with it; a trunk within a trunk is the outer one. */
export const withTrunk = <T>(reference: Reference, open: () => Session, work: () => T): T => {
  if (trunks.has(reference)) return work();
  const trunk: Trunk = { at: [], open };
  trunks.set(reference, trunk);
  try {
    return work();
  } finally {
    for (const session of trunk.at) session.drop();
    trunks.delete(reference);
  }
};

/** How many calls the two begin with alike. */
const alike = (own: readonly Call[], calls: readonly Call[]): number => {
  const n = calls.findIndex((call, at) => call !== own[at]);
  return n < 0 ? calls.length : n;
};

/** A fork of the reference's session as far as the calls are its own, and how many that are; undefined where no trunk is kept. */
export const branchOf = (
  reference: Reference,
  calls: readonly Call[],
  id: string,
): { session: Session; done: number } | undefined => {
  const trunk = trunks.get(reference);
  if (!trunk) return undefined;
  const done = alike(reference.calls, calls);
  if (trunk.at.length === 0) trunk.at.push(trunk.open());
  for (let n = trunk.at.length; n <= done; n++) {
    const next = (trunk.at[n - 1] as Session).fork(id);
    const { tool, args } = reference.calls[n - 1] as Call;
    next.call(tool, structuredClone(args));
    trunk.at.push(next);
  }
  return { session: (trunk.at[done] as Session).fork(id), done };
};
