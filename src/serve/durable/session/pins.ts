/** Savepoints that forks are made of: whoever has them superseded keeps them until each fork has a savepoint of its own. */
import { parseSavepointKey } from '../savepoint-key.js';

export class Pins {
  /** Sessions by key, and keys by session. */
  readonly #holders = new Map<string, Set<string>>();
  readonly #held = new Map<string, readonly string[]>();
  /** They would have gone. */
  readonly #due = new Set<string>();
  /** Named in logs of processes that are gone: who goes on with those forks is not known here. The collector sees when nobody needs them. */
  readonly #left = new Set<string>();

  hold(session: string, keys: readonly string[]): void {
    // One of that name before, which is over.
    this.release(session);
    if (keys.length === 0) return;
    this.#held.set(session, keys);
    for (const key of keys) {
      const holders = this.#holders.get(key) ?? new Set();
      this.#holders.set(key, holders.add(session));
    }
  }

  leave(keys: Iterable<string>): void {
    for (const key of keys) this.#left.add(key);
  }

  keysOf(session: string): readonly string[] {
    return this.#held.get(session) ?? [];
  }

  /** Forks here that need a savepoint of this session. */
  dependents(session: string): string[] {
    const found = new Set<string>();
    for (const [key, holders] of this.#holders)
      if (parseSavepointKey(key)?.session === session) for (const holder of holders) found.add(holder);
    return [...found];
  }

  /** It needs none any more. Answers with the keys that may go now. */
  release(session: string): string[] {
    const free: string[] = [];
    for (const key of this.keysOf(session)) {
      const holders = this.#holders.get(key);
      holders?.delete(session);
      if (holders?.size !== 0) continue;
      this.#holders.delete(key);
      if (this.#due.delete(key)) free.push(key);
    }
    this.#held.delete(session);
    return free;
  }

  /** Nobody else needs these. Answers with those that may go now; the others go later. */
  free(keys: readonly string[]): string[] {
    const free: string[] = [];
    for (const key of keys) {
      if (this.#left.has(key)) continue;
      if (this.#holders.has(key)) this.#due.add(key);
      else free.push(key);
    }
    return free;
  }
}
