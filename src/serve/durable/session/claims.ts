/** Tells the store of sessions that began, ended or were saved here: many at a time, in the background, again until it is known. */
import { asTreadleError, type TreadleError } from '../../../errors.js';
import type { Clock } from '../clock.js';
import type { Commit, Committed, Ownership } from '../ownership/ownership.js';
import type { Kept } from './kept.js';

export interface ClaimsParts {
  ownership: Ownership;
  /** The process's now: another after its lease was lost. */
  incarnation: () => string;
  clock: Clock;
  /** Another owns it. */
  fenced: (kept: Kept) => void;
  /** It is forgotten, in the store too. */
  ended: (kept: Kept) => void;
  /** Keys that nobody refers to any more. */
  unused: (keys: readonly string[]) => void;
  onDefect: (error: TreadleError) => void;
}

const MOST = 1_000;
const AGAIN_MS = 200;

/** Gathers what comes while a round is under way, and does it all in the next. */
class Rounds<T> {
  #waiting: T[] = [];
  #running: Promise<void> | undefined;

  constructor(readonly round: (items: T[]) => Promise<void>) {}

  add(item: T): void {
    this.#waiting.push(item);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // What is asked in one turn of the loop goes in one round.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.round(this.#waiting.splice(0, MOST));
    this.#running = undefined;
  }

  async ended(): Promise<void> {
    while (this.#running) await this.#running;
  }
}

export class Claims {
  readonly #claims: Rounds<{ kept: Kept; done: () => void }>;
  readonly #commits: Rounds<{ commit: Commit; done: (said: Committed) => void; failed: (error: unknown) => void }>;
  readonly #ends: Rounds<Kept>;
  #isEnding = false;
  #isOver = false;

  constructor(readonly parts: ClaimsParts) {
    const { ownership } = parts;
    const incarnation = (): string => parts.incarnation();
    this.#claims = new Rounds(async (asked) => {
      const said = await this.#surely(() =>
        ownership.claim(
          incarnation(),
          asked.map(({ kept }) => kept.live.id),
        ),
      );
      for (const [i, { kept, done }] of asked.entries()) {
        const claim = said?.[i];
        if (claim?.granted) kept.gen = Math.max(kept.gen, claim.gen);
        else if (claim) parts.fenced(kept);
        done();
      }
    });
    this.#commits = new Rounds(async (asked) => {
      try {
        const said = await ownership.commitHead(
          incarnation(),
          asked.map(({ commit }) => commit),
        );
        for (const [i, { done }] of asked.entries()) done(said[i] as Committed);
      } catch (thrown) {
        for (const { failed } of asked) failed(thrown);
      }
    });
    this.#ends = new Rounds(async (ended) => {
      const keys = await this.#surely(() =>
        ownership.forget(
          incarnation(),
          ended.map(({ live }) => live.id),
        ),
      );
      if (!keys) return;
      parts.unused(keys);
      for (const kept of ended) parts.ended(kept);
    });
  }

  /** Until it is done: whether a claim whose answer was lost was granted, only another can tell. */
  async #surely<T>(work: () => Promise<T>): Promise<T | undefined> {
    let told = false;
    while (!this.#isOver) {
      try {
        return await work();
      } catch (thrown) {
        if (this.#isEnding) return undefined;
        if (!told) this.parts.onDefect(asTreadleError(thrown, 'infrastructure'));
        told = true;
        await this.parts.clock.sleep(AGAIN_MS);
      }
    }
    return undefined;
  }

  /** Settles when the store knows that the session is ours. */
  add(kept: Kept): Promise<void> {
    return new Promise((done) => this.#claims.add({ kept, done }));
  }

  /** Throws what the store throws: then nobody knows whether the head moved, and it may be committed again. */
  commit(commit: Commit): Promise<Committed> {
    return new Promise((done, failed) => this.#commits.add({ commit, done, failed }));
  }

  forget(kept: Kept): void {
    const begun = kept.claimed ?? Promise.resolve();
    void begun.then(() => this.#ends.add(kept));
  }

  /** The process ends: what fails now is not tried again. Sessions that the store never heard of are found in the log. */
  end(): void {
    this.#isEnding = true;
  }

  async release(all: readonly Kept[]): Promise<void> {
    const { ownership, incarnation, onDefect } = this.parts;
    await Promise.all([this.#claims.ended(), this.#commits.ended(), this.#ends.ended()]);
    this.#isOver = true;
    try {
      await ownership.release(
        incarnation(),
        all.map(({ live }) => live.id),
      );
    } catch (thrown) {
      // A worker whose front is gone has nobody to tell: its sessions are taken up from what it wrote.
      const error = asTreadleError(thrown, 'infrastructure');
      if (error.code !== 'worker_link') onDefect(error);
    }
  }
}
