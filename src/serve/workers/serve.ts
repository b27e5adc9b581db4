/** A server of several processes: this one has the doors, the registry and the way to every session; the workers have the sessions. */
import { randomBytes } from 'node:crypto';
import type { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { type Doors, type DoorsOptions, serveDoors } from '../doors.js';
import { type Clock, processClock } from '../durable/clock.js';
import type { Ownership } from '../durable/ownership/ownership.js';
import type { ServedJobs } from '../jobs/desk.js';
import type { Registry } from '../registry/registry.js';
import { granting } from '../sessions/server/grants.js';
import type { Trainer } from '../trainer.js';
import { frontDoor } from './front/agents.js';
import { Fleet } from './front/fleet.js';
import { frontMetrics } from './front/info.js';
import { FRONT_LIMITS, type FrontLimits } from './front/limits.js';
import { Router } from './front/router.js';
import { telling } from './front/telling.js';
import { routedTrainer } from './front/trainer.js';
import type { Worker, WorkerCommand } from './front/worker.js';
import { serveOwnership } from './ownership/remote.js';

export interface WithWorkersOptions {
  workers: number;
  command: WorkerCommand;
  /** What workers need to know to make their house; see `MakeHouse`. */
  house: Json;
  registry: Registry;
  /** Where the registry keeps contents; absent where it keeps them in memory. */
  contents?: string | undefined;
  doors: DoorsOptions;
  limits?: Partial<FrontLimits> | undefined;
  /** Who owns which session, when sessions outlive their worker: workers reach it over their link. */
  ownership?: Ownership | undefined;
  /** Of the data folder: what is opened under a key has its id and its tokens from both. Drawn when absent. */
  secret?: Uint8Array | undefined;
  /** Ids of sessions that were over before. */
  over?: readonly string[] | undefined;
  /** What else workers may ask of this process. */
  serves?: ((worker: Worker) => void) | undefined;
  /** Work that is left with this server; who works on it is `serves`'s to say. */
  jobs?: ServedJobs | undefined;
  clock?: Clock | undefined;
  onDefect: (error: TreadleError) => void;
  /** No worker is left and none can be started: the server is of no use any more. */
  onFatal: (error: TreadleError) => void;
}

export interface WithWorkers extends Doors {
  trainer: Trainer;
  fleet: Fleet;
  router: Router;
  /** Moves the sessions off one worker after another and starts each anew. Throws `cannot_move`. */
  rollWorkers(): Promise<void>;
}

/** Sessions of an earlier life of the server: known at once, and each with an owner as soon as a worker has taken it over. */
const recover = async (ownership: Ownership, router: Router, fleet: Fleet): Promise<void> => {
  // Their links went with the front that they had: they can ask for nothing, and write nothing that anybody reads.
  for (const { incarnation, dead } of await ownership.workers()) if (!dead) await ownership.bury(incarnation);
  const sessions = await ownership.sessions();
  fleet.moves.orphan(sessions.map(({ session }) => router.add(session, undefined)));
};

/** Throws what opening doors throws, and `worker_crashes`; then nothing listens and no process is left. */
export const serveWithWorkers = async (options: WithWorkersOptions): Promise<WithWorkers> => {
  const { registry, command, house, ownership, clock = processClock, onDefect, onFatal } = options;
  const { workers: count } = options;
  const limits = { ...FRONT_LIMITS, ...options.limits };
  const front = randomBytes(9).toString('base64url');
  const router = new Router(limits);
  for (const id of options.over ?? []) router.over(id);
  const refusedOpens: Record<string, number> = {};
  const tells = telling({ registry, contents: options.contents });
  let origin = '';
  const welcome = (worker: Worker) => {
    worker.rpc.onNotice('forgot', (ids) => {
      for (const id of ids as string[]) if (router.find(id)?.owner === worker) router.forget(id);
    });
    return tells.welcome(worker, { front, origin, house });
  };
  const made = (worker: Worker): void => {
    if (ownership) serveOwnership(worker.rpc, ownership);
    options.serves?.(worker);
  };
  const fleet = new Fleet({
    command,
    count,
    limits,
    clock,
    router,
    ownership,
    welcome,
    made,
    onDefect,
    onFatal,
  });
  tells.follow(fleet);
  const { capacity } = limits;
  const told = (): Promise<unknown> => tells.told(fleet);
  const births = granting(options.secret ?? randomBytes(32));
  const trainer = routedTrainer({ fleet, router, registry, told, capacity, refusedOpens, granting: births });
  const doors = await serveDoors(
    {
      trainer,
      agents: (door) => frontDoor(router, door),
      jobs: options.jobs,
      metrics: async (deferred) =>
        (await import('../ledger/metrics.js')).metricsText(
          await frontMetrics({ fleet, router, registry, capacity, refusedOpens }, deferred),
        ),
      found: (urlOf) => {
        origin = new URL(urlOf('')).origin;
      },
      onDefect,
    },
    options.doors,
  );
  const close = async (): Promise<void> => {
    await doors.close();
    await fleet.close();
  };
  try {
    if (ownership) await recover(ownership, router, fleet);
    await fleet.start();
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { ...doors, trainer, fleet, router, close, rollWorkers: () => fleet.roll() };
};
