/**
 * What a session is by what its one client asked of it, one request after another: how it stands after each. What was asked and not
 * answered is asked again until it is answered or refused, so nothing here is a guess but the last request.
 */

/** `call`: tool and arguments as canonical JSON, unlike any other of the session. */
export type Ask =
  | { do: 'call'; call: string }
  | { do: 'snapshot' | 'reset' | 'pause' | 'resume' | 'close' }
  | { do: 'restore' | 'drop'; snapshot: string }
  | { do: 'fork'; count: number };

/** What was heard, as far as that kind of request says it. `calls`: in its ledger, after the request. */
export interface Said {
  /** Of a call: its place in the ledger, where the door tells it, and canonical JSON of what the agent saw. */
  index?: number;
  result?: string;
  seq?: number;
  calls?: number;
  status?: string;
  snapshot?: string;
  hash?: string;
  /** Of a fork: the sessions, each with the calls in its ledger. */
  branches?: readonly { session: string; calls: number }[];
}

export interface Stand {
  /** Requests that changed it so far; forks do not. */
  seq: number;
  calls: readonly string[];
  status: 'open' | 'paused' | 'closed';
  /** With the calls that each goes back to. */
  snapshots: ReadonlyMap<string, readonly string[]>;
}

/** `inherited`: the calls of the session that it was forked from. */
export const standAtBirth = (inherited: readonly string[]): Stand => ({
  seq: 0,
  calls: inherited,
  status: 'open',
  snapshots: new Map(),
});

const without = (snapshots: Stand['snapshots'], snapshot: string): Stand['snapshots'] =>
  new Map([...snapshots].filter(([id]) => id !== snapshot));

/** After it was done. `snapshot`: the id of the one that was taken. */
export const standAfter = (stand: Stand, ask: Ask, snapshot = ''): Stand => {
  if (ask.do === 'fork') return stand;
  const next = { ...stand, seq: stand.seq + 1 };
  switch (ask.do) {
    case 'call':
      return { ...next, calls: [...stand.calls, ask.call] };
    case 'snapshot':
      return { ...next, snapshots: new Map([...stand.snapshots, [snapshot, stand.calls]]) };
    case 'restore':
      return { ...next, calls: stand.snapshots.get(ask.snapshot) ?? stand.calls };
    case 'drop':
      return { ...next, snapshots: without(stand.snapshots, ask.snapshot) };
    case 'reset':
      return { ...next, calls: [], status: 'open' };
    case 'pause':
      return { ...next, status: 'paused' };
    case 'resume':
      return { ...next, status: 'open' };
    case 'close':
      return { ...next, status: 'closed', snapshots: new Map() };
  }
};
