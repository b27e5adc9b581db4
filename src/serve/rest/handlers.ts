/** What each operation does: one call of the trainer. What they are given was checked against the route's schemas. */
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { CallRequest, ForkRequest, OpenedSession, OpenRequest, RecordKind, VerifyRequest } from '../api.js';
import type { ServedJobs } from '../jobs/desk.js';
import type { JobRequest } from '../jobs/request.js';
import type { Once, SessionFilter, StatisticsFilter, Trainer } from '../trainer.js';

export interface Behind {
  trainer: Trainer;
  metrics: (() => Promise<string> | string) | undefined;
  jobs: ServedJobs | undefined;
  document(): object;
}

export interface Asked {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: unknown;
  once: Once | undefined;
}

type Handler = (behind: Behind, asked: Asked) => unknown;

/** A handler about one session, whose id is in the path. */
const about =
  (act: (trainer: Trainer, id: string, asked: Asked) => unknown): Handler =>
  ({ trainer }, asked) =>
    act(trainer, asked.params.id!, asked);

const kindOf = ({ params }: Asked): RecordKind => params.kind as RecordKind;

const noMetrics = (): TreadleError =>
  new TreadleError({
    code: 'unknown_metrics',
    message: 'This server keeps no metrics',
    next: 'Read /v1/info and /v1/statistics instead.',
  });

const noJobs = (): TreadleError =>
  new TreadleError({
    code: 'no_jobs',
    message: 'This server takes no jobs: it has no worker processes, or nowhere to keep what they make',
    next: 'Start it with --workers 2 --data DIR.',
  });

const needed = ({ jobs }: Behind): ServedJobs => {
  if (jobs === undefined) throw noJobs();
  return jobs;
};

export const HANDLERS = {
  openSession: ({ trainer }, { body, once }) => trainer.open(body as OpenRequest, once),
  listSessions: ({ trainer }, { query }) => trainer.sessions(query as SessionFilter),
  getSession: about((trainer, id) => trainer.session(id)),
  endSession: about((trainer, id) => trainer.close(id)),
  closeSession: about((trainer, id, { body }) => trainer.close(id, (body as { answer?: string }).answer)),
  forkSession: about((trainer, id, { body, once }) => trainer.fork(id, body as ForkRequest, once)),
  takeSnapshot: about((trainer, id, { once }) => trainer.snapshot(id, once)),
  restoreSnapshot: about((trainer, id, { params, once }) => trainer.restore(id, params.snapshot!, once)),
  dropSnapshot: about((trainer, id, { params, once }) => trainer.dropSnapshot(id, params.snapshot!, once)),
  resetSession: about((trainer, id, { once }) => trainer.reset(id, once)),
  pauseSession: about((trainer, id, { once }) => trainer.pause(id, once)),
  resumeSession: about((trainer, id, { once }) => trainer.resume(id, once)),
  callTool: about((trainer, id, { body, once }) => {
    const request = body as CallRequest;
    // The session remembers its calls for longer than the door remembers keys.
    const operation = request.operation ?? once?.key;
    return trainer.call(id, operation === undefined ? request : { ...request, operation });
  }),
  verifySession: about((trainer, id, { body }) => trainer.verify(id, body as VerifyRequest)),
  getEvents: about((trainer, id) => trainer.events(id)),
  takeNotices: about((trainer, id, { once }) => trainer.takeNotices(id, once)),
  getLedger: about((trainer, id) => trainer.ledger(id)),
  getState: about((trainer, id) => trainer.state(id)),
  getTools: about((trainer, id) => trainer.tools(id)),
  getImage: about((trainer, id, { params, query }) =>
    trainer.image(id, params.service!, query.which as 'initial' | 'final'),
  ),
  getStatistics: ({ trainer }, { query }) => trainer.statistics(query as StatisticsFilter),
  getInfo: ({ trainer }) => trainer.info(),
  publishRecord: ({ trainer }, asked) => {
    const { name, content } = asked.body as { name: string; content: Json };
    return trainer.publish(kindOf(asked), name, content);
  },
  listRecords: ({ trainer }, asked) => trainer.records(kindOf(asked), asked.query.name),
  resolveRecord: ({ trainer }, asked) => trainer.resolve(kindOf(asked), asked.query.reference!),
  readRecord: ({ trainer }, asked) => trainer.read(kindOf(asked), asked.query.reference!),
  deprecateRecord: ({ trainer }, asked) => {
    const { reference, because } = asked.body as { reference: string; because: string };
    return trainer.deprecate(kindOf(asked), reference, because);
  },
  submitJob: (behind, { body, once }) => needed(behind).submit(body as JobRequest, once),
  listJobs: (behind) => needed(behind).jobs(),
  getJob: (behind, { params }) => needed(behind).job(params.id!),
  getResults: (behind, { params, query }) =>
    needed(behind).results(params.id!, query as { after?: string; limit?: number }),
  cancelJob: (behind, { params }) => needed(behind).cancel(params.id!),
  getHealth: () => ({ status: 'ok' }),
  getMetrics: ({ metrics }) => {
    if (metrics === undefined) throw noMetrics();
    return metrics();
  },
  getDocument: ({ document }) => document(),
} satisfies Record<string, Handler>;

export type Operation = keyof typeof HANDLERS;

/** Sessions that an answer nobody received leaves without an owner. */
export const orphansOf = (operation: Operation, made: unknown): string[] => {
  if (operation === 'openSession') return [(made as OpenedSession).id];
  return operation === 'forkSession' ? (made as OpenedSession[]).map(({ id }) => id) : [];
};
