/** Which blobs of sessions may not be deleted: those that heads refer to, those that a head may still be moved to, and where one rests. */
import type { OwnedSession, Ownership } from './ownership/ownership.js';
import { parseSavepointKey } from './savepoint-key.js';

/**
 * The fence only goes forward: a key of an older generation, or not after the head in its own, can never be committed again, whoever
 * tries. The others may be, an hour after their put or a day. What is no savepoint of a session is where it rests.
 */
const isHeld = (key: string, sessions: ReadonlyMap<string, OwnedSession>): boolean => {
  const name = parseSavepointKey(key);
  const row = sessions.get(name?.session ?? key.split('/')[1] ?? '');
  if (!row) return false;
  if (!name) return true;
  const { gen, head, previous } = row;
  if (key === head?.key || key === previous?.key || name.gen > gen) return true;
  if (name.gen < gen) return false;
  return !head || head.gen < gen || name.seq > head.seq;
};

export const heldSavepoints = (sessions: readonly OwnedSession[], keys: readonly string[]): Set<string> => {
  // A store that knows no session at all is more likely a new one beside old blobs than the truth about them.
  if (sessions.length === 0) return new Set(keys);
  const bySession = new Map(sessions.map((row) => [row.session, row]));
  return new Set(keys.filter((key) => isHeld(key, bySession)));
};

/**
 * For a garbage collector. `pinned`: savepoints that forks in the logs are made of, asked for where a key is held by nothing else. Throws
 * what the store of heads throws.
 */
export const heldBy =
  (ownership: Pick<Ownership, 'sessions'>, pinned: () => ReadonlySet<string> = () => new Set()) =>
  async (keys: readonly string[]): Promise<Set<string>> => {
    const held = heldSavepoints(await ownership.sessions(), keys);
    if (held.size === keys.length) return held;
    const forks = pinned();
    for (const key of keys) if (forks.has(key)) held.add(key);
    return held;
  };
