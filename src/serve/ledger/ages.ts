/** Ledgers that hold memory, from the longest unused to the last used; links lie in the ledgers themselves. */

import type { ServedEntry } from '../api.js';
import type { Chunk } from './chunk.js';
import type { Run } from './ledger.js';

/** What a ledger is made of. It never points to the handle its session holds, so that the handle can be collected. */
export class Body {
  head: Chunk | undefined;
  /** Calls since the last fork or spill, and the bytes they are counted with. */
  tail: Run | undefined;
  tailBytes = 0;
  /** Calls in `head` and its ancestors. */
  start = 0;
  isDropped = false;
  isListed = false;
  older: Body | undefined;
  newer: Body | undefined;
  /** What `entries` last gave, while somebody holds it. */
  served: WeakRef<ServedEntry[]> | undefined;

  get length(): number {
    return this.start + (this.tail?.calls.length ?? 0);
  }
}

export class Ages {
  oldest: Body | undefined;
  newest: Body | undefined;

  /** Puts it last, whether it was listed or not. */
  touch(body: Body): void {
    if (this.newest === body) return;
    this.remove(body);
    body.isListed = true;
    body.older = this.newest;
    if (this.newest) this.newest.newer = body;
    else this.oldest = body;
    this.newest = body;
  }

  remove(body: Body): void {
    if (!body.isListed) return;
    if (body.older) body.older.newer = body.newer;
    else this.oldest = body.newer;
    if (body.newer) body.newer.older = body.older;
    else this.newest = body.older;
    body.older = undefined;
    body.newer = undefined;
    body.isListed = false;
  }
}
