/**
 * Sessions of processes that are gone, taken up here: each from its newest savepoint or log, with the calls that were logged since. No
 * tool is run; what had been acknowledged and cannot be had again is told to the session's next caller.
 */
import { asTreadleError, TreadleError } from '../../../errors.js';
import type { Blobs } from '../../blobs/blobs.js';
import type { CallDelta, SessionImage } from '../../sessions/server/image.js';
import type { Revived } from '../../sessions/server/revive.js';
import { imageOfActive } from '../../sessions/server/saved.js';
import type { FaultPoints } from '../faults/fault-points.js';
import type { PageLog } from '../log/page-log.js';
import type { Claim, Head, Ownership } from '../ownership/ownership.js';
import { verifySavepoint } from '../savepoint-key.js';
import { deltaOf, imageBytes, imageOf } from './bytes.js';
import { forkedFrom, forkOf } from './fork.js';
import type { Keeper } from './keeper.js';
import type { LeftBehind } from './logs.js';
import { type Chain, type Evidence, evidenceOf } from './records.js';

export interface RecoveryParts {
  ownership: Ownership;
  incarnation: () => string;
  blobs: Blobs;
  log: PageLog;
  keeper: Keeper;
  /** Keys that nobody refers to any more. */
  unused: (keys: readonly string[]) => void;
  faults: FaultPoints;
  revive: (image: SessionImage, deltas: readonly CallDelta[]) => Revived;
  onDefect: (error: TreadleError) => void;
}

/** What became of one session. */
export type Recovered =
  | { session: string; outcome: 'recovered'; seq: number }
  /** `lost`: the last request that had been acknowledged. */
  | { session: string; outcome: 'rolled_back'; seq: number; lost: number }
  /** It was over. */
  | { session: string; outcome: 'gone' }
  /** Somebody alive has it. */
  | { session: string; outcome: 'owned'; owner: string }
  /** Nothing that was kept of it can be read; `mayReturn`: what it lies in cannot be asked now. */
  | { session: string; outcome: 'lost'; why: string; mayReturn: boolean };

type Logs = Pick<LeftBehind, 'records' | 'origins'>;

/** Savepoints that are fetched at once. */
const FETCHES = 16;
const CLAIMS = 1_000;

export interface ChainState {
  image: SessionImage;
  deltas: CallDelta[];
  /** Of the image; absent for a fork's, which is put together. */
  bytes?: Uint8Array;
}

/** Throws `damaged_savepoint` and what the blob store throws. */
export const stateOfChain = async ({ base, deltas }: Chain, blobs: Blobs): Promise<ChainState> => {
  const own = deltas.map(({ body }) => deltaOf(body));
  if ('of' in base) {
    const { image, deltas: before } = forkedFrom(forkOf(base.fork), await stateOfChain(base.of, blobs));
    return { image, deltas: [...before, ...own] };
  }
  const bytes = 'whole' in base ? base.whole : await blobs.get(base.key);
  if ('key' in base) verifySavepoint(base.key, bytes);
  return { image: imageOf(bytes), deltas: own, bytes };
};

const nothingKept = (session: string): TreadleError =>
  new TreadleError({
    code: 'session_lost',
    message: 'Nothing is kept of the session',
    value: session,
    fault: 'infrastructure',
  });

/** The store heard of it now, and no log did: it never began, and whoever asked wanted to know that. */
const isStranger = (claim: Claim, logs: Logs): boolean =>
  claim.granted && claim.gen === 1 && claim.head === undefined && !logs.records.has(claim.session);

/** The log here failed: what is kept of the session is as good as it was. */
const notCopied = (cause: TreadleError): TreadleError =>
  new TreadleError({
    code: cause.code,
    message: cause.message,
    value: cause.value,
    next: cause.next ?? 'It is tried again.',
    fault: 'infrastructure',
    isRetryable: true,
    cause,
  });

interface Found {
  chain: Chain;
  bytes: Uint8Array | undefined;
  revived: Revived;
}

export class Recovery {
  constructor(readonly parts: RecoveryParts) {}

