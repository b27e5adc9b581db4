/**
 * What a trainer asks of a server, the same in process and over HTTP (weft.txt 3.3.3). Requests and answers are zod schemas,
 * from which the REST door's OpenAPI document is made.
 */
import { z } from 'zod';
import { Fate, Notice } from '../artifacts/firing.js';
import { Name } from '../artifacts/table.js';
import { LedgerEntry } from '../artifacts/trace.js';
import { Verdict } from '../artifacts/verdict.js';
import { Hash } from '../artifacts/world.js';

const label = z.string().min(1).max(128);

/** Whose rollout this is; ledgers, statistics and metrics carry it. */
export const Labels = z.strictObject({
  run: label.optional(),
  step: z.number().int().min(0).optional(),
  group: label.optional(),
  policyVersion: label.optional(),
});

/** One version of a registry record, as a session holds it. */
export const Pin = z.strictObject({ name: z.string(), version: z.number().int().min(1), hash: Hash });

const reference = z.string().min(1).max(256);

/** Where what a scenario tells goes: into the agent's tool results, or to the trainer alone, who passes it on. */
export const NoticesTo = z.enum(['results', 'control']);

/** A task, or a world where there is none. References: `name`, `name@version` or a hash. */
export const OpenRequest = z.strictObject({
  task: reference.optional(),
  world: reference.optional(),
  /** A dynamic task: its static task is the session's, and its events happen in it. A session has one; more are refused. */
  scenario: z.union([reference, z.array(reference).min(1)]).optional(),
  /** `results` when absent. Only with a scenario. */
  notices: NoticesTo.optional(),
  /** Services of the world whose tools are offered; the task's, or all of them, when absent. */
  services: z.array(Name).min(1).optional(),
  /** Outside MCP servers of the registry that the session gets an instance of each. */
  servers: z.array(z.string()).optional(),
  /** A folder of the agent's own on the server's machine, for harnesses that run there. */
  sandbox: z.boolean().optional(),
  labels: Labels.optional(),
  /** Seconds without a call after which the session is closed; the server's default when absent. */
  idleSeconds: z.number().int().positive().max(604_800).optional(),
  /** Faults injected into its calls, in place of the server's own; none with an empty list. */
  faults: z
    .strictObject({
      /** `TOOL=P1@5%` and the like. */
      rules: z.array(z.string().max(256)).max(64),
      /** Same seed and same calls, same faults; absent: the server's, with the task and the session's number on it. */
      seed: z.string().min(1).max(256).optional(),
    })
    .optional(),
});

export const Pins = z.strictObject({
  world: Pin,
  task: Pin.optional(),
  verifier: Pin.optional(),
  scenario: Pin.optional(),
  services: z.record(Name, Pin),
  servers: z.record(Name, Pin),
});

/** `forked`: it became its branches and takes no calls. */
export const SessionStatus = z.enum(['open', 'paused', 'forked', 'closed']);
/** Where its state is: in use, compressed in memory, on this machine's disk, or in the blob store. */
export const Residence = z.enum(['active', 'parked', 'disk', 'stored']);

export const SessionInfo = z.strictObject({
  id: z.string(),
  status: SessionStatus,
  residence: Residence,
  pins: Pins,
  labels: Labels,
  /** The session this one was forked from. */
  parent: z.string().optional(),
  calls: z.number().int(),
  /** State-changing requests so far: calls, restores, pauses and the like. */
  seq: z.number().int(),
  /** Requests up to this one were acknowledged and then lost with their process; the next call is told so (`rolled_back`). */
  lost: z.number().int().optional(),
  /** Virtual time, unix seconds. */
  clock: z.number().int(),
  /** Outside servers that cannot be forked or snapshotted, and so neither can the session. */
  unforkable: z.array(Name),
  snapshots: z.array(z.string()),
  /** Folder of the agent's own, where one was asked for. */
  sandbox: z.string().optional(),
  /** Rules of the faults injected into its calls. */
  faults: z.array(z.string()).optional(),
  /** The scenario's notices are not put into results. */
  notices: z.literal('control').optional(),
});

/** Where an agent connects; `token` is shown here and never again. */
export const Connection = z.strictObject({ token: z.string(), url: z.string() });

export const OpenedSession = SessionInfo.extend({
  /** All of the session's tools. */
  ...Connection.shape,
  /** Each service alone. */
  services: z.record(Name, Connection),
  /** Base URL of its services' own HTTP API, by the same token: only where the server has one (`serve --rest`). */
  rest: z.string().optional(),
  /** The task's request. */
  brief: z.string().optional(),
});

export const ForkRequest = z.strictObject({
  count: z.number().int().min(1).max(1024).default(1),
  /** The session becomes its branches: it keeps its state for further forks and takes no more calls. */
  retire: z.boolean().optional(),
  labels: Labels.optional(),
});

export const CallRequest = z.strictObject({
  tool: z.string(),
  arguments: z.unknown().optional(),
  /** Names the call for retries; a second call of that name is answered and not run. */
  operation: z.string().min(1).max(256).optional(),
  /** Runs only where the session's `seq` is this one; else `wrong_seq` or `rolled_back`. */
  ifSeq: z.number().int().min(0).optional(),
});

export const VerifyRequest = z.strictObject({
  /** The agent's last message or submitted answer; at a stage of a composed task, its reply at the end of that stage. */
  answer: z.string().max(1_048_576).default(''),
  /** A stage of a composed task, by its node: only the stages up to and with it are judged, as the state is now. */
  at: Name.optional(),
  /** Replies at the ends of stages, by node, where they were given one by one; else `answer` holds them in numbered lines. */
  answers: z.record(Name, z.string().max(1_048_576)).optional(),
  /** Another version than the session's own. */
  verifier: z.string().optional(),
});

