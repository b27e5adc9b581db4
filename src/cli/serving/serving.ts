/** A server from its start to its stop, whether one process has all of it or workers have the sessions. */
import type { PublishedCorpus } from '../../corpus/publish.js';
import { asTreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { OpenedSession, OpenRequest } from '../../serve/api.js';
import type { Doors, DoorsOptions } from '../../serve/doors.js';
import type { Durability } from '../../serve/durable/session/durability.js';
import type { TakenUp } from '../../serve/durable/session/house-keeping.js';
import { serveMegaMcp } from '../../serve/megamcp.js';
import { inProcess } from '../../serve/sessions/server/in-process.js';
import type { Trainer } from '../../serve/trainer.js';
import { type Life, lifeOf } from '../../serve/workers/supervisor/life.js';
import { supervise } from '../../serve/workers/supervisor/supervisor.js';
import { type Ui, warn } from '../ui.js';
import { clientLines, sayHowToConnect } from './connect.js';
import type { House, HouseOptions } from './house.js';
import type { ServedRest } from './rest.js';
import { countOutcomes, takenLine } from './taken.js';
import { warmUp } from './warm-up.js';
import { openFront } from './with-workers.js';

export interface ServeOptions {
  world?: string;
  task?: string;
  scenario?: string;
  stdio?: boolean;
  host: string;
  port: number;
  adminPort: number;
  openenvPort?: number;
  gymPort?: number;
  gymToken?: string;
  sessions: number;
  capacity: number;
  idle: number;
  resting: number[];
  data?: string;
  durable: Durability;
  workers: number;
  blobs?: string;
  diskReserve: number;
  server: string[];
  allowHost: string[];
  warm: boolean;
  lean?: boolean;
  fault: string[];
  faultSeed: string;
  json?: boolean;
  /** Sessions also answer as the HTTP APIs that their worlds were made from. */
  rest?: boolean;
  restPort: number;
  strict?: boolean;
  needsKey?: boolean;
  tokensOnly?: boolean;
  control: boolean;
}

/** Whoever serves, as the command sees it. */
export interface Serving {
  doors: Doors;
  trainer: Trainer;
  published: PublishedCorpus;
  taken?: TakenUp | undefined;
  rest?: ServedRest;
  /** It was served before, by a process that was killed: who connects knows where. */
  isBack: boolean;
  /** Reads ahead until it is over. */
  warm?: (isOver: () => boolean) => Promise<void>;
  /** Restarts its workers one after another. */
  roll?: () => Promise<void>;
  /** It cannot go on by itself. */
  broken?: Promise<never>;
  close(): Promise<void>;
}

/** What the sessions opened at the start are of. */
export const requestOf = ({ world, task, scenario }: ServeOptions, first: string): OpenRequest => {
  if (task === undefined && scenario === undefined) return { world: world ?? first };
  const named = (id: string): string => (world === undefined || id.includes('/') ? id : `${world}/${id}`);
  return {
    ...(task === undefined ? {} : { task: named(task) }),
    ...(scenario === undefined ? {} : { scenario: named(scenario) }),
    ...(world ? { world } : {}),
  };
};

/** Where the life before listened, and by which token; a front that is started again is found where it was. */
interface Found {
  port: number;
  adminPort: number;
  openenvPort?: number;
  gymPort?: number;
  token: string;
}

const portOf = (url: string): number => Number(new URL(url).port);

const foundOf = ({ url, trainers, openEnv, nemoGym }: Doors): Found => ({
  port: portOf(url),
  adminPort: portOf(trainers.url),
  ...(openEnv === undefined ? {} : { openenvPort: portOf(openEnv) }),
  ...(nemoGym === undefined ? {} : { gymPort: portOf(nemoGym) }),
  token: trainers.token,
});

const doorsOf = (options: ServeOptions, before?: Found): DoorsOptions => {
  const { host, openenvPort, gymPort, gymToken, port, adminPort, allowHost } = options;
  const gym = gymToken === undefined ? {} : { token: gymToken };
  const admin = before?.token ?? process.env.TREADLE_ADMIN_TOKEN;
  return {
    agents: { host, port: before?.port ?? port },
    trainers: { port: before?.adminPort ?? adminPort, ...(admin ? { token: admin } : {}) },
    ...(openenvPort === undefined ? {} : { openEnv: { host, port: before?.openenvPort ?? openenvPort, ...gym } }),
    ...(gymPort === undefined ? {} : { nemoGym: { host, port: before?.gymPort ?? gymPort, ...gym } }),
    allowed: { hosts: allowHost },
  };
};

/** Loaded where it is asked for. */
const restOf = async (house: House, options: ServeOptions, worlds: readonly string[]): Promise<ServedRest> => {
  const { host, restPort, allowHost, strict = false, needsKey = false, control } = options;
  const world = worlds.length === 1 && !options.tokensOnly ? worlds[0] : undefined;
  const { openRest } = await import('./rest.js');
  return openRest(house, worlds, { host, restPort, allowHost, strict, needsKey, control, world });
};

export const byOneProcess = async (
  house: House,
  options: ServeOptions,
  worlds: readonly string[],
): Promise<Serving> => {
  const rest = options.rest ? await restOf(house, options, worlds) : undefined;
  const doors = await serveMegaMcp({ server: house.server, ...doorsOf(options) }).catch(async (thrown: unknown) => {
    await rest?.close();
    throw thrown;
  });
  return {
    doors,
    ...(rest ? { rest } : {}),
    trainer: inProcess(house.server),
    published: house.published,
    taken: house.taken,
    isBack: false,
    warm: (isOver) => warmUp(house, { isOver, isBusy: doors.isBusy }),
    close: async () => {
      await Promise.all([doors.close(), rest?.close()]);
    },
  };
};

/** Whose supervisor is gone has nobody to start it again, and nobody who would stop it. */
const stopAlone = (): void => void process.kill(process.pid, 'SIGTERM');

export const byWorkers = async (common: HouseOptions, options: ServeOptions): Promise<Serving> => {
  const life: Life | undefined = await lifeOf(stopAlone);
  const before = (life?.before ?? undefined) as Found | undefined;
  let fail: (why: unknown) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  broken.catch(() => undefined);
  const front = await openFront({
    ...common,
    workers: options.workers,
    doors: doorsOf(options, before),
    warm: options.warm,
    lean: options.lean === true,
    onFatal: (error) => fail(error),
  });
  life?.keep(foundOf(front.served) as unknown as Json);
  return {
    doors: front.served,
    trainer: front.served.trainer,
    published: front.published,
    isBack: before !== undefined,
    roll: () => front.served.rollWorkers(),
    broken,
    close: () => front.close(),
  };
};

/**
 * True where this process supervises one like itself: it has then ended, with its code as the exit code. The front that it starts is
 * told apart by the channel between them.
 */
export const supervised = async (): Promise<boolean> => {
  if (process.send !== undefined) return false;
  const [, program = '', ...args] = process.argv;
  const front = supervise({
    command: process.execPath,
    args: [...process.execArgv, program, ...args],
    onDefect: (error) => warn(`server: ${error.line()}`),
  });
  const stop = (): void => void front.stop();
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', () => {
    if (front.pid !== undefined) process.kill(front.pid, 'SIGHUP');
  });
  process.exitCode = await front.ended;
  return true;
};

