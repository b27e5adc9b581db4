/** A world of a corpus folder for tests: MCP, forks and rows, and the API that its services were built from, where they were. */
import { Corpus } from '../../corpus/corpus.js';
import { faceSource } from '../../corpus/faces.js';
import { publishCorpus } from '../../corpus/publish.js';
import { refsOf } from '../../document/refs.js';
import { TreadleError } from '../../errors.js';
import { nearNames } from '../../kit/near.js';
import { Callers } from '../../serve/face/callers.js';
import { controlOf } from '../../serve/face/control.js';
import { serveFace } from '../../serve/face/door.js';
import type { FaceHooks } from '../../serve/face/face.js';
import { faultsOf } from '../../serve/face/faults/faults.js';
import { fetchHandler } from '../../serve/face/fetch.js';
import type { KeyPlace } from '../../serve/face/keys.js';
import { type Webhooks, webhooksFor } from '../../serve/face/webhooks/webhooks.js';
import { worldsAnswer } from '../../serve/face/worlds/answer.js';
import { type WorldApi, WorldApis } from '../../serve/face/worlds/apis.js';
import { openRegistry } from '../../serve/registry/registry.js';
import { SessionServer } from '../../serve/sessions/server/session-server.js';
import { Engine } from '../../world/state/engine.js';
import { webhookTarget } from './documents.js';
import { type Served, TEST_LIMITS } from './served.js';
import type { WorldOptions } from './types.js';

const chosen = (worlds: readonly string[], wanted: string | undefined): string => {
  const [first] = worlds;
  if (wanted !== undefined ? worlds.includes(wanted) : worlds.length === 1) return wanted ?? (first as string);
  throw new TreadleError({
    code: 'unknown_world',
    message: wanted === undefined ? `The folder has ${worlds.length} worlds` : 'The folder has no such world',
    value: wanted,
    next: `Give {corpus, world: '${nearNames(wanted ?? '', worlds)[0] ?? 'ID'}'}; it has ${worlds.slice(0, 8).join(', ') || 'none'}.`,
  });
};

/** A world has its rows already; and what is about its API needs one. */
const checkOptions = ({ data, overrides, faults, webhooks, strict }: WorldOptions, apis: readonly WorldApi[]): void => {
  const refused = (option: string, message: string, next: string): TreadleError =>
    new TreadleError({ code: 'not_for_a_world', message, value: option, next });
  const made = data !== undefined ? 'data' : overrides !== undefined ? 'overrides' : undefined;
  if (made !== undefined)
    throw refused(
      made,
      `A world that was built has its rows and tools: ${made} has no place there`,
      'Build it with them.',
    );
  const about = faults?.length ? 'faults' : webhooks !== undefined ? 'webhooks' : strict ? 'strict' : undefined;
  if (about !== undefined && apis.length === 0)
    throw refused(about, `The world has no API of its own for ${about} to be about`, 'Leave it out.');
  if (webhooks !== undefined && apis.flatMap(({ services }) => services).length > 1)
    throw refused('webhooks', 'Webhooks are told of one service, and several are behind this API', 'Leave it out.');
};

interface Hooked {
  hooks: FaceHooks;
  webhooks: Webhooks | undefined;
  end(): void;
}

/** Faults and webhooks, filled into `hooks`. */
const hooked = (
  hooks: FaceHooks,
  corpus: Corpus,
  world: string,
  apis: readonly WorldApi[],
  options: WorldOptions,
): Hooked => {
  const operations = apis.flatMap(({ rest }) => rest.operations);
  const { faults: rules = [] } = options;
  const faults = rules.length > 0 ? faultsOf({ rules, operations, seed: String(options.seed ?? 1) }) : undefined;
  const services = apis.flatMap((api) => api.services);
  const [api] = apis;
  const spec = corpus.readDescription(world).services.find(({ id }) => id === services[0]);
  let webhooks: Webhooks | undefined;
  if (api && spec && services.length === 1) {
    const { root, version } = api.document;
    const document = { root, refs: refsOf(root), version };
    webhooks = webhooksFor({ ...webhookTarget(options.webhooks), document, operations, spec, seed: api.hash });
  }
  const told = webhooks;
  if (faults || told)
    hooks.before = (event) => {
      told?.before(event);
      return faults?.strike(event);
    };
  if (told) hooks.after = (event) => told.after(event);
  const end = (): void => {
    faults?.close();
    told?.close();
  };
  return { hooks, webhooks, end };
};

/** Throws what opening the folder, its faces and documents throws, `unknown_world`, `not_for_a_world` and `cannot_listen`. */
export const serveBuilt = async (
  folder: string,
  wanted: string | undefined,
  options: WorldOptions = {},
): Promise<Served> => {
  const corpus = Corpus.open(folder);
  const world = chosen(corpus.worlds(), wanted);
  const registry = openRegistry({});
  const { source, idOf } = publishCorpus(registry, corpus);
  const engine = await Engine.start();
  try {
    const partsOf = (hash: string) => source.partsOf(hash);
    const server = new SessionServer({ engine, registry, partsOf, limits: TEST_LIMITS });
    const keys: KeyPlace[] = [];
    const callers = new Callers({ server, open: { world }, keys });
    const hooks: FaceHooks = {};
    const strict = options.strict === true;
    const all = new WorldApis({ source: faceSource(corpus, idOf), server, callers, strict, hooks });
    const { hash } = registry.resolve('world', world);
    const apis = all.of(hash);
    keys.push(...all.keysOf(hash));
    checkOptions(options, apis);
    const { webhooks, end } = hooked(hooks, corpus, world, apis, options);
    const answer = worldsAnswer({ apis: all, callers, world: hash, control: controlOf(callers, webhooks) });
    const door = await serveFace({ answer, port: options.port ?? 0, unref: true });
    return {
      callers,
      origin: door.origin,
      operations: apis.flatMap(({ rest }) => rest.operations),
      webhooks,
      fetch: fetchHandler(answer),
      close: async () => {
        end();
        await door.close();
        await server.shutDown();
        registry.close();
        engine.close();
      },
    };
  } catch (thrown) {
    registry.close();
    engine.close();
    throw thrown;
  }
};
