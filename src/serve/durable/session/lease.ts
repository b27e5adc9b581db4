/** Keeps a process's lease: renewed at a third of its time; once it is lost, nothing that is done here counts any more. */
import { asTreadleError, type TreadleError } from '../../../errors.js';
import type { Clock } from '../clock.js';
import type { FaultPoints } from '../faults/fault-points.js';
import type { Lease, Ownership } from '../ownership/ownership.js';

export interface LeaseParts {
  ownership: Ownership;
  clock: Clock;
  faults: FaultPoints;
  ms: number;
  /** The store said so, or could not be asked for longer than the lease lasts. */
  lost: () => void;
  onDefect: (error: TreadleError) => void;
}

export class LeaseKeeping {
  readonly #stop = new AbortController();
  #renewedAt: number;

  private constructor(
    readonly parts: LeaseParts,
    readonly lease: Lease,
  ) {
    this.#renewedAt = parts.clock.now();
    void this.#run();
  }

  static async begin(name: string, parts: LeaseParts): Promise<LeaseKeeping> {
    return new LeaseKeeping(parts, await parts.ownership.register(name, parts.ms));
  }

  get incarnation(): string {
    return this.lease.incarnation;
  }

  /** By this process's own clock. */
  get leftMs(): number {
    return Math.max(0, this.#renewedAt + this.parts.ms - this.parts.clock.now());
  }

  /** The lease has run out by this process's own clock: what it acknowledges now may be another's to say. */
  get isStale(): boolean {
    return this.parts.clock.now() - this.#renewedAt > this.parts.ms;
  }

  async #run(): Promise<void> {
    const { ownership, clock, faults, ms, onDefect } = this.parts;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(ms / 3, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      const asked = clock.now();
      try {
        await faults.reach('ownership.renew');
        const renewed = await ownership.renew(this.incarnation);
        if (this.#stop.signal.aborted) return;
        if (!renewed) {
          this.#stop.abort();
          this.parts.lost();
          return;
        }
        this.#renewedAt = asked;
      } catch (thrown) {
        if (this.#stop.signal.aborted) return;
        onDefect(asTreadleError(thrown, 'infrastructure'));
      }
    }
  }

  end(): void {
    this.#stop.abort();
  }
}
