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

interface Asked {
  segments: Said[];
  slash: boolean;
  said: (name: string) => string | undefined;
}

const nothingSaid = (): undefined => undefined;

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const needText = (need: Need): string => `${need.key}=${need.value ?? '{}'}`;

/**
 * How well a request fits what a path needs besides: one up for each that is said, half down for each that is not. Without a value that
 * the document fixes it does not fit at all; a name alone only tells paths apart (`/users#maxResults`).
 */
const fitOf = (needs: readonly Need[], said: (name: string) => string | undefined): number | undefined => {
  let fit = 0;
  for (const need of needs) {
    const value = said(need.key);
    if (need.value !== undefined && value !== need.value) return undefined;
    fit += value === undefined ? -0.5 : 1;
  }
  return fit;
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

/** Does the path begin with the base? A variable of the base takes any segment. */
const isUnder = (base: readonly string[], segments: readonly Said[]): boolean =>
  base.length <= segments.length && base.every((part, i) => part.includes('{') || part === segments[i]?.text);

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

/** The best fit goes first; then the one whose closing slash is as sent; then document order. */
const bestOf = (
  routes: readonly Route[],
  method: string,
  slash: boolean,
  said: (name: string) => string | undefined,
): Route | undefined => {
  let best: { route: Route; fit: number } | undefined;
  for (const route of routes) {
    if (route.method !== method) continue;
    const fit = fitOf(route.template.needs, said);
    if (fit === undefined) continue;
    const closer = route.template.slash === slash && best?.route.template.slash !== slash;
    if (!best || fit > best.fit || (fit === best.fit && closer)) best = { route, fit };
  }
  return best?.route;
};

const routeOf = (operation: FaceOperation): Route => {
  const template = templateOf(operation.http.path);
  const holes = template.segments.flatMap((segment) => segment.holes);
  return { operation, method: operation.http.method.toUpperCase(), holes, template };
};

/** The same for two routes that no request can tell apart. */
const keyOf = ({ method, template }: Route): string => {
  const shape = template.segments.map(({ fixed, wild }) => `${wild ? '+' : ''}${fixed.join('{}')}`).join('/');
  const needs = template.needs.map(needText).sort().join('&');
  return `${method} ${shape}${template.slash ? '/' : ''}?${needs}`;
};

const VERSION = /^v\d+[a-z0-9]*$/i;

/**
 * The template with holes that take slashes, where the document means so: it says so of a parameter (`x-multi-segment`, as GitHub does),
 * or the hole stands where Google's have whole resource names (`/v1/{name}:cancel`, of `projects/p/jobs/7`).
 */
const looseOf = ({ operation, template }: Route): Template['segments'] | undefined => {
  const { segments } = template;
  const many = new Set(operation.http.params?.filter((param) => param.multi).map(({ name }) => name));
  const first = segments[0]?.fixed.join('') ?? '';
  let any = false;
  const loose = segments.map((segment, i) => {
    const isName = i === 1 && VERSION.test(first) && segment.holes.length === 1 && segment.fixed[0] === '';
    const wild = segment.wild || isName || segment.holes.some((hole) => many.has(hole));
    any ||= wild && !segment.wild;
    return wild ? { ...segment, wild } : segment;
  });
  return any ? loose : undefined;
};

/** `bases` as `basesOf` has them: the longest that a path begins with is taken off, and none has to be there. */
export const routerOf = (operations: readonly FaceOperation[], bases: readonly string[]): Router => {
  const strict = trieOf<Route>();
  const seen = new Map<string, Route>();
  const hidden: { operation: string; hiddenBy: string }[] = [];
  for (const operation of operations) {
    const route = routeOf(operation);
    const key = keyOf(route);
    const first = seen.get(key);
    if (first) hidden.push({ operation: operation.http.label, hiddenBy: first.operation.http.label });
    else {
      seen.set(key, route);
      strict.add(route.template.segments, route);
    }
  }
  /** Made when the first path is not found: it reads the parameters of every operation. */
  const looseTrie = once(() => {
    const trie = trieOf<Route>();
    for (const route of seen.values()) {
      const segments = route.holes.length > 0 ? looseOf(route) : undefined;
      if (segments) trie.add(segments, route);
    }
    return trie;
  });
  const stems = [...new Set(['', ...bases])]
    .map((base) => base.split('/').filter((part) => part !== ''))
    .sort((a, b) => b.length - a.length);
  const look = (trie: Trie<Route>, asked: Asked, method: string, methods: Set<string>): Found | undefined => {
    for (const stem of stems) {
      if (!isUnder(stem, asked.segments)) continue;
      let found: Found | undefined;
      trie.walk(asked.segments.slice(stem.length), (routes, captured) => {
        for (const route of routes) methods.add(route.method);
        const route = bestOf(routes, method, asked.slash, asked.said);
        if (route) found = foundOf(route, captured, asked.said);
        return found !== undefined;
      });
      if (found) return found;
    }
    return undefined;
  };
  const findIn = (trie: Trie<Route>, asked: Asked, method: string): Found | NotAllowed | undefined => {
    const methods = new Set<string>();
    const found =
      look(trie, asked, method, methods) ?? (method === 'HEAD' ? look(trie, asked, 'GET', methods) : undefined);
    // What only a query tells apart is unknown, not forbidden, when the method is among them.
    if (found || methods.size === 0 || methods.has(method)) return found;
    if (methods.has('GET')) methods.add('HEAD');
    return { allow: [...methods.add('OPTIONS')].sort() };
  };
  return {
    find: (method, path, said = nothingSaid) => {
      const read = segmentsOf(path);
      if (!read) return undefined;
      const asked = { ...read, said };
      return findIn(strict, asked, method) ?? findIn(looseTrie(), asked, method);
    },
    collisions: () => hidden,
  };
};
