/** Which operation of a document a request means. */
import type { FaceOperation } from '../types.js';
import { decoded, type Need, type Template, templateOf } from './template.js';
import { type Said, type Trie, trieOf } from './trie.js';

/** An operation, and what stands in the holes of its path. */
export interface Found {
  operation: FaceOperation;
  /** By name, as sent: percent-encoded. */
  raw: ReadonlyMap<string, string>;
  /** By name, decoded. */
  params: ReadonlyMap<string, string>;
}

/** The path is known, the method is not. */
export interface NotAllowed {
  /** Methods in capitals, sorted; HEAD where GET is, OPTIONS always. */
  allow: string[];
}

export interface Router {
  /**
   * `path` as sent, without the query. `said` looks up what paths with a query or a fragment ask for besides (`saidBy`). A HEAD is
   * answered by the GET where the document has no HEAD. Never throws.
   */
  find(method: string, path: string, said?: (name: string) => string | undefined): Found | NotAllowed | undefined;
  /** Operations that can never be reached, and the one that answers in their place. */
  collisions(): { operation: string; hiddenBy: string }[];
}

interface Route {
  operation: FaceOperation;
  method: string;
  holes: string[];
  template: Template;
}

const nothingSaid = (): undefined => undefined;

const needText = (need: Need): string => `${need.key}=${need.value ?? '{}'}`;

const satisfied = (need: Need, said: (name: string) => string | undefined): boolean => {
  const value = said(need.key);
  return need.value === undefined ? value !== undefined : value === need.value;
};

/** The segments of a request's path, or undefined where its percent signs make no sense. */
const segmentsOf = (path: string): { segments: Said[]; slash: boolean } | undefined => {
  const parts = (path.startsWith('/') ? path.slice(1) : path).split('/');
  const slash = parts.length > 1 && parts.at(-1) === '';
  if (slash || path === '/' || path === '') parts.pop();
  const segments: Said[] = [];
  for (const raw of parts) {
    const text = decoded(raw);
    if (text === undefined) return undefined;
    segments.push({ raw, text });
  }
  return { segments, slash };
};

/** How many segments of the path are the base's; -1 where it does not begin with it. A variable of the base takes any segment. */
const underBase = (base: readonly string[], segments: readonly Said[]): number => {
  const fits =
    base.length <= segments.length && base.every((part, i) => part.includes('{') || part === segments[i]?.text);
  return fits ? base.length : -1;
};

const foundOf = (route: Route, captured: readonly string[], said: (name: string) => string | undefined): Found => {
  const raw = new Map<string, string>();
  for (const [i, name] of route.holes.entries()) raw.set(name, captured[i] as string);
  const params = new Map([...raw].map(([name, text]) => [name, decoded(text) ?? text]));
  for (const { hole, key } of route.template.needs) {
    if (hole === undefined) continue;
    const text = said(key) ?? '';
    params.set(hole, text);
    raw.set(hole, text.replaceAll('%', '%25'));
  }
  return { operation: route.operation, raw, params };
};

/** More asked for goes first; then the one whose closing slash is as sent; then document order. */
const bestOf = (
  routes: readonly Route[],
  method: string,
  slash: boolean,
  said: (name: string) => string | undefined,
): Route | undefined => {
  let best: Route | undefined;
  for (const route of routes) {
    if (route.method !== method || !route.template.needs.every((need) => satisfied(need, said))) continue;
    const more = route.template.needs.length - (best?.template.needs.length ?? -1);
    const closer = route.template.slash === slash && best?.template.slash !== slash;
    if (more > 0 || (more === 0 && closer)) best = route;
  }
  return best;
};

const addRoute = (
  trie: Trie<Route>,
  seen: Map<string, FaceOperation>,
  operation: FaceOperation,
): string | undefined => {
  const { path } = operation.http;
  const method = operation.http.method.toUpperCase();
  const template = templateOf(path);
  const shape = template.segments.map(({ fixed, wild }) => `${wild ? '+' : ''}${fixed.join('{}')}`).join('/');
  const needs = template.needs.map(needText).sort().join('&');
  const key = `${method} ${shape}${template.slash ? '/' : ''}?${needs}`;
  const hiddenBy = seen.get(key);
  if (hiddenBy) return hiddenBy.http.label;
  seen.set(key, operation);
  trie.add(template.segments, { operation, method, holes: template.segments.flatMap(({ holes }) => holes), template });
  return undefined;
};

/** `bases` as `basesOf` has them: the longest that a path begins with is taken off, and none has to be there. */
export const routerOf = (operations: readonly FaceOperation[], bases: readonly string[]): Router => {
  const trie = trieOf<Route>();
  const seen = new Map<string, FaceOperation>();
  const hidden: { operation: string; hiddenBy: string }[] = [];
  for (const operation of operations) {
    const hiddenBy = addRoute(trie, seen, operation);
    if (hiddenBy !== undefined) hidden.push({ operation: operation.http.label, hiddenBy });
  }
  const stems = [...new Set(['', ...bases])]
    .map((base) => base.split('/').filter((part) => part !== ''))
    .sort((a, b) => b.length - a.length);
  const find: Router['find'] = (method, path, said = nothingSaid) => {
    const asked = segmentsOf(path);
    if (!asked) return undefined;
    const methods = new Set<string>();
    const look = (wanted: string): Found | undefined => {
      for (const stem of stems) {
        const skipped = underBase(stem, asked.segments);
        if (skipped < 0) continue;
        let found: Found | undefined;
        trie.walk(asked.segments.slice(skipped), (routes, captured) => {
          for (const route of routes) methods.add(route.method);
          const route = bestOf(routes, wanted, asked.slash, said);
          if (route) found = foundOf(route, captured, said);
          return found !== undefined;
        });
        if (found) return found;
      }
      return undefined;
    };
    const found = look(method) ?? (method === 'HEAD' ? look('GET') : undefined);
    if (found || methods.size === 0) return found;
    // What only a query tells apart is unknown, not forbidden, when the method is among them.
    if (methods.has(method)) return undefined;
    if (methods.has('GET')) methods.add('HEAD');
    return { allow: [...methods.add('OPTIONS')].sort() };
  };
  return { find, collisions: () => hidden };
};
