/** treadle serve DIR --rest: the sessions of a corpus as the HTTP APIs that their worlds were made from, beside MCP. */
import type { Corpus } from '../../corpus/corpus.js';
import { faceSource, listFaces, readDocumentOf, readFace } from '../../corpus/faces.js';
import { TreadleError } from '../../errors.js';
import { Callers } from '../../serve/face/callers.js';
import { controlOf } from '../../serve/face/control.js';
import { serveFace } from '../../serve/face/door.js';
import type { KeyPlace } from '../../serve/face/keys.js';
import { sharedPaths, worldsAnswer } from '../../serve/face/worlds/answer.js';
import { type WorldApi, WorldApis } from '../../serve/face/worlds/apis.js';
import { warn } from '../ui.js';
import type { House } from './house.js';

export interface RestDoorOptions {
  host: string;
  restPort: number;
  allowHost: readonly string[];
  strict: boolean;
  needsKey: boolean;
  control: boolean;
  /** Whose forks callers without a trainer's token get; absent: such callers are refused. */
  world: string | undefined;
}

export interface ServedRest {
  url: string;
  /** Of the world whose forks callers get. */
  apis: readonly WorldApi[];
  /** For a person. */
  lines: readonly string[];
  close(): Promise<void>;
}

const noFace = (worlds: readonly string[]): TreadleError =>
  new TreadleError({
    code: 'no_face',
    message:
      worlds.length === 1
        ? 'The world was not built from an API document, or by a Treadle that did not keep it'
        : 'No world here was built from an API document, or by a Treadle that did not keep it',
    value: worlds.slice(0, 4).join(', '),
    next: 'Build it again from its document: treadle build api.yaml --out DIR. Without --rest it is served to agents over MCP.',
  });

/** Every face and document once, against its address. Throws `changed_file`, `missing_file` and the like. */
const checkAll = (corpus: Corpus, faces: ReadonlySet<string>): void => {
  const documents = new Set([...faces].map((hash) => readFace(corpus, hash).document));
  for (const hash of documents) readDocumentOf(corpus, hash);
};

const apiLine = ({ title, services, rest }: WorldApi): string => {
  const bound = rest.operations.filter(({ binding }) => binding !== undefined).length;
  return `${title || services[0]}: ${bound} of ${rest.operations.length} operations keep state (${services.join(', ')})`;
};

const MOST_SHOWN = 5;

const sharedLines = (apis: readonly WorldApi[]): string[] => {
  const shared = sharedPaths(apis);
  const more = shared.length > MOST_SHOWN ? [`and ${shared.length - MOST_SHOWN} more paths that two APIs have`] : [];
  return [
    ...shared
      .slice(0, MOST_SHOWN)
      .map(({ operation, first, below }) => `${operation} is ${first}'s; that of ${below} is below /${below}`),
    ...more,
  ];
};

/** Throws `no_face`, what reading faces and documents throws, and `cannot_listen`. Sessions say their base URL from now on. */
export const openRest = async (
  house: House,
  worlds: readonly string[],
  options: RestDoorOptions,
): Promise<ServedRest> => {
  const { corpus, server, registry, published } = house;
  const { host, restPort, allowHost, strict, needsKey, control, world } = options;
  const listed = worlds.map((id) => Object.values(listFaces(corpus, id)));
  if (listed.every((faces) => faces.length === 0)) throw noFace(worlds);
  checkAll(corpus, new Set(listed.flat()));
  const keys: KeyPlace[] = [];
  const callers = new Callers({ server, keys, ...(world === undefined ? {} : { open: { world } }) });
  const onDefect = server.options.onDefect;
  const apis = new WorldApis({
    source: faceSource(corpus, published.idOf),
    server,
    callers,
    strict,
    needsKey,
    ...(onDefect ? { onDefect } : {}),
  });
  const hash = world === undefined ? undefined : registry.resolve('world', world).hash;
  if (hash !== undefined) keys.push(...apis.keysOf(hash));
  const answer = worldsAnswer({
    apis,
    callers,
    world: hash,
    control: control ? controlOf(callers) : undefined,
    onDefect,
  });
  const door = await serveFace({ answer, host, port: restPort, allowed: { hosts: [...allowHost] } });
  server.restOf = ({ pins, services }) =>
    apis.servicesOf(pins.world.hash).some((id) => services.includes(id)) ? door.origin : undefined;
  const own = hash === undefined ? [] : apis.of(hash);
  for (const api of own)
    for (const { operation, hiddenBy } of api.rest.router.collisions().slice(0, MOST_SHOWN))
      warn(`${operation} is never reached: ${hiddenBy} answers in its place`);
  const without = listed.filter((faces) => faces.length === 0).length;
  const lines = [
    ...own.map(apiLine),
    ...sharedLines(own),
    ...(without > 0 ? [`${without} of ${worlds.length} worlds have no API: their sessions are reached over MCP`] : []),
    world === undefined
      ? 'as the API each world was made from, with the token of a session'
      : 'with the token of a session; a key of your own, or x-treadle-session: NAME, is a fork of your own',
  ];
  return { url: door.origin, apis: own, lines, close: () => door.close() };
};
