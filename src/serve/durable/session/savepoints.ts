/** Savepoints: whole sessions in the blob store, some time after they changed, and the store's word that this is the newest. */
import { asTreadleError, type TreadleError } from '../../../errors.js';
import type { Blobs } from '../../blobs/blobs.js';
import type { SessionImage } from '../../sessions/server/image.js';
import type { Maybe } from '../../sessions/server/turns.js';
import type { Clock } from '../clock.js';
import type { FaultPoints } from '../faults/fault-points.js';
import type { PageLog } from '../log/page-log.js';
import type { Head } from '../ownership/ownership.js';
import { savepointKey } from '../savepoint-key.js';
import { imageBytes } from './bytes.js';
import type { Claims } from './claims.js';
import type { Kept } from './kept.js';

export interface SavepointTimes {
  /** Milliseconds without a request after which a session is saved, and after which it is saved however busy it is. */
  quietMs: number;
  busyMs: number;
  /** Requests, and bytes in the log, after which it is saved at once. */
  requests: number;
  bytes: number;
  /** Savepoints under way at once. */
  most: number;
  /** Bytes of log beyond which the sessions that keep its oldest part are saved. */
  logBytes: number;
}

export const SAVEPOINT_TIMES: SavepointTimes = {
  quietMs: 2_000,
  busyMs: 15_000,
  requests: 256,
  bytes: 1_048_576,
  most: 8,
  logBytes: 64 * 1_048_576,
};

export interface SavepointParts {
  blobs: Blobs;
  log: PageLog;
  claims: Claims;
  clock: Clock;
  faults: FaultPoints;
  times: SavepointTimes;
  fenced: (kept: Kept) => void;
  /** All of it up to this savepoint is in the store: what it needed before is not needed any more. */
  covered: (kept: Kept, head: Head) => void;
  unused: (keys: readonly string[]) => void;
  onDefect: (error: TreadleError) => void;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 30_000;

export class Savepoints {
  /** Since the start: written, refused by the store of heads, failed. */
  readonly counts = { saved: 0, fenced: 0, failed: 0, bytes: 0 };
  readonly #hasty = new Set<Kept>();
  #running = 0;

  constructor(readonly parts: SavepointParts) {}

  /** It is saved with the next round, whatever the times say. */
  hasten(kept: Kept): void {
    this.#hasty.add(kept);
  }

  #isDue(kept: Kept, now: number): boolean {
    if (kept.isSaving || kept.isOver || now < kept.retryAt) return false;
    if (this.#hasty.has(kept)) return true;
    const { quietMs, busyMs, requests, bytes } = this.parts.times;
    if (kept.unsaved === 0) return false;
    return (
      kept.unsaved >= requests || kept.bytes >= bytes || now - kept.lastAt >= quietMs || now - kept.firstAt >= busyMs
    );
  }

  /** Begins what is due; called several times a second. */
  round(all: Iterable<Kept>): void {
    const { times, log, clock } = this.parts;
    const late = new Set(log.laggards(times.logBytes));
    const now = clock.now();
    for (const kept of all) {
      if (this.#running >= times.most) return;
      if (this.#isDue(kept, now) || (late.has(kept.live.id) && !kept.isSaving && now >= kept.retryAt))
        void this.save(kept);
    }
  }

  /** Milliseconds that the oldest request without a savepoint has waited for one. */
  lagMs(all: Iterable<Kept>): number {
    const now = this.parts.clock.now();
    let most = 0;
    for (const { unsaved, firstAt } of all) if (unsaved > 0) most = Math.max(most, now - firstAt);
    return most;
  }

  /** False where it could not be saved now. Never throws. */
  save(kept: Kept): Promise<boolean> {
    return this.#try(kept, async () => kept.live.turns.run(() => this.#taken(kept)));
  }

  /** As `save`, for whoever has the session's turn. */
  saveNow(kept: Kept): Promise<boolean> {
    return this.#try(kept, async () => this.#taken(kept));
  }

  /** From here on what is logged is for the next savepoint. */
  #taken(kept: Kept): Maybe<SessionImage | undefined> {
    if (kept.isOver) return undefined;
    kept.unsaved = 0;
    kept.bytes = 0;
    return kept.live.toImage();
  }

  async #try(kept: Kept, image: () => Promise<SessionImage | undefined>): Promise<boolean> {
    if (kept.isOver) return false;
    kept.isSaving = true;
    this.#running++;
    this.#hasty.delete(kept);
    const before = { unsaved: kept.unsaved, bytes: kept.bytes, firstAt: kept.firstAt };
    try {
      const done = await this.#save(kept, image);
      kept.failures = 0;
      return done;
    } catch (thrown) {
      this.counts.failed++;
      kept.unsaved += before.unsaved;
      kept.bytes += before.bytes;
      kept.firstAt = before.firstAt;
      kept.failures++;
      kept.retryAt = this.parts.clock.now() + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** kept.failures);
      this.parts.onDefect(asTreadleError(thrown, 'infrastructure', 'savepoint_failed'));
      return false;
    } finally {
      kept.isSaving = false;
      this.#running--;
    }
  }

  async #save(kept: Kept, taken: () => Promise<SessionImage | undefined>): Promise<boolean> {
    const { blobs, claims, faults, fenced, covered, unused } = this.parts;
    await kept.claimed;
    const { live } = kept;
    const image = await taken();
    if (!image || kept.isOver) return false;
    const bytes = imageBytes(image);
    const { gen } = kept;
    const key = savepointKey(live.id, gen, image.seq, bytes);
    await faults.reach('savepoint.packed');
    await blobs.put(key, bytes);
    await faults.reach('savepoint.put');
    const said = await claims.commit({ session: live.id, key, gen, seq: image.seq });
    this.counts.bytes += bytes.length;
    if (said.outcome === 'fenced') {
      this.counts.fenced++;
      fenced(kept);
      return false;
    }
    this.counts.saved++;
    // Before what it supersedes goes: forks from here on are made of this one.
    if (said.outcome === 'moved') covered(kept, { key, gen, seq: image.seq });
    else if (said.outcome === 'known') covered(kept, { key: said.key, gen, seq: image.seq });
    if (said.outcome === 'moved') unused(said.superseded);
    else if (said.outcome === 'known' && said.key !== key) unused([key]);
    return true;
  }

  /** All that is unsaved, at the end; twice where the first attempt fails. */
  async saveAll(all: Iterable<Kept>): Promise<void> {
    const waiting = [...all];
    const work = async (): Promise<void> => {
      for (let kept = waiting.pop(); kept; kept = waiting.pop()) {
        while (kept.isSaving) await this.parts.clock.sleep(5);
        if (kept.unsaved > 0 && !(await this.save(kept))) await this.save(kept);
      }
    };
    await Promise.all(Array.from({ length: this.parts.times.most }, work));
  }
}
