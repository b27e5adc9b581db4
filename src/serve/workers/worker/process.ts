/**
 * A worker's process: it was started by a front, which is at the other end of file descriptor 3, makes its house, and serves until
 * that end closes. Signals are the front's to hear: a worker ends when its link does.
 */
import { Socket } from 'node:net';
import { asTreadleError, TreadleError } from '../../../errors.js';
import { ownIdentity } from '../../mcp/identity.js';
import { failureText } from '../frames/failure.js';
import { Link } from '../frames/link.js';
import type { Ready, Welcome } from '../protocol.js';
import { Rpc } from '../rpc/rpc.js';
import type { MakeHouse, WorkerHouse } from './house.js';
import { KEPT_NOWHERE } from './keeping.js';
import { type Counted, forgottenIn, reportOf } from './report.js';
import { answerFront } from './requests.js';
import { visitsTo } from './visits.js';

/** The descriptor on which a worker finds its front, and the variable that holds its name. */
export const FRONT_FD = 3;
export const NAME_VARIABLE = 'TREADLE_WORKER';

const REPORT_MS = 1_000;

const notAWorker = (): TreadleError =>
  new TreadleError({
    code: 'not_a_worker',
    message: 'This is a process that a serving front starts',
    next: 'Run treadle serve --workers N.',
  });

/** Ends what it has, whatever fails on the way. */
const end = async (house: WorkerHouse): Promise<void> => {
  await (house.keeping ?? KEPT_NOWHERE).flush();
  await house.close();
};

const serve = (rpc: Rpc, house: WorkerHouse, { front, origin }: Welcome, isOver: () => boolean): void => {
  const { server } = house;
  server.urlOf = (id, service) => `${origin}/s/${id}${service === undefined ? '' : `/${service}`}/mcp`;
  const visits = visitsTo(server, front);
  const counted: Counted = { deferred: () => visits.queue.length, admitted: 0 };
  rpc.onVisit(visits.handler);
  answerFront(rpc, house, front, counted);
  const forgotten = forgottenIn(server);
  setInterval(() => {
    if (isOver()) return;
    rpc.notify('report', reportOf(server, counted));
    const gone = forgotten();
    if (gone.length > 0) rpc.notify('forgot', gone);
  }, REPORT_MS).unref();
  if (house.warm) void house.warm({ isOver, isBusy: () => counted.deferred() > 0 });
};

/** Resolves when the worker has ended and its process may. Throws `not_a_worker` where no front is there. */
export const runWorker = async (make: MakeHouse): Promise<void> => {
  const name = process.env[NAME_VARIABLE];
  if (name === undefined) throw notAWorker();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // Reading is held back while the front does not read what it is told; the front never holds back, so neither waits for ever.
  const rpc = new Rpc(new Link(new Socket({ fd: FRONT_FD, readable: true, writable: true }), { holdsBack: true }));
  let isOver = false;
  const closed = new Promise<void>((resolve) =>
    rpc.onClosed(() => {
      isOver = true;
      resolve();
    }),
  );
  let house: WorkerHouse;
  try {
    const { value } = await rpc.request('hello', { name, pid: process.pid, version: ownIdentity().version });
    const welcome = value as Welcome;
    house = await make(name, welcome, rpc);
    serve(rpc, house, welcome, () => isOver);
    let ending: Promise<void> | undefined;
    rpc.handle('stop', async () => {
      isOver = true;
      ending ??= end(house);
      await ending;
      return { value: true };
    });
    await rpc.request('ready', { incarnation: house.incarnation } satisfies Ready);
    await closed;
    ending ??= end(house);
    await ending;
  } catch (thrown) {
    // A front that is gone while its worker was made has nobody to tell.
    if (rpc.isClosed) return;
    rpc.notify('failed', JSON.parse(failureText(asTreadleError(thrown, 'infrastructure'))));
    rpc.link.end();
    throw thrown;
  }
};