  /** `logs`: what dead processes left. Sessions that somebody alive owns are left alone. Never throws for one session. */
  async take(sessions: readonly string[], logs: Logs): Promise<Recovered[]> {
    const { ownership, incarnation } = this.parts;
    const out: Recovered[] = [];
    const strangers = new Set<string>();
    for (let at = 0; at < sessions.length; at += CLAIMS) {
      const claims = await this.#claim(sessions.slice(at, at + CLAIMS), logs);
      for (const claim of claims) if (isStranger(claim, logs)) strangers.add(claim.session);
      const waiting = claims.map((claim, i) => ({ claim, i: at + i }));
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next; next = waiting.shift()) out[next.i] = await this.#take(next.claim, logs);
      };
      await Promise.all(Array.from({ length: FETCHES }, work));
    }
    // What could not be had stays nobody's, and what is left of it with it.
    const lost = out.filter(({ outcome }) => outcome === 'lost').map(({ session }) => session);
    const kept = lost.filter((session) => !strangers.has(session));
    if (kept.length > 0) await ownership.release(incarnation(), kept);
    if (kept.length < lost.length)
      await ownership.forget(
        incarnation(),
        lost.filter((session) => strangers.has(session)),
      );
    return out;
  }

  /**
   * Generations are higher than any that was logged: who opened a session writes at 1 before the store knows of it, and may have died
   * between.
   */
  async #claim(sessions: readonly string[], logs: Logs): Promise<Claim[]> {
    const { ownership, incarnation } = this.parts;
    const claims = await ownership.claim(incarnation(), sessions);
    const highest = new Map<string, number>();
    for (const session of sessions)
      for (const records of logs.records.get(session) ?? [])
        for (const { gen } of records) highest.set(session, Math.max(gen, highest.get(session) ?? 0));
    const isLow = (claim: Claim): boolean => claim.granted && claim.gen <= (highest.get(claim.session) ?? 0);
    for (let low = claims.filter(isLow); low.length > 0; low = claims.filter(isLow)) {
      const again = await ownership.claim(
        incarnation(),
        low.map(({ session }) => session),
      );
      for (const claim of again) claims[claims.findIndex(({ session }) => session === claim.session)] = claim;
    }
    return claims;
  }

  async #take(claim: Claim, { records, origins }: Logs): Promise<Recovered> {
    const { session } = claim;
    if (!claim.granted) return { session, outcome: 'owned', owner: claim.owner };
    try {
      await this.parts.faults.reach('recover.session');
      const heads = [claim.head, claim.previous].filter((head): head is Head => head !== undefined);
      const evidence = evidenceOf(records.get(session) ?? [], heads, origins);
      if (evidence.isGone) {
        await this.#forget(session);
        return { session, outcome: 'gone' };
      }
      return await this.#best(session, claim.gen, evidence);
    } catch (thrown) {
      const error = asTreadleError(thrown, 'infrastructure');
      this.parts.onDefect(error);
      return { session, outcome: 'lost', why: error.line(), mayReturn: error.isRetryable };
    }
  }

  async #best(session: string, gen: number, { chains, acknowledged }: Evidence): Promise<Recovered> {
    let failure: TreadleError | undefined;
    let found: Found | undefined;
    for (const chain of chains) {
      // A chain that was cut short may still be longer than the next one is whole.
      if (found && found.revived.live.seq >= chain.last) break;
      try {
        const { image, deltas, bytes } = await stateOfChain(chain, this.parts.blobs);
        const revived = this.parts.revive(image, deltas);
        if (revived.live.seq < 0) {
          revived.live.forget(true);
          throw revived.stopped ?? nothingKept(session);
        }
        if (found && found.revived.live.seq >= revived.live.seq) {
          revived.live.forget(true);
          continue;
        }
        found?.revived.live.forget(true);
        found = { chain, bytes, revived };
        if (!revived.stopped) break;
        this.parts.onDefect(revived.stopped);
      } catch (thrown) {
        failure = asTreadleError(thrown, 'infrastructure');
        this.parts.onDefect(failure);
      }
    }
    if (!found) throw failure ?? nothingKept(session);
    return this.#settle(gen, found, acknowledged);
  }

  /**
   * Its records go into the log here as they are, so that from now on the others are of no use: from the last of them on, which alone is of
   * the new generation. Who dies before has copied something older, and the others still count for more.
   */
  #settle(gen: number, { chain, bytes, revived: { live, session } }: Found, acknowledged: number): Recovered {
    const { log, keeper } = this.parts;
    const { id, seq } = live;
    try {
      if (acknowledged > seq || bytes === undefined) {
        if (acknowledged > seq) live.lost = acknowledged;
        log.append({ session: id, gen, seq, kind: 'whole', body: imageBytes(imageOfActive(live, session)) });
      } else {
        const deltas = chain.deltas.filter((delta) => delta.seq <= seq);
        const genOf = (delta?: { seq: number }): number => (delta === deltas.at(-1) ? gen : chain.gen);
        log.append({ session: id, gen: genOf(), seq: chain.seq, kind: 'whole', body: bytes });
        for (const delta of deltas)
          log.append({ session: id, gen: genOf(delta), seq: delta.seq, kind: 'delta', body: delta.body });
      }
    } catch (thrown) {
      live.forget(true);
      throw notCopied(asTreadleError(thrown, 'infrastructure'));
    }
    keeper.took(live, session, gen);
    if (live.lost === undefined) return { session: id, outcome: 'recovered', seq };
    return { session: id, outcome: 'rolled_back', seq, lost: live.lost };
  }

  async #forget(session: string): Promise<void> {
    const { ownership, incarnation, unused } = this.parts;
    unused(await ownership.forget(incarnation(), [session]));
  }
}
