/** A world of a corpus folder for tests: MCP, forks and rows; no REST, since no document stands behind it. */
import { Corpus } from '../../corpus/corpus.js';
import { publishCorpus } from '../../corpus/publish.js';
import { TreadleError } from '../../errors.js';
import { nearNames } from '../../kit/near.js';
import { Callers } from '../../serve/face/callers.js';
import { controlOf } from '../../serve/face/control.js';
import { serveFace } from '../../serve/face/door.js';
import { fetchHandler } from '../../serve/face/fetch.js';
import { inOwnPath } from '../../serve/face/own-path.js';
import { plainProblem } from '../../serve/face/problem.js';
import type { FaceRequest, FaceResponse } from '../../serve/face/types.js';
import { openRegistry } from '../../serve/registry/registry.js';
import { SessionServer } from '../../serve/sessions/server/session-server.js';
import { Engine } from '../../world/state/engine.js';
import { type Served, TEST_LIMITS } from './served.js';

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

/** Throws what opening the folder throws, `unknown_world` and `cannot_listen`. */
export const serveBuilt = async (folder: string, wanted: string | undefined, port: number): Promise<Served> => {
  const corpus = Corpus.open(folder);
  const world = chosen(corpus.worlds(), wanted);
  const registry = openRegistry({});
  const { source } = publishCorpus(registry, corpus);
  const engine = await Engine.start();
  try {
    const partsOf = (hash: string) => source.partsOf(hash);
    const server = new SessionServer({ engine, registry, partsOf, limits: TEST_LIMITS });
    const callers = new Callers({ server, open: { world }, keys: [] });
    const control = controlOf(callers);
    const answer = (given: FaceRequest): FaceResponse | Promise<FaceResponse> => {
      const request = inOwnPath(given);
      if (control.takes(request.path)) return control.answer(request);
      const message = 'A world of a corpus has no API of its own; agents reach it over MCP';
      return plainProblem({ status: 404, code: 'unknown_path', message });
    };
    const door = await serveFace({ answer, port, unref: true });
    return {
      callers,
      origin: door.origin,
      operations: [],
      webhooks: undefined,
      fetch: fetchHandler(answer),
      close: async () => {
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
