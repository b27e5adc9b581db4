/** The trainer's REST API as data: what the door answers, what the client asks and what the OpenAPI document says. */
import { z } from 'zod';
import {
  CallRequest,
  CloseRequest,
  ForkRequest,
  NoticesTaken,
  OpenedSession,
  OpenRequest,
  RegistryRecord,
  ServedVerdict,
  ServerInfo,
  SessionEvents,
  SessionInfo,
  SessionLedger,
  ToolStatistics,
  VerifyRequest,
} from '../api.js';
import { JobInfo, JobItem, JobRequest } from '../jobs/request.js';
import type { Operation } from './handlers.js';
import * as shape from './shapes.js';

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** `/v1/sessions/{id}` */
  path: string;
  /** Also the handler's name. */
  operation: Operation;
  summary: string;
  /** Path parameters that are more than some text. */
  params?: z.ZodType;
  query?: z.ZodObject;
  /** The body; an absent one is read as `{}`. */
  request?: z.ZodType;
  /** A schema for JSON, a media type for bytes and text, nothing for 204. */
  answer?: z.ZodType | string;
  status: 200 | 201 | 204;
  /** Most bytes of the body where it is not the door's usual limit. */
  bodyBytes?: number;
  /** Needs no token. */
  open?: true;
}

const MiB = 1_048_576;
export const SQLITE = 'application/vnd.sqlite3';
export const METRICS = 'text/plain; version=0.0.4; charset=utf-8';

const get = (operation: Operation, path: string, summary: string, answer: Route['answer'], rest = {}): Route => ({
  method: 'GET',
  path,
  operation,
  summary,
  answer,
  status: 200,
  ...rest,
});

const post = (
  operation: Operation,
  path: string,
  summary: string,
  answer: Route['answer'],
  rest: Partial<Route> = {},
): Route => ({ method: 'POST', path, operation, summary, request: shape.Nothing, answer, status: 200, ...rest });

const SESSION = '/v1/sessions/{id}';
const JOB = '/v1/jobs/{id}';
const REGISTRY = '/v1/registry/{kind}';
const kind = { params: shape.KindParam };

export const ROUTES: readonly Route[] = [
  post('openSession', '/v1/sessions', 'Open a session of a task, a scenario or a world', OpenedSession, {
    request: OpenRequest,
    status: 201,
  }),
  get('listSessions', '/v1/sessions', 'Sessions, by label and status', z.array(SessionInfo), {
    query: shape.SessionsQuery,
  }),
  get('getSession', SESSION, 'One session', SessionInfo),
  { ...get('endSession', SESSION, 'Close a session; closing twice is allowed', SessionInfo), method: 'DELETE' },
  post('closeSession', `${SESSION}/close`, 'Close a session with the answer it ended in', SessionInfo, {
    request: CloseRequest,
    bodyBytes: 8 * MiB,
  }),
  post('forkSession', `${SESSION}/fork`, 'New sessions from exactly this state, all or none', z.array(OpenedSession), {
    request: ForkRequest,
    status: 201,
  }),
  post('takeSnapshot', `${SESSION}/snapshots`, 'Keep the state under a name', shape.SnapshotTaken, { status: 201 }),
  post('restoreSnapshot', `${SESSION}/snapshots/{snapshot}/restore`, 'Back to a snapshot', SessionInfo),
  {
    method: 'DELETE',
    path: `${SESSION}/snapshots/{snapshot}`,
    operation: 'dropSnapshot',
    summary: 'Forget a snapshot',
    status: 204,
  },
  post('resetSession', `${SESSION}/reset`, 'Back to the initial state', SessionInfo),
  post('pauseSession', `${SESSION}/pause`, 'Take no calls until resumed', SessionInfo),
  post('resumeSession', `${SESSION}/resume`, 'Take calls again', SessionInfo),
  post(
    'callTool',
    `${SESSION}/calls`,
    "Call a tool; an agent's mistake is an outcome, not an error",
    shape.CallOutcome,
    {
      request: CallRequest,
    },
  ),
  post('verifySession', `${SESSION}/verify`, "Run the task's verifier on the state as it is", ServedVerdict, {
    request: VerifyRequest,
    bodyBytes: 8 * MiB,
  }),
  get('getEvents', `${SESSION}/events`, "What became of a scenario's events, and what was told of them", SessionEvents),
  post('takeNotices', `${SESSION}/notices`, 'Take what a scenario has to tell, to pass it on', NoticesTaken),
  get('getLedger', `${SESSION}/ledger`, 'Every tool call so far', SessionLedger),
  get('getState', `${SESSION}/state`, 'What changed since the initial state', shape.SessionState),
  get('getTools', `${SESSION}/tools`, 'Tools that the session offers', z.array(shape.SessionTool)),
  get('getImage', `${SESSION}/images/{service}`, "A service's database as a SQLite file", SQLITE, {
    query: shape.ImageQuery,
  }),
  get('getStatistics', '/v1/statistics', 'How each version of each tool fared', z.array(ToolStatistics), {
    query: shape.StatisticsQuery,
  }),
  get('getInfo', '/v1/info', 'Sessions, capacity and memory of the server', ServerInfo),
  post('publishRecord', REGISTRY, 'Publish a version of a record', RegistryRecord, {
    ...kind,
    request: shape.PublishRequest,
    status: 201,
    bodyBytes: 32 * MiB,
  }),
  get('listRecords', REGISTRY, 'Records of a kind, or the versions of one name', z.array(RegistryRecord), {
    ...kind,
    query: shape.NameQuery,
  }),
  get('resolveRecord', `${REGISTRY}/resolve`, 'The version that a reference means', RegistryRecord, {
    ...kind,
    query: shape.ReferenceQuery,
  }),
  get('readRecord', `${REGISTRY}/content`, 'What a record holds', z.json(), { ...kind, query: shape.ReferenceQuery }),
  post('deprecateRecord', `${REGISTRY}/deprecate`, 'Say that a version should not be used any more', RegistryRecord, {
    ...kind,
    request: shape.DeprecateRequest,
  }),
  post('submitJob', '/v1/jobs', 'Leave work for the worker processes: rollouts, or tasks through the gate', JobInfo, {
    request: JobRequest,
    status: 201,
  }),
  get('listJobs', '/v1/jobs', 'Jobs, and how far they came', z.array(JobInfo)),
  get('getJob', JOB, 'How far a job came', JobInfo),
  get('getResults', `${JOB}/results`, 'Items of a job by the page, with what came of them', z.array(JobItem), {
    query: shape.PageQuery,
  }),
  {
    method: 'DELETE',
    path: JOB,
    operation: 'cancelJob',
    summary: 'Forget a job and all that it made',
    status: 204,
  },
  get('getHealth', '/health', 'Whether the server is up', shape.Health, { open: true }),
  get('getMetrics', '/metrics', 'Prometheus metrics', METRICS),
  get('getDocument', '/openapi.json', 'This document', z.record(z.string(), z.unknown())),
];
