/** A client's side of a request in memory: what it hears before the answer, and how it goes away. */
import { setMaxListeners } from 'node:events';
import type { Connection, Outlet } from '../../src/serve/mcp/connection.js';
import { pendingAsks } from '../../src/serve/mcp/features/asks.js';

export interface Heard {
  id?: string;
  method: string;
  params?: Record<string, unknown>;
}

export interface Peer extends Outlet {
  heard: Heard[];
  leave(): void;
}

export const peer = (takes = true): Peer => {
  const gone = new AbortController();
  setMaxListeners(0, gone.signal);
  const heard: Heard[] = [];
  return {
    heard,
    gone: gone.signal,
    leave: () => gone.abort(),
    send: (message) => {
      if (takes) heard.push(JSON.parse(message));
      return takes;
    },
  };
};

/** A session of an earlier revision whose client can do everything. */
export const connected = (
  waitMs?: number,
): Required<Pick<Connection, 'asks' | 'watched' | 'running'>> & Connection => ({
  asks: pendingAsks(waitMs),
  watched: new Set(),
  running: new Map(),
  capabilities: { sampling: {}, elicitation: {}, roots: {} },
});
