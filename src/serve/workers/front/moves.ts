/** Sessions on their way from one worker to another: those whose worker ended, and those that a living one hands over. */
import { asTreadleError, TreadleError } from '../../../errors.js';
import type { Clock } from '../../durable/clock.js';
import { failureOf } from '../frames/failure.js';
import type { AdoptAsked, Adopted, NotMoved, Released } from '../protocol.js';
import type { FrontLimits } from './limits.js';
import type { Entry, Router } from './router.js';
import type { Worker } from './worker.js';

const RETRY_MS = 200;

const whyOf = ({ why }: NotMoved): TreadleError =>
  failureOf(why) ??
  new TreadleError({ code: 'session_lost', message: 'The session was lost', fault: 'infrastructure' });

/** The worker cannot be asked such a thing, now or ever. Whatever else failed says nothing of the sessions: the store, the disk, a link. */
const isForGood = ({ code }: TreadleError): boolean => code === 'unknown_method' || code === 'frame_too_large';

/** Who has a session by the store's word, where a worker says that another does. */
const ownerIn = ({ code, value }: TreadleError): string | undefined => {
  if (code !== 'session_moving' || typeof value !== 'object' || value === null) return undefined;
  const { owner } = value as { owner?: unknown };
  return typeof owner === 'string' ? owner : undefined;
};

const idsOf = (entries: readonly Entry[]): AdoptAsked => ({ sessions: entries.map(({ id }) => id) });

export interface MovesOptions {
  router: Router;
  limits: FrontLimits;
  clock: Clock;
  /** Those that may be given sessions, the least loaded first. */
  targets(): Worker[];
  onDefect: (error: TreadleError) => void;
}

export class Moves {
  /** With the incarnation that owns it by the store's word, where one does that heard nothing of it: it alone can claim it. */
  readonly #orphans = new Map<Entry, string | undefined>();
  #isAdopting = false;
  #isOver = false;

  constructor(readonly options: MovesOptions) {}

  /** Sessions without an owner. */
  get orphans(): number {
    return this.#orphans.size;
  }

  close(): void {
    this.#isOver = true;
  }

  /** Nobody has these any more, and nobody can: each gets an owner as soon as there is one, or is lost. */
  orphan(entries: Iterable<Entry>): void {
    for (const entry of entries) {
      this.options.router.hold(entry);
      this.#orphans.set(entry, undefined);
    }
    void this.adopt();
  }

  /** Called again when a worker is ready. */
  async adopt(): Promise<void> {
    if (this.#isAdopting) return;
    this.#isAdopting = true;
    while (this.#orphans.size > 0 && !this.#isOver) {
      const targets = this.options.targets();
      if (targets.length === 0) break;
      const shares = new Map(targets.map((to): [Worker, Entry[]] => [to, []]));
      let n = 0;
      for (const [entry, owner] of this.#orphans) {
        const to = targets.find(({ incarnation }) => owner !== undefined && incarnation === owner);
        shares.get(to ?? (targets[n++ % targets.length] as Worker))?.push(entry);
      }
      const done = await Promise.all([...shares].map(([to, share]) => this.give(share, to)));
      if (done.includes(false)) await this.options.clock.sleep(RETRY_MS);
    }
    this.#isAdopting = false;
  }

  /** Asks a worker to take these over. False where it could not even be asked: they are nobody's still. */
  async give(entries: readonly Entry[], to: Worker): Promise<boolean> {
    if (entries.length === 0) return true;
    const { router, onDefect } = this.options;
    try {
      const { value } = await to.rpc.request('adopt', idsOf(entries));
      const { adopted, lost } = value as Adopted;
      const taken = new Set(adopted);
      const failed = new Map(lost.map((one) => [one.session, whyOf(one)]));
      for (const entry of entries) {
        // What it lies in cannot be asked now: it is tried again, and so long whoever asks waits.
        const why = failed.get(entry.id);
        if (why?.isRetryable) {
          this.#orphans.set(entry, ownerIn(why));
          continue;
        }
        this.#orphans.delete(entry);
        if (taken.has(entry.id)) router.settle(entry, to);
        else router.lose(entry, failed.get(entry.id) ?? whyOf({ session: entry.id, why: null }));
      }
      return !lost.some(({ session }) => failed.get(session)?.isRetryable);
    } catch (thrown) {
      const error = asTreadleError(thrown, 'infrastructure');
      if (error.code !== 'worker_link') onDefect(error);
      if (!isForGood(error)) return false;
      for (const entry of entries) {
        this.#orphans.delete(entry);
        router.lose(entry, error);
      }
      return true;
    }
  }

  /**
   * Moves sessions of a living worker, some at a time: their requests wait, those under way end, the worker writes them, another
   * takes them over. Answers why the first of those that stayed did; undefined where none stayed.
   */
  async away(from: Worker, entries: readonly Entry[], to: () => Worker | undefined): Promise<TreadleError | undefined> {
    for (let i = 0; i < entries.length; i += this.options.limits.moves) {
      const some = entries.slice(i, i + this.options.limits.moves).filter(({ owner }) => owner === from);
      const why = await this.#some(from, some, to);
      if (why) return why;
    }
    return undefined;
  }

  async #some(
    from: Worker,
    entries: readonly Entry[],
    to: () => Worker | undefined,
  ): Promise<TreadleError | undefined> {
    const { router } = this.options;
    for (const entry of entries) router.hold(entry);
    await Promise.all(entries.map((entry) => router.quiet(entry)));
    let kept: Map<string, TreadleError>;
    try {
      const { value } = await from.rpc.request('release', idsOf(entries));
      kept = new Map((value as Released).kept.map((one) => [one.session, whyOf(one)]));
    } catch (thrown) {
      if (from.rpc.isClosed) {
        // It ended meanwhile: whether it had released them or not, whoever adopts them finds out.
        this.orphan(entries);
        return undefined;
      }
      for (const entry of entries) router.settle(entry, from);
      return asTreadleError(thrown, 'infrastructure');
    }
    const free = entries.filter(({ id }) => !kept.has(id));
    for (const entry of entries) if (kept.has(entry.id)) router.settle(entry, from);
    const target = to();
    if (target === undefined || !(await this.give(free, target)))
      this.orphan(free.filter(({ owner, lost }) => owner === undefined && lost === undefined));
    return kept.values().next().value;
  }
}
