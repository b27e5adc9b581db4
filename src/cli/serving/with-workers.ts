/** A corpus behind a front with workers: the front has the registry, each worker opens the corpus itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Corpus } from '../../corpus/corpus.js';
import { type PublishedCorpus, publishCorpus } from '../../corpus/publish.js';
import type { Json } from '../../kit/hash.js';
import { faultsOfEnvironment } from '../../serve/durable/faults/seeded.js';
import { type FrontData, openFrontData } from '../../serve/durable/front-data.js';
import { storeJobs } from '../../serve/durable/jobs/stored.js';
import { JobDesk } from '../../serve/jobs/desk.js';
import { serveJobs } from '../../serve/jobs/link.js';
import { parseOutsideSpec } from '../../serve/outside/spec.js';
import { openRegistry, type Registry } from '../../serve/registry/registry.js';
import type { WorkerCommand } from '../../serve/workers/front/worker.js';
import { serveWithWorkers, type WithWorkers, type WithWorkersOptions } from '../../serve/workers/serve.js';
import { type HouseOptions, publishServers } from './house.js';
import { planJob } from './jobs/plan.js';
import type { WorkerOrders } from './worker.js';

export interface FrontOptions
  extends HouseOptions,
    Pick<WithWorkersOptions, 'workers' | 'doors' | 'serves' | 'clock' | 'onFatal'> {
  warm: boolean;
  lean: boolean;
  /** Milliseconds of a worker's lease. */
  leaseMs?: number;
  /** Of the front; sessions open at once are in `limits`. */
  front?: WithWorkersOptions['limits'];
  /** This build's own worker when absent. */
  command?: WorkerCommand;
}

export interface Front {
  corpus: Corpus;
  registry: Registry;
  published: PublishedCorpus;
  served: WithWorkers;
  close(): Promise<void>;
}

/** The program of a worker, run as this process is. */
const ownWorker = (): WorkerCommand => {
  const program = fileURLToPath(new URL(`./worker-main${extname(import.meta.url)}`, import.meta.url));
  return { command: process.execPath, args: [...process.execArgv, program] };
};

const openDesk = ({ store, blobs }: FrontData, corpus: Corpus): Promise<JobDesk> =>
  JobDesk.open({ jobs: storeJobs(store), blobs, plan: (request) => planJob(corpus, request) });

/** Throws what opening the corpus, the data folder and the doors throws, and `worker_crashes`. */
export const openFront = async (options: FrontOptions): Promise<Front> => {
  const {
    dir,
    data,
    servers,
    limits,
    faults,
    warm,
    lean,
    doors,
    front,
    serves,
    command = ownWorker(),
    ...rest
  } = options;
  const { durability = 'none', blobs, diskReserve, leaseMs, onDefect } = options;
  const corpus = Corpus.open(dir);
  const check = (content: Json): Json => parseOutsideSpec(content) as unknown as Json;
  const registry = openRegistry({ server: check, ...(data === undefined ? {} : { folder: `${data}/registry` }) });
  const folder = data === undefined ? mkdtempSync(join(tmpdir(), 'treadle-workers-')) : join(resolve(data), 'workers');
  let store: FrontData | undefined;
  const leave = async (): Promise<void> => {
    await store?.close();
    registry.close();
    if (data === undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const faultPoints = faultsOfEnvironment(process.env);
    if (data !== undefined)
      store = await openFrontData({ folder: resolve(data), blobs, faults: faultPoints, onDefect });
    const published = publishCorpus(registry, corpus);
    publishServers(registry, servers);
    const jobs = store && (await openDesk(store, corpus));
    const { now: _, ...told } = limits;
    const orders: WorkerOrders = {
      dir: resolve(dir),
      folder,
      limits: told,
      warm,
      lean,
      ...(data === undefined
        ? {}
        : {
            keeping: {
              folder: resolve(data),
              durability,
              blobs: blobs ?? join(resolve(data), 'blobs'),
              ...(diskReserve === undefined ? {} : { diskReserve }),
              ...(leaseMs === undefined ? {} : { leaseMs }),
            },
          }),
      ...(faults ? { faults: { rules: faults.rules.map(({ text }) => text), seed: faults.seed } } : {}),
    };
    const served = await serveWithWorkers({
      ...rest,
      command,
      house: orders as unknown as Json,
      registry,
      ...(store ? { ownership: store.ownership, secret: store.secret, over: store.over } : {}),
      ...(jobs ? { jobs } : {}),
      serves: (worker) => {
        if (jobs) serveJobs(worker.rpc, jobs);
        serves?.(worker);
      },
      doors,
      ...(data === undefined ? {} : { contents: join(resolve(data), 'registry', 'contents') }),
      limits: { ...(limits.capacity === undefined ? {} : { capacity: limits.capacity }), ...front },
    });
    const close = async (): Promise<void> => {
      await served.close();
      await leave();
    };
    return { corpus, registry, published, served, close };
  } catch (thrown) {
    await leave();
    throw thrown;
  }
};
