/** Histories by hand of every kind of request: what is right, and what breaks a promise. */
import { check } from './checker.js';
import type { Drilled, Found, LineEvent, RULES } from './history.js';
import type { Ask, Said } from './line.js';

const asked = (operation: string, ask: Ask): LineEvent => ({ is: 'asked', operation, ask });
const heard = (operation: string, said: Said): LineEvent => ({ is: 'done', operation, said });
const called = (name: string, index: number): LineEvent[] => [
  asked(name, { do: 'call', call: `call ${name}` }),
  heard(name, { index, result: `result ${name}` }),
];
const took = (name: string): LineEvent[] => [
  asked(name, { do: 'snapshot' }),
  heard(name, { snapshot: `snap ${name}`, hash: 'h' }),
];
const stands = (seq: number, calls: number, status = 'open'): Said => ({ seq, calls, status });
const went = (name: string, ask: Ask, seq: number, calls: number, status = 'open'): LineEvent[] => [
  asked(name, ask),
  heard(name, stands(seq, calls, status)),
];
const unheard = (operation: string): LineEvent => ({ is: 'unknown', operation, why: 'no_connection' });
const forked = (name: string, branches: Said['branches']): LineEvent[] => [
  asked(name, { do: 'fork', count: 1 }),
  heard(name, { branches: branches ?? [] }),
];
const lineBack = (seq: number, lost: number): LineEvent => ({ is: 'rolled_back', seq, lost });

interface GivenLine {
  events: LineEvent[];
  seq: number;
  calls?: string[];
  status?: string;
  snapshots?: string[];
  inherited?: string[];
  durability?: Drilled['durability'];
  there?: string[];
}

/** What the checker says of it. */
export const lineRules = ({
  events,
  seq,
  calls = [],
  status = 'open',
  snapshots = [],
  ...more
}: GivenLine): string[] => {
  const ledger = calls.map((name) => ({ call: `call ${name}`, result: `result ${name}` }));
  const standing: Found = { session: 's', seq, status, snapshots, hash: 'h', ledger, replayed: { hash: 'h', ledger } };
  const history = {
    session: 's',
    events,
    isLine: true as const,
    inherited: more.inherited?.map((name) => `call ${name}`) ?? [],
  };
  const there = more.there ?? ['s'];
  const { durability = 'call' } = more;
  const rest = { durability, ownership: [], heads: [], jobs: [], there };
  return [...new Set(check({ ...rest, histories: [history], found: [standing] }).map(({ rule }) => rule))];
};

const A_SNAPSHOT = [...called('a', 0), ...took('t'), ...called('b', 1)];
const RESTORE: Ask = { do: 'restore', snapshot: 'snap t' };

export const RIGHT_LINES: [string, GivenLine][] = [
  [
    'a restore goes back to its snapshot, and on from there',
    {
      events: [...A_SNAPSHOT, ...went('r', RESTORE, 4, 1), ...called('c', 1)],
      seq: 5,
      calls: ['a', 'c'],
      snapshots: ['snap t'],
    },
  ],
  [
    'one that was sent again after its worker ended',
    {
      events: [...A_SNAPSHOT, asked('r', RESTORE), unheard('r'), ...went('r', RESTORE, 4, 1)],
      seq: 4,
      calls: ['a'],
      snapshots: ['snap t'],
    },
  ],
  [
    'the last, which nobody heard of, done',
    { events: [...A_SNAPSHOT, asked('r', RESTORE), unheard('r')], seq: 4, calls: ['a'], snapshots: ['snap t'] },
  ],
  [
    'and not done',
    { events: [...A_SNAPSHOT, asked('r', RESTORE), unheard('r')], seq: 3, calls: ['a', 'b'], snapshots: ['snap t'] },
  ],
  [
    'a snapshot that nobody heard of',
    {
      events: [...called('a', 0), asked('t', { do: 'snapshot' }), unheard('t')],
      seq: 2,
      calls: ['a'],
      snapshots: ['x'],
    },
  ],
  [
    'reset, pause, resume, drop and close',
    {
      events: [
        ...A_SNAPSHOT,
        ...went('p', { do: 'pause' }, 4, 2, 'paused'),
        ...went('q', { do: 'resume' }, 5, 2),
        ...went('d', { do: 'drop', snapshot: 'snap t' }, 6, 2),
        ...went('z', { do: 'reset' }, 7, 0),
        ...went('e', { do: 'close' }, 8, 0, 'closed'),
      ],
      seq: 8,
      status: 'closed',
    },
  ],
  ['a branch with the calls of its parent', { events: called('c', 1), inherited: ['a'], seq: 1, calls: ['a', 'c'] }],
  [
    'a told rollback over a restore and a snapshot',
    {
      durability: 'none',
      events: [...A_SNAPSHOT, ...went('r', RESTORE, 4, 1), lineBack(1, 4), ...called('c', 1)],
      seq: 2,
      calls: ['a', 'c'],
    },
  ],
  [
    'a fork leaves its session as it is',
    { events: [...called('a', 0), ...forked('f', [{ session: 'x', calls: 1 }])], seq: 1, calls: ['a'] },
  ],
];