/** What became of the sessions of servers before. */
const sayTaken = (ui: Ui, { taken }: Serving): void => {
  if (!taken) return;
  const said = takenLine(countOutcomes(taken.sessions));
  if (said) ui.say(said);
  for (const { folder, segment, offset, why } of taken.damage)
    warn(`log ${folder}/${segment}, byte ${offset}: ${why}; sessions that it was needed for are told what they lost`);
};

const openAtStart = async ({ trainer }: Serving, options: ServeOptions, first: string): Promise<OpenedSession[]> => {
  const sessions: OpenedSession[] = [];
  const request = requestOf(options, first);
  for (let n = 0; n < options.sessions; n++) sessions.push(await trainer.open(request));
  return sessions;
};

const sayServing = (
  ui: Ui,
  serving: Serving,
  sessions: OpenedSession[],
  options: ServeOptions,
  first: string,
): void => {
  const { doors, published, taken, rest } = serving;
  const { worlds, tasks, scenarios } = published;
  const name = sessions[0]?.pins.world.name ?? first;
  ui.give({
    url: doors.url,
    adminUrl: doors.trainers.url,
    adminToken: doors.trainers.token,
    ...(doors.openEnv ? { openEnvUrl: doors.openEnv } : {}),
    ...(doors.nemoGym ? { gymUrl: doors.nemoGym } : {}),
    ...(rest ? { restUrl: rest.url } : {}),
    worlds,
    tasks,
    scenarios,
    ...(options.workers > 1 ? { workers: options.workers } : {}),
    ...(taken ? { recovered: countOutcomes(taken.sessions) } : {}),
    sessions,
    ...(sessions[0] ? { clients: clientLines(name, sessions[0]) } : {}),
  });
  const title = options.scenario ?? options.task ?? name;
  sayHowToConnect(ui, { title, name, counts: { worlds, tasks, scenarios }, served: doors, rest, sessions });
};

/** Until it is told to stop. Throws why it cannot go on. */
export const serveAll = async (serving: Serving, options: ServeOptions, first: string, ui: Ui): Promise<void> => {
  let isOver = false;
  const stopped = new Promise<void>((resolve) => {
    const stop = (): void => {
      isOver = true;
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
  const { roll } = serving;
  if (roll)
    process.on('SIGHUP', () => {
      roll().then(
        () => warn('server: all workers were started anew'),
        (thrown: unknown) => warn(`server: ${asTreadleError(thrown, 'infrastructure').line()}`),
      );
    });
  try {
    if (!serving.isBack) {
      const sessions = await openAtStart(serving, options, first);
      sayTaken(ui, serving);
      sayServing(ui, serving, sessions, options, first);
    }
    const warm = options.warm && serving.warm ? [serving.warm(() => isOver).then(() => stopped)] : [];
    await Promise.race([stopped, ...warm, ...(serving.broken ? [serving.broken] : [])]);
  } finally {
    isOver = true;
    await serving.close();
  }
};
