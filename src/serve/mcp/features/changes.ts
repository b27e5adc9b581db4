/** What changed on a server, and who wants to hear of it. */
import type { Params } from '../messages.js';
import type { Features } from './features.js';

export type Change = { kind: 'tools' | 'prompts' | 'resources' } | { kind: 'resource'; uri: string };

export interface Changes {
  tell(change: Change): void;
  /** `ended` is called once when the server closes. Returns how to stop listening. */
  listen(heard: (change: Change) => void, ended?: () => void): () => void;
  /** Ends every subscription. */
  close(): void;
  readonly listeners: number;
}

interface Listener {
  heard: (change: Change) => void;
  ended?: (() => void) | undefined;
}

export const changeHub = (): Changes => {
  const listeners = new Set<Listener>();
  return {
    // A copy, since a listener may leave while it hears.
    tell: (change) => {
      for (const { heard } of [...listeners]) heard(change);
    },
    listen: (heard, ended) => {
      const listener = { heard, ended };
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    close: () => {
      const all = [...listeners];
      listeners.clear();
      for (const { ended } of all) ended?.();
    },
    get listeners() {
      return listeners.size;
    },
  };
};

/** Which changes somebody wants: the filter of subscriptions/listen, and what a GET stream of an earlier revision amounts to. */
export interface Wanted {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  resourceSubscriptions?: readonly string[] | ReadonlySet<string>;
}

/** The most URIs that one client may watch. */
export const MOST_WATCHED = 1000;

/** Everything this server tells of, but for single resources. */
export const allLists = ({ tools, prompts, resources }: Features): Wanted => ({
  ...(tools?.listChanged ? { toolsListChanged: true } : {}),
  ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
  ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
});

export const wants = (wanted: Wanted, change: Change): boolean => {
  if (change.kind !== 'resource') return wanted[`${change.kind}ListChanged`] === true;
  const { resourceSubscriptions: uris = [] } = wanted;
  return 'has' in uris ? uris.has(change.uri) : uris.includes(change.uri);
};

/** The notification, as JSON text. */
export const changeMessage = (change: Change, meta?: Params): string => {
  const params = {
    ...(change.kind === 'resource' ? { uri: change.uri } : {}),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
  const method =
    change.kind === 'resource' ? 'notifications/resources/updated' : `notifications/${change.kind}/list_changed`;
  return JSON.stringify({ jsonrpc: '2.0', method, ...(Object.keys(params).length === 0 ? {} : { params }) });
};
