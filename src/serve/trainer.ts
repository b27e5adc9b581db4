/** The trainer's side of a server as one interface: the in-process server and the HTTP client are the same to who uses it. */
import type { Json } from '../kit/hash.js';
import type {
  CallRequest,
  ForkRequest,
  OpenedSession,
  OpenRequest,
  RecordKind,
  RegistryRecord,
  ServedVerdict,
  ServerInfo,
  SessionEvents,
  SessionInfo,
  SessionLedger,
  ToolStatistics,
  VerifyRequest,
} from './api.js';
import type { CallOutcome, SessionTool } from './tool-host.js';

export interface Once {
  /** Idempotency key: the same request under the same key has one effect and one answer. */
  key?: string;
  /** The name that a front gave the request, which it may send again: to whoever has the session then. Clients give none. */
  forwarded?: string;
}

export interface SessionFilter {
  run?: string;
  group?: string;
  status?: string;
  /** Only those opened after this session: the last one of the page before. */
  after?: string;
  /** At most so many, in the order of opening; absent: all. */
  limit?: number;
}

export interface StatisticsFilter {
  service?: string;
  tool?: string;
  run?: string;
  policyVersion?: string;
}

/** What changed since the initial state, as `diffStates` tells it, and one hash over all databases. */
export interface SessionState {
  hash: string;
  clock: number;
  changes: Record<string, Json>;
  files: string[];
}

/** Every method rejects with a TreadleError: `unknown_session`, `session_closed`, `session_paused`, `session_forked`, `at_capacity` ... */
export interface Trainer {
  info(): Promise<ServerInfo>;
  open(request: OpenRequest, once?: Once): Promise<OpenedSession>;
  session(id: string): Promise<SessionInfo>;
  /** In the order of opening. Throws `unknown_session` for an `after` that the server has forgotten. */
  sessions(filter?: SessionFilter): Promise<SessionInfo[]>;
  tools(id: string): Promise<SessionTool[]>;
  call(id: string, request: CallRequest): Promise<CallOutcome>;
  /** `count` new sessions from exactly this state, all or none. */
  fork(id: string, request?: ForkRequest, once?: Once): Promise<OpenedSession[]>;
  snapshot(id: string, once?: Once): Promise<{ snapshot: string; hash: string }>;
  restore(id: string, snapshot: string, once?: Once): Promise<SessionInfo>;
  dropSnapshot(id: string, snapshot: string, once?: Once): Promise<void>;
  reset(id: string, once?: Once): Promise<SessionInfo>;
  pause(id: string, once?: Once): Promise<SessionInfo>;
  resume(id: string, once?: Once): Promise<SessionInfo>;
  /** Freezes the final state and the ledger, which stay to be read until the server forgets them. Closing twice is allowed. */
  close(id: string, answer?: string): Promise<SessionInfo>;
  /** Runs the task's verifier on the state as it is, frozen as a whole while it runs. Throws `no_task` for a session without one. */
  verify(id: string, request?: VerifyRequest): Promise<ServedVerdict>;
  /** What became of the events of the session's scenario, and what was told of them. Throws `no_scenario`. */
  events(id: string): Promise<SessionEvents>;
  /** What is due of a scenario opened with `notices: 'control'`, to pass on; it counts as told from now on. Throws `no_scenario`. */
  takeNotices(id: string, once?: Once): Promise<Pick<SessionEvents, 'notices'>>;
  ledger(id: string): Promise<SessionLedger>;
  state(id: string): Promise<SessionState>;
  /** A service's database as a SQLite file. */
  image(id: string, service: string, which: 'initial' | 'final'): Promise<Uint8Array>;
  statistics(filter?: StatisticsFilter): Promise<ToolStatistics[]>;
  publish(kind: RecordKind, name: string, content: Json): Promise<RegistryRecord>;
  resolve(kind: RecordKind, reference: string): Promise<RegistryRecord>;
  read(kind: RecordKind, reference: string): Promise<Json>;
  records(kind: RecordKind, name?: string): Promise<RegistryRecord[]>;
  deprecate(kind: RecordKind, reference: string, because: string): Promise<RegistryRecord>;
}
