/**
 * Who may write a session (serving.md, seams). A worker is `name#uuid` per incarnation and has one lease on the store's clock; a
 * session has at most one owner and a generation that grows with every claim. Everything takes many sessions at once, one
 * transaction for all of them: a thousand are recovered in a second.
 */
export interface Lease {
  /** `name#uuid` */
  incarnation: string;
  /** Milliseconds of the store's clock; `ms` of it are left. */
  until: number;
  ms: number;
}

/** Where a session's newest savepoint is. `seq`: state-changing requests that it holds. */
export interface Head {
  key: string;
  gen: number;
  seq: number;
}

export type Claim =
  /** `head`, `previous`: newest first; absent where none was ever committed. */
  | { session: string; granted: true; gen: number; head?: Head; previous?: Head }
  /** Somebody alive owns it. */
  | { session: string; granted: false; owner: string; gen: number };

export interface Commit extends Head {
  session: string;
}

/** `moved`: the head is this one now. `known`: it was already, with this key or (its answer lost) another of the same gen and seq; the
 * key that stands is told. `fenced`: the session has another owner or generation. `behind`: a later head stands. */
export type Committed =
  /** `superseded`: keys that no head or previous refers to any more; the committer deletes them. */
  | { session: string; outcome: 'moved'; superseded: string[] }
  | { session: string; outcome: 'known'; key: string }
  | { session: string; outcome: 'fenced' | 'behind' };

export interface OwnedSession {
  session: string;
  owner: string | null;
  ownerIsDead: boolean;
  gen: number;
  head?: Head;
  previous?: Head;
}

export interface WorkerRow {
  incarnation: string;
  until: number;
  dead: boolean;
  sessions: number;
}

/** Every method throws `store_failed`, `disk_full`, `store_closed`; remote ones `worker_link` too, when nobody knows whether it was done. */
export interface Ownership {
  /** A new incarnation with a lease of `ms` milliseconds. Throws `bad_name`. */
  register(name: string, ms: number): Promise<Lease>;
  /** Undefined where the incarnation is dead or its lease ran out: whoever asked drops all its sessions and registers anew. */
  renew(incarnation: string): Promise<Lease | undefined>;
  /** Latches it as dead at once: it was seen to end. True where it was alive. */
  bury(incarnation: string): Promise<boolean>;
  /**
   * The session is the incarnation's from now on, at generation + 1, where it has no owner, this one, or a dead one: so a claim whose
   * answer was lost can be made again. An unknown session begins at generation 1. Throws `not_registered` for a dead incarnation.
   */
  claim(incarnation: string, sessions: readonly string[]): Promise<Claim[]>;
  /** Moves heads where incarnation, generation and order still hold. */
  commitHead(incarnation: string, commits: readonly Commit[]): Promise<Committed[]>;
  /** Owned by nobody from now on; heads stay. Answers how many were this incarnation's. */
  release(incarnation: string, sessions: readonly string[]): Promise<number>;
  /** The sessions are over: their rows go, where this incarnation owns them. Answers with the keys of their savepoints, to be deleted. */
  forget(incarnation: string, sessions: readonly string[]): Promise<string[]>;
  /**
   * One round: incarnations whose lease ran out are latched as dead; dead ones without sessions are deleted, each delete conditional on
   * what it was decided by. After a pause of the store of more than a lease, nobody is latched for one lease. Answers who died now.
   */
  reap(): Promise<{ died: string[]; removed: number }>;
  /** In the order of their first claim. */
  sessions(): Promise<OwnedSession[]>;
  workers(): Promise<WorkerRow[]>;
}
