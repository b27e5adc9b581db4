/** What every implementation of ownership says of a commit, and what a name may be. */
import { randomUUID } from 'node:crypto';
import { TreadleError } from '../../../errors.js';
import type { Commit, Committed, Head } from './ownership.js';

/** A session as the rules look at it. */
export interface Owned {
  owner: string | null;
  gen: number;
  head: Head | undefined;
  previous: Head | undefined;
}

const isSame = (head: Head | undefined, commit: Head): head is Head =>
  head !== undefined && head.gen === commit.gen && head.seq === commit.seq;

/** Later in (gen, seq): a new owner may begin before what it could not read. */
const isLater = (commit: Head, head: Head | undefined): boolean =>
  head === undefined || commit.gen > head.gen || (commit.gen === head.gen && commit.seq > head.seq);

/** `move`, or why not. A commit that stands already, as head or as the one before, is its owner's own whatever its key. */
export const judge = (session: Owned | undefined, incarnation: string, commit: Commit): 'move' | Committed => {
  const { session: id } = commit;
  if (!session || session.owner !== incarnation || session.gen !== commit.gen)
    return { session: id, outcome: 'fenced' };
  for (const kept of [session.head, session.previous])
    if (isSame(kept, commit)) return { session: id, outcome: 'known', key: kept.key };
  return isLater(commit, session.head) ? 'move' : { session: id, outcome: 'behind' };
};

/** The session once its head is `commit`, and the keys that nothing refers to any more. */
export const moved = (session: Owned, { key, gen, seq }: Commit): { session: Owned; superseded: string[] } => {
  const next = { ...session, head: { key, gen, seq }, previous: session.head };
  const dropped = session.previous?.key;
  const isKept = dropped === undefined || dropped === next.head.key || dropped === next.previous?.key;
  return { session: next, superseded: isKept ? [] : [dropped] };
};

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** `name#uuid`. Throws `bad_name`, `bad_lease`. */
export const incarnationOf = (name: string, ms: number): string => {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new TreadleError({
      code: 'bad_name',
      message:
        "A worker's name has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or a digit",
      value: name,
      next: 'Give the worker another name.',
    });
  }
  if (!Number.isSafeInteger(ms) || ms < 1) {
    throw new TreadleError({
      code: 'bad_lease',
      message: 'A lease is a whole number of milliseconds, at least 1',
      value: ms,
      next: 'Give the worker a lease of some seconds.',
    });
  }
  return `${name}#${randomUUID()}`;
};

export const notRegistered = (incarnation: string): TreadleError =>
  new TreadleError({
    code: 'not_registered',
    message: 'This worker is dead to the store, or was never registered',
    value: incarnation,
    next: 'It drops its sessions, registers anew and claims again.',
    fault: 'infrastructure',
  });
