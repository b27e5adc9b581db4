/** What a drill saw: what clients sent and heard, what the store did, and what was found in the end. All of it plain data. */
import type { Durability } from '../../src/serve/durable/session/durability.js';
import type { Ask, Said } from './line.js';

/**
 * In the order in which a session's one client saw it. `call` is tool and arguments as canonical JSON and unlike any other of the
 * session, so it names the call in ledgers too. `unknown`: it may have run or not; `refused`: it was told that it did not.
 */
export type ClientEvent =
  | { is: 'sent'; operation: string; call: string }
  /** `index`: its place in the ledger. `result`: canonical JSON of what the agent saw. */
  | { is: 'answered'; operation: string; index: number; result: string }
  | { is: 'unknown'; operation: string; why: string }
  | { is: 'refused'; operation: string; why: string }
  /** The session is back at `seq`; requests up to `lost` had been acknowledged. */
  | { is: 'rolled_back'; seq: number; lost: number };

/** As a client sees it that asks for other things than calls, and asks nothing else before it knows (`line.ts`). */
export type LineEvent =
  | { is: 'asked'; operation: string; ask: Ask }
  | { is: 'done'; operation: string; said: Said }
  | Extract<ClientEvent, { is: 'unknown' | 'refused' | 'rolled_back' }>;

export interface History {
  session: string;
  events: readonly (ClientEvent | LineEvent)[];
  /** Of every kind of request, by a client that asks nothing else before it knows. */
  isLine?: true;
  /** Of a branch: the calls that were its parent's. */
  inherited?: readonly string[];
}

export interface Recorded {
  call: string;
  result: string;
}

/** `replayed`: the same calls, in the order of the ledger, on a session that nothing ever happened to. */
export type Found =
  | {
      session: string;
      seq: number;
      hash: string;
      ledger: readonly Recorded[];
      replayed: { hash: string; ledger: readonly Recorded[] };
      status?: string;
      snapshots?: readonly string[];
    }
  /** It does not answer, and why not. */
  | { session: string; stuck: string };

/** In the order in which the store did it. `by`: who asked, where that is known. */
export type OwnershipStep =
  | { is: 'claimed'; session: string; by: string; gen: number }
  | { is: 'moved'; session: string; by?: string; gen: number; seq: number; key: string }
  /** Its row went: it was over, or had never begun. */
  | { is: 'forgotten'; session: string };

export interface JobHistory {
  id: string;
  /** What finishing an attempt was answered; `unknown` where the answer was lost. */
  finishes: readonly { attempt: number; result: string; said: 'done' | 'known' | 'stale' | 'unknown' }[];
  found: { state: string; attempt: number; result?: string };
}

export interface Drilled {
  durability: Durability;
  histories: readonly History[];
  found: readonly Found[];
  ownership: readonly OwnershipStep[];
  /** Newest savepoints that the store names in the end. */
  heads: readonly { session: string; gen: number; seq: number; key: string }[];
  jobs: readonly JobHistory[];
  /** Sessions that are not closed in the end, where that was looked at. */
  there?: readonly string[];
}

export const RULES = [
  /** A session does not answer in the end. */
  'stuck',
  /** Acknowledged and gone, and nobody was told. */
  'lost_silently',
  /** Acknowledged under `call` or `disk`, and told to be lost. */
  'acknowledged_lost',
  /** A told rollback that says less than what is gone, or nothing. */
  'told_wrongly',
  'run_twice',
  /** In the ledger and sent by nobody, refused, or told to be lost. */
  'ran_unasked',
  /** What was answered is not what the ledger says, or not where; or two answers to one operation differ. */
  'answer_differs',
  /** Requests that the session counted, against those that it holds. */
  'seq_differs',
  /** The state is not what its calls make of a fresh session. */
  'state_differs',
  'generation_fell',
  /** A head was moved by who did not own the session. */
  'not_owner',
  /** A head that does not follow from the one before it. */
  'lineage_broken',
  'head_differs',
  /** A request was counted that was not asked, or one was counted twice. */
  'done_twice',
  /** After a restore, a reset or a fork: other calls than those of the point that it goes to. */
  'cut_wrongly',
  /** It is paused, open or closed, and was left otherwise. */
  'status_differs',
  'snapshots_differ',
  /** An open session that no client was told of, so that nobody will ever end it. */
  'of_nobody',
  'job_not_done',
  'job_done_twice',
] as const;

export interface Violation {
  rule: (typeof RULES)[number];
  /** The session or the job. */
  of: string;
  what: string;
}
