/** Requests of callers whose sessions may be of different worlds: each is answered by the API of its own session's world. */
import { asTreadleError, type TreadleError } from '../../../errors.js';
import type { Maybe } from '../../sessions/server/turns.js';
import type { Callers } from '../callers.js';
import type { Control } from '../control.js';
import { inOwnPath } from '../own-path.js';
import { plainProblem } from '../problem.js';
import { saidBy } from '../request/said.js';
import { ofThrown } from '../thrown.js';
import type { FaceRequest, FaceResponse } from '../types.js';
import type { WorldApi, WorldApis } from './apis.js';

export interface WorldsAnswerOptions {
  apis: WorldApis;
  callers: Callers;
  /** Content address of the world that callers without a trainer's token get forks of. */
  world?: string | undefined;
  control?: Control | undefined;
  onDefect?: ((error: TreadleError) => void) | undefined;
}

const noFace = (): FaceResponse =>
  plainProblem({
    status: 404,
    code: 'no_face',
    message: 'No service of this session has an API of its own; agents reach it over MCP',
  });

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The API that a request is for: of several the first that has the path, else the one whose service the path begins with. */
const chosen = (
  apis: readonly WorldApi[],
  request: FaceRequest,
  isAlone: boolean,
): { api: WorldApi; request: FaceRequest } | undefined => {
  const [only] = apis;
  if (isAlone || !only) return only && { api: only, request };
  const said = saidBy(request);
  const has = ({ rest }: WorldApi): boolean => rest.router.find(request.method, request.path, said) !== undefined;
  const api = apis.find(has);
  if (api) return { api, request };
  const end = request.path.indexOf('/', 1);
  const first = decoded(request.path.slice(1, end < 0 ? undefined : end));
  const below = apis.find(({ services }) => services.includes(first));
  if (!below) return { api: only, request };
  const cut = end < 0 ? request.path.length : end;
  return {
    api: below,
    request: {
      ...request,
      path: request.path.slice(cut) || '/',
      origin: request.origin + request.path.slice(0, cut),
    },
  };
};

/** Never throws and never rejects. */
export const worldsAnswer = ({ apis, callers, world, control, onDefect }: WorldsAnswerOptions) => {
  const answer = (given: FaceRequest): Maybe<FaceResponse> => {
    const request = inOwnPath(given);
    if (control?.takes(request.path)) return control.answer(request);
    const meant = callers.meant(request);
    const bearer = typeof meant === 'object' ? meant : undefined;
    const hash = bearer?.live.start.pins.world.hash ?? world;
    if (hash === undefined) {
      const message =
        'Which session is meant? The token of one is needed, as its bearer token or where the API has its key';
      const headers = { 'www-authenticate': 'Bearer realm="treadle"' };
      return plainProblem({ status: 401, code: 'token_needed', message, headers });
    }
    const offered = (api: WorldApi): boolean =>
      bearer === undefined ||
      api.services.some((id) => bearer.live.start.services.includes(id) && (bearer.service ?? id) === id);
    const all = apis.of(hash);
    const found = chosen(all.filter(offered), request, all.length === 1);
    return found ? found.api.rest.answer(found.request) : noFace();
  };
  return (request: FaceRequest): Maybe<FaceResponse> => {
    try {
      return answer(request);
    } catch (thrown) {
      const error = asTreadleError(thrown, 'infrastructure');
      const told = ofThrown(error);
      if (told.status >= 500 && told.status !== 503) onDefect?.(error);
      return plainProblem(told);
    }
  };
};

/** Paths that two of a world's APIs have: the first answers, the other's are reached below `/SERVICE/`. */
export const sharedPaths = (apis: readonly WorldApi[]): { operation: string; first: string; below: string }[] => {
  const seen = new Map<string, WorldApi>();
  return apis.flatMap((api) =>
    api.rest.operations.flatMap(({ http: { label } }) => {
      // Parameters of two documents may be called differently.
      const shape = label.replace(/\{[^{}]*\}/g, '{}');
      const before = seen.get(shape);
      seen.set(shape, before ?? api);
      const [first, below] = [before?.services[0], api.services[0]];
      return before && before !== api && first && below ? [{ operation: label, first, below }] : [];
    }),
  );
};