/** What one event that fired made of the task's checks; every other check was asked as it stands in the task. */
export const CheckRevision = z.strictObject({
  event: Name,
  retired: z.array(Name),
  replaced: z.array(Name),
  added: z.array(Name),
  /** Another answer is right now: of this milestone, or of the whole task. */
  answer: z.union([z.strictObject({ milestone: Name }), z.literal('task')]).optional(),
  /** Rows that it changed itself: the check that nothing else changed allows them. */
  rows: z.array(z.strictObject({ service: Name, table: Name, key: z.union([z.string(), z.number()]) })),
});

/** A verdict of a session with a scenario says what became of the checks, and by which event, in the order they fired. */
export const ServedVerdict = Verdict.extend({ revisions: z.array(CheckRevision).optional() });

/** What became of the events of a session's scenario, and what was told of them. */
export const SessionEvents = z.strictObject({
  session: z.string(),
  scenario: Pin,
  /** In the order in which they fired or were given up. */
  log: z.array(Fate),
  notices: z.array(Notice),
});

export const NoticesTaken = z.strictObject({ notices: z.array(Notice) });

export const CloseRequest = z.strictObject({ answer: z.string().max(1_048_576).optional() });

/** A ledger entry with what only the server knows: wall-clock milliseconds. */
export const ServedEntry = LedgerEntry.extend({ ms: z.number() });

export const SessionLedger = z.strictObject({
  session: z.string(),
  labels: Labels,
  pins: Pins,
  entries: z.array(ServedEntry),
});

export const Latency = z.strictObject({ p50: z.number(), p95: z.number(), p99: z.number(), max: z.number() });

/** How one version of a tool fared; `evolve` reads it. */
export const ToolStatistics = z.strictObject({
  service: z.string(),
  /** Content address of the service's definition. */
  serviceHash: z.string(),
  tool: z.string(),
  toolVersion: z.string(),
  labels: Labels,
  calls: z.number().int(),
  /** By whose fault the call failed. */
  failed: z.record(z.string(), z.number().int()),
  /** By error code. */
  codes: z.record(z.string(), z.number().int()),
  ms: Latency,
});

const count = z.number().int();

/** How the sessions of a server are kept; of several processes the sums, and of lag and lease the worst. */
export const KeepingFigures = z.strictObject({
  durability: z.enum(['none', 'call', 'disk']),
  /** Sessions that are kept, and those with requests that no savepoint holds yet. */
  kept: count,
  unsaved: count,
  /** Milliseconds that the oldest such request has waited. */
  savepointLagMs: count,
  /** Since the start; `fenced`: refused because another process owns the session. */
  savepoints: z.strictObject({ saved: count, fenced: count, failed: count, bytes: count }),
  log: z.strictObject({ bytes: count, segments: count, records: count }),
  leaseLeftMs: count,
  /** Sessions taken up from processes that died, those of them that lost calls, those that were lost, those that moved away, and those
   * whose savepoint cannot be had yet. */
  recoveries: z.strictObject({ recovered: count, rolledBack: count, lost: count, moved: count, missing: count }),
});

export const ServerInfo = z.strictObject({
  version: z.string(),
  /** By status. */
  sessions: z.record(z.string(), z.number().int()),
  /** By where their state is. */
  residence: z.record(z.string(), z.number().int()),
  capacity: z.number().int(),
  worlds: z.strictObject({ loaded: z.number().int(), known: z.number().int() }),
  rssMiB: z.number(),
  uptimeSeconds: z.number(),
  /** Absent where sessions end with the process. */
  keeping: KeepingFigures.optional(),
  /** Worlds and tasks are still being read ahead. */
  warming: z.literal(true).optional(),
  /** Why no session is opened now; absent when all is well. */
  refusing: z.string().optional(),
});

export const RecordKind = z.enum(['service', 'world', 'task', 'verifier', 'scenario', 'server']);
export const RegistryRecord = z.strictObject({
  kind: RecordKind,
  ...Pin.shape,
  deprecated: z.strictObject({ because: z.string() }).optional(),
});

export type NoticesTo = z.infer<typeof NoticesTo>;
export type CheckRevision = z.infer<typeof CheckRevision>;
export type ServedVerdict = z.infer<typeof ServedVerdict>;
export type SessionEvents = z.infer<typeof SessionEvents>;
export type Labels = z.infer<typeof Labels>;
export type Pin = z.infer<typeof Pin>;
export type Pins = z.infer<typeof Pins>;
export type OpenRequest = z.infer<typeof OpenRequest>;
export type SessionStatus = z.infer<typeof SessionStatus>;
export type Residence = z.infer<typeof Residence>;
export type SessionInfo = z.infer<typeof SessionInfo>;
export type Connection = z.infer<typeof Connection>;
export type OpenedSession = z.infer<typeof OpenedSession>;
export type ForkRequest = z.input<typeof ForkRequest>;
export type CallRequest = z.infer<typeof CallRequest>;
export type VerifyRequest = z.input<typeof VerifyRequest>;
export type ServedEntry = z.infer<typeof ServedEntry>;
export type SessionLedger = z.infer<typeof SessionLedger>;
export type ToolStatistics = z.infer<typeof ToolStatistics>;
export type KeepingFigures = z.infer<typeof KeepingFigures>;
export type ServerInfo = z.infer<typeof ServerInfo>;
export type RecordKind = z.infer<typeof RecordKind>;
export type RegistryRecord = z.infer<typeof RegistryRecord>;
export type { Verdict };
