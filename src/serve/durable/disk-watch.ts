/** The free room of a data folder's disk, looked at every second: below the reserve nothing new is taken, so that what is there can be kept. */
import { statfs } from 'node:fs/promises';
import { TreadleError } from '../../errors.js';

const LOOK_MS = 1_000;
const MIB = 1_048_576;

export class DiskWatch {
  #timer: NodeJS.Timeout | undefined;
  #free = Number.POSITIVE_INFINITY;

  /** `reserve`: bytes. `look`: for tests. */
  constructor(
    readonly folder: string,
    readonly reserve: number,
    readonly look: (folder: string) => Promise<number> = async (at) => {
      const { bavail, bsize } = await statfs(at);
      return bavail * bsize;
    },
  ) {}

  /** Bytes that may be written, as of the last look. */
  get free(): number {
    return this.#free;
  }

  async begin(): Promise<void> {
    await this.#look();
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    try {
      this.#free = await this.look(this.folder);
    } catch {
      // A disk that cannot be asked is told of by what is written to it.
    }
  }

  /** Throws `disk_low`, retryable. */
  needRoom(): void {
    if (this.#free >= this.reserve) return;
    throw new TreadleError({
      code: 'disk_low',
      message: 'There is too little room on the disk of the data folder to take more',
      value: `${Math.floor(this.#free / MIB)} MiB free, ${Math.round(this.reserve / MIB)} wanted`,
      next: 'Free some space; it goes on by itself then. --disk-reserve says how much is kept free.',
      fault: 'infrastructure',
      isRetryable: true,
    });
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
