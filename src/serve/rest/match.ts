/** Paths to routes, compiled once into a tree of segments. */
import type { Route } from './routes.js';

interface Node {
  fixed: Map<string, Node>;
  /** Segment that may be anything; parameters of one place have one name. */
  open?: { name: string; node: Node };
  methods: Map<string, Route>;
}

export interface Found {
  route: Route;
  params: Record<string, string>;
}

/** Undefined where nothing is; the methods that there are where the asked one is not. */
export type PathMatcher = (method: string, path: string) => Found | { allow: string } | undefined;

const node = (): Node => ({ fixed: new Map(), methods: new Map() });

/** Longest segment looked at; ids and names are shorter. */
const LONGEST = 256;

const plain = (segment: string): string | undefined => {
  if (segment === '' || segment.length > LONGEST) return undefined;
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

const allowed = (methods: ReadonlyMap<string, Route>): string =>
  [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])].sort().join(', ');

const plant = (root: Node, route: Route): void => {
  let at = root;
  for (const segment of route.path.slice(1).split('/')) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) {
      const next = at.fixed.get(segment) ?? node();
      at.fixed.set(segment, next);
      at = next;
    } else {
      at.open ??= { name, node: node() };
      at = at.open.node;
    }
  }
  at.methods.set(route.method, route);
};

/** HEAD is matched as GET. Fixed segments win over parameters. */
export const pathMatcher = (routes: readonly Route[]): PathMatcher => {
  const root = node();
  for (const route of routes) plant(root, route);
  return (method, path) => {
    if (path[0] !== '/') return undefined;
    const params: Record<string, string> = {};
    let at = root;
    for (let from = 1; from <= path.length; ) {
      const slash = path.indexOf('/', from);
      const to = slash === -1 ? path.length : slash;
      const segment = path.slice(from, to);
      const fixed = at.fixed.get(segment);
      if (fixed === undefined) {
        const value = at.open && plain(segment);
        if (at.open === undefined || value === undefined) return undefined;
        params[at.open.name] = value;
      }
      at = fixed ?? at.open!.node;
      from = to + 1;
      if (slash !== -1 && from > path.length - 1) return undefined;
    }
    if (at.methods.size === 0) return undefined;
    const route = at.methods.get(method === 'HEAD' ? 'GET' : method);
    return route ? { route, params } : { allow: allowed(at.methods) };
  };
};
