/** What goes wrong in a drill of processes, by its seed. */
import type { Rng } from '../../../src/kit/rng.js';
import type { FaultPlan } from '../../../src/serve/durable/faults/seeded.js';
import type { FrontPlan } from './front.js';

/** `ms`: how long calls go on before it. */
export type Fault =
  | { what: 'kill a worker' | 'stop a worker'; ms: number; worker: number }
  | { what: 'kill the front'; ms: number; next: FrontPlan };

type Rules = FaultPlan['rules'];

const PLANS: readonly (readonly [string, Rules])[] = [
  ['nothing', []],
  [
    'a full disk',
    [
      { point: 'log.append', rate: 0.05, what: 'throw', code: 'ENOSPC' },
      { point: 'blob.put', rate: 0.2, what: 'throw', code: 'ENOSPC' },
    ],
  ],
  [
    'a blob store that fails',
    [
      { point: 'blob.put', rate: 0.3, what: 'throw' },
      { point: 'blob.get', rate: 0.3, what: 'throw' },
      { point: 'blob.delete', rate: 0.3, what: 'throw' },
    ],
  ],
  ['a blob store that is slow', [{ point: 'blob.put', rate: 0.5, what: 'delay', ms: 400 }]],
  [
    'answers of the store that are lost',
    [
      { point: 'ownership.committed', rate: 0.2, what: 'throw' },
      { point: 'ownership.claimed', rate: 0.2, what: 'throw', most: 5 },
    ],
  ],
  [
    'workers that end by themselves',
    [
      { point: 'savepoint.put', rate: 0.05, what: 'exit', most: 1 },
      { point: 'call.ran', rate: 0.005, what: 'exit', most: 1 },
      { point: 'call.logged', rate: 0.005, what: 'exit', most: 1 },
    ],
  ],
];

export const planOf = (random: Rng, life: number): FrontPlan => {
  if (random.chance(0.1)) return { name: 'a disk that is all reserved', diskReserve: Number.MAX_SAFE_INTEGER };
  const [name, rules] = random.pick(PLANS);
  return rules.length === 0 ? { name } : { name, faults: { seed: `${random.int(0, 1e9)} ${life}`, rules: [...rules] } };
};

export const faultsOf = (random: Rng, count: number, workers: number): Fault[] => {
  const faults: Fault[] = [];
  let isShut = false;
  while (faults.length < count) {
    const ms = random.int(100, 900);
    // Where nothing can be done the next front comes soon.
    const what = isShut
      ? 'kill the front'
      : random.weighted([
          ['kill a worker', 4],
          ['stop a worker', 3],
          ['kill the front', 3],
        ] as const);
    if (what !== 'kill the front') {
      faults.push({ what, ms, worker: random.int(0, workers - 1) });
      continue;
    }
    const next = planOf(random, faults.length);
    isShut = next.diskReserve !== undefined;
    faults.push({ what, ms, next });
  }
  return faults;
};