/** Each breaks one promise. */
export const WRONG_LINES: [string, (typeof RULES)[number], GivenLine][] = [
  [
    'a restore that was done again over what followed it',
    'lost_silently',
    {
      events: [...A_SNAPSHOT, ...went('r', RESTORE, 4, 1), ...called('c', 1)],
      seq: 6,
      calls: ['a'],
      snapshots: ['snap t'],
    },
  ],
  [
    'a pause that was counted twice',
    'done_twice',
    { events: went('p', { do: 'pause' }, 2, 0, 'paused'), seq: 2, status: 'paused' },
  ],
  ['a request that nobody asked for', 'done_twice', { events: called('a', 0), seq: 2, calls: ['a'] }],
  [
    'a call answered behind one that nobody knows',
    'done_twice',
    { events: [...called('a', 0), ...called('b', 2)], seq: 2, calls: ['a', 'b'] },
  ],
  [
    'a restore that leaves other calls than its snapshot had',
    'cut_wrongly',
    { events: [...A_SNAPSHOT, ...went('r', RESTORE, 4, 2)], seq: 4, calls: ['a', 'b'], snapshots: ['snap t'] },
  ],
  [
    'a branch with fewer calls than what it was forked from',
    'cut_wrongly',
    { events: [...called('a', 0), ...forked('f', [{ session: 'x', calls: 0 }])], seq: 1, calls: ['a'] },
  ],
  [
    'calls in another order',
    'cut_wrongly',
    { events: [...called('a', 0), ...called('b', 1)], seq: 2, calls: ['b', 'a'] },
  ],
  [
    'a pause that is gone',
    'status_differs',
    { events: went('p', { do: 'pause' }, 1, 0, 'paused'), seq: 1, status: 'open' },
  ],
  ['a resume that leaves it paused', 'status_differs', { events: went('q', { do: 'resume' }, 1, 0, 'paused'), seq: 1 }],
  ['a snapshot that is gone', 'snapshots_differ', { events: took('t'), seq: 1 }],
  ['a snapshot that was taken twice', 'snapshots_differ', { events: took('t'), seq: 1, snapshots: ['snap t', 'x'] }],
  ['a close that is gone', 'lost_silently', { events: went('e', { do: 'close' }, 1, 0, 'closed'), seq: 0 }],
  [
    'another answer for the same request',
    'answer_differs',
    {
      events: [...took('t'), heard('t', { snapshot: 'another', hash: 'h' })],
      seq: 1,
      snapshots: ['snap t'],
    },
  ],
  ['a fork of fewer sessions than were asked for', 'answer_differs', { events: forked('f', []), seq: 0 }],
  ['a call that ran twice', 'run_twice', { events: called('a', 0), seq: 1, calls: ['a', 'a'] }],
  ['a call of nobody', 'ran_unasked', { events: called('a', 0), seq: 1, calls: ['a', 'x'] }],
  [
    'a request that was to be kept, lost, though told',
    'acknowledged_lost',
    { events: [...took('t'), lineBack(0, 1)], seq: 0 },
  ],
  [
    'a loss told too small',
    'told_wrongly',
    { durability: 'none', events: [...called('a', 0), ...called('b', 1), ...called('c', 2), lineBack(0, 2)], seq: 0 },
  ],
  ['a session that nobody was told of', 'of_nobody', { events: [], seq: 0, there: ['s', 'x'] }],
];
