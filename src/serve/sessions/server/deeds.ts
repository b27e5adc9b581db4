/**
 * What was done to a session besides calls, by the names its callers gave: a request that is sent again, by its client or by a front
 * whose worker died under it, is answered as it was and not done again. Lives in the session's image, so it goes where the session goes.
 */
import { canonicalJson, type Json, sha256 } from '../../../kit/hash.js';
import { keyConflict } from '../../only-once.js';
import type { Once } from '../../trainer.js';

/** A caller that sends something again does so soon; what is older is forgotten. */
const KEPT = 32;

export interface Deed {
  /** What was asked under the name. */
  print: string;
  /** Null where nothing is said but that it was done. */
  answer: Json;
}

/** A request as its session knows it. */
export interface Named {
  once: Once | undefined;
  /** Of method and arguments, as a digest; made where there is a name. */
  print: string;
}

export const NAMELESS: Named = { once: undefined, print: '' };

export const named = (once: Once | undefined, method: string, ...args: readonly string[]): Named =>
  nameOf(once) === undefined ? NAMELESS : { once, print: sha256(canonicalJson([method, ...args])) };

/** The client's key outlives the front that named its request. */
const nameOf = (once: Once | undefined): string | undefined => once?.key ?? once?.forwarded;

export class Deeds {
  /** Made when first needed. */
  #known: Map<string, Deed> | undefined;

  /** Throws `idempotency_conflict` when the name was given to another request. */
  find({ once, print }: Named): Deed | undefined {
    const name = nameOf(once);
    const deed = name === undefined ? undefined : this.#known?.get(name);
    if (deed && deed.print !== print) throw keyConflict(name as string);
    return deed;
  }

  keep({ once, print }: Named, answer: Json): void {
    const name = nameOf(once);
    if (name !== undefined) this.put(name, { print, answer });
  }

  /** As it was kept by another process. */
  put(name: string, deed: Deed): void {
    this.#known ??= new Map();
    this.#known.set(name, deed);
    if (this.#known.size > KEPT) this.#known.delete(this.#known.keys().next().value as string);
  }

  all(): [string, Deed][] {
    return [...(this.#known ?? [])];
  }
}
