/** A worker's side of what a front asks: the trainer's interface about its own sessions, and how it is doing. */
import { TreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import type { CallRequest, ForkRequest, OpenRequest, SessionInfo } from '../../api.js';
import type { Change } from '../../registry/log.js';
import { forkAs, openAs, retire } from '../../sessions/server/births.js';
import type { Grant } from '../../sessions/server/grants.js';
import { inProcess } from '../../sessions/server/in-process.js';
import { openedAgain } from '../../sessions/server/opened.js';
import type { SessionServer } from '../../sessions/server/session-server.js';
import type { Once, StatisticsFilter, Trainer } from '../../trainer.js';
import { failureText } from '../frames/failure.js';
import type { AdoptAsked, Adopted, Infos, InfosAsked, Released } from '../protocol.js';
import type { Answer, Rpc } from '../rpc/rpc.js';
import type { WorkerHouse } from './house.js';
import { KEPT_NOWHERE, type Outcomes } from './keeping.js';
import { type Counted, vitalsOf } from './report.js';

/** What the front passes on; all else of the interface it answers itself, or puts together. */
export const PASSED_ON = [
  'open',
  'session',
  'tools',
  'call',
  'fork',
  'snapshot',
  'restore',
  'dropSnapshot',
  'reset',
  'pause',
  'resume',
  'close',
  'verify',
  'events',
  'takeNotices',
  'ledger',
  'state',
  'image',
  // Of sessions that a front found under ids that it had chosen.
  'granted',
  'retire',
  'discard',
] as const satisfies readonly (keyof Trainer | BirthRequest)[];
type BirthRequest = 'granted' | 'retire' | 'discard';
export type PassedOn = (typeof PASSED_ON)[number];

/** They change a session, so one that is sent again must not be done twice: what comes last of their arguments names them. */
const NAMED: ReadonlySet<string> = new Set<PassedOn>([
  'snapshot',
  'restore',
  'dropSnapshot',
  'reset',
  'pause',
  'resume',
  'takeNotices',
]);

const withName = (args: readonly unknown[], forwarded: string | undefined): unknown[] => {
  const once = (args.at(-1) ?? {}) as Once;
  return [...args.slice(0, -1), forwarded === undefined ? once : { ...once, forwarded }];
};

/** Sessions that come to be, under ids that the front chose; undefined for every other request. */
const birth = async (
  server: SessionServer,
  method: PassedOn,
  args: readonly unknown[],
): Promise<{ value: unknown; admitted: number } | undefined> => {
  const [of, request, grants] = args;
  switch (method) {
    case 'open':
      return { value: await openAs(server, of as OpenRequest, request as Grant), admitted: 1 };
    case 'fork': {
      const made = await forkAs(server, of as string, request as ForkRequest, grants as Grant[]);
      return { value: made, admitted: made.length };
    }
    case 'granted':
      return { value: openedAgain(server, request as Grant), admitted: 0 };
    case 'retire':
      return { value: await retire(server, of as string), admitted: 0 };
    case 'discard':
      return { value: server.discard(of as string), admitted: 0 };
    default:
      return undefined;
  }
};

const unknown = (method: unknown): TreadleError =>
  new TreadleError({
    code: 'unknown_method',
    message: 'A worker does no such thing',
    value: String(method).slice(0, 80),
    fault: 'infrastructure',
  });

const called = async (server: SessionServer, id: string, request: CallRequest, forwarded: string | undefined) => {
  const { tool, arguments: args, operation, ifSeq } = request;
  return server.live(id).call(tool, args ?? {}, {
    ...(operation === undefined ? {} : { operation }),
    ...(ifSeq === undefined ? {} : { ifSeq }),
    ...(forwarded === undefined ? {} : { forwarded }),
  });
};

const fits = ({ labels, status }: SessionInfo, { filter }: InfosAsked): boolean =>
  (filter.run === undefined || labels.run === filter.run) &&
  (filter.group === undefined || labels.group === filter.group) &&
  (filter.status === undefined || status === filter.status);

const infoOrNull = (server: SessionServer, id: string, asked: InfosAsked): SessionInfo | null => {
  try {
    const info = server.live(id).info();
    return fits(info, asked) ? info : null;
  } catch (thrown) {
    if ((thrown as TreadleError).code === 'unknown_session') return null;
    throw thrown;
  }
};

const split = (outcomes: Outcomes) => {
  const done: string[] = [];
  const not: { session: string; why: Json }[] = [];
  for (const [session, why] of outcomes) {
    if (why) not.push({ session, why: JSON.parse(failureText(why)) as Json });
    else done.push(session);
  }
  return { done, not };
};

/** Answers the front from now on, and counts. */
export const answerFront = (rpc: Rpc, house: WorkerHouse, front: string, counted: Counted): void => {
  const { server, registry, keeping = KEPT_NOWHERE } = house;
  const trainer = inProcess(server);
  const asked = async (method: PassedOn, args: unknown[], name: string | undefined): Promise<Answer> => {
    const [id] = args;
    if (method === 'call') return { value: await called(server, id as string, args[1] as CallRequest, name) };
    const born = await birth(server, method, args);
    if (born) {
      counted.admitted += born.admitted;
      return { value: born.value };
    }
    const act = trainer[method as keyof Trainer].bind(trainer) as (...all: unknown[]) => Promise<unknown>;
    if (method === 'image') return { value: null, bytes: (await act(...args)) as Uint8Array };
    return { value: await act(...(NAMED.has(method) ? withName(args, name) : args)) };
  };
  rpc.handle('trainer', (params, { number }) => {
    const [method, ...args] = params as unknown[];
    if (!PASSED_ON.includes(method as PassedOn)) throw unknown(method);
    return asked(method as PassedOn, args, number === 0 ? undefined : `${front}.${number}`);
  });
  rpc.handle('infos', (params) => {
    const infos = params as InfosAsked;
    return { value: infos.ids.map((id) => infoOrNull(server, id, infos)) satisfies Infos };
  });
  rpc.handle('statistics', (params) => ({ value: server.statistics.parts(params as StatisticsFilter) }));
  rpc.handle('metrics', () => ({ value: vitalsOf(server, counted) }));
  rpc.handle('registry', (params, { bytes }) => {
    if (bytes.length > 0) registry.bytes.put(bytes);
    registry.apply(params as Change[]);
    return { value: true };
  });
  rpc.handle('adopt', async (params) => {
    const { done, not } = split(await keeping.adopt((params as AdoptAsked).sessions));
    return { value: { adopted: done, lost: not } satisfies Adopted };
  });
  rpc.handle('release', async (params) => {
    const { done, not } = split(await keeping.release((params as AdoptAsked).sessions));
    return { value: { released: done, kept: not } satisfies Released };
  });
};
