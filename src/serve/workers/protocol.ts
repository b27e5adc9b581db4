/** What a front and its workers say to one another, by method. */
import type { Json } from '../../kit/hash.js';
import type { ServerInfo, SessionInfo } from '../api.js';
import type { StatisticsParts } from '../ledger/statistics.js';
import type { Change } from '../registry/log.js';
import type { SessionFilter } from '../trainer.js';

/** Requests of a worker: `hello`, then, when it can take sessions, `ready`. Notices: `report`, `settled`, `keep`, `forgot`, `failed`. */
export interface Hello {
  /** Of its place among the workers: `w1`. Its incarnation is told with `ready`. */
  name: string;
  pid: number;
  version: string;
}

/** The answer to `hello`. */
export interface Welcome {
  /** Of this life of the front: names of forwarded requests begin with it. */
  front: string;
  /** Of the agents' door. */
  origin: string;
  /** For whoever makes the house: which corpus, which limits. */
  house: Json;
  /** All of the front's registry. */
  changes: Change[];
  /** Where the front keeps contents; absent where it keeps them in memory, and then they are in `texts`. */
  contents?: string;
  texts: string[];
}

export interface Ready {
  incarnation: string;
}

export interface Report {
  info: ServerInfo;
  /** Sessions that it has, closed ones too. */
  known: number;
  /** Sessions that it opened for the front so far, branches included. */
  admitted: number;
  rssBytes: number;
  cpuSeconds: number;
  /** On the disk of its folder; absent where it cannot be told. */
  freeBytes?: number;
  /** Requests that wait for their turn. */
  deferred: number;
}

/** An offer of the registry that a worker took up: kind and name. */
export type Settled = [kind: string, name: string];

/** Of a front, about sessions' ids: the answer to `infos`. */
export type Infos = (SessionInfo | null)[];
export interface InfosAsked {
  ids: string[];
  filter: Pick<SessionFilter, 'run' | 'group' | 'status'>;
}

/** The answer to `metrics`. */
export interface Vitals extends Omit<Report, 'freeBytes'> {
  statistics: StatisticsParts;
  ledgers: { bytesInMemory: number; bytesOnDisk: number; isFailing: boolean };
  residences: Record<string, number>;
  parkedBytes: Record<string, number>;
  refusedOpens: Record<string, number>;
}

export interface AdoptAsked {
  sessions: string[];
}

export interface NotMoved {
  session: string;
  /** A TreadleError as `failureText` writes it. */
  why: Json;
}

/** The answer to `adopt`: every session asked for is in one of the two. */
export interface Adopted {
  adopted: string[];
  lost: NotMoved[];
}

/** The answer to `release`: what is kept goes on where it is. */
export interface Released {
  released: string[];
  kept: NotMoved[];
}

/** The head of a visit, as JSON; its body is the request's. */
export interface VisitHead {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** The head of a reply, as JSON; its body is the answer's. */
export interface ReplyHead {
  status: number;
  /** Absent: no content. */
  type?: string;
  headers?: Record<string, string>;
}
