/** Sessions without an owner get one, whatever fails on the way: with workers that are a few lines each. */
import { expect, it } from 'vitest';
import { TreadleError } from '../../../errors.js';
import { processClock } from '../../durable/clock.js';
import { failureText } from '../frames/failure.js';
import type { AdoptAsked } from '../protocol.js';
import { FRONT_LIMITS } from './limits.js';
import { Moves } from './moves.js';
import { Router } from './router.js';
import type { Worker } from './worker.js';

const failure = (code: string, more: { value?: unknown; isRetryable?: boolean } = {}): TreadleError =>
  new TreadleError({ code, message: code, fault: 'infrastructure', ...more });

type Adopt = (asked: AdoptAsked) => { adopted: string[]; lost: { session: string; why: unknown }[] };

const workerOf = (incarnation: string, adopt: Adopt): Worker =>
  ({
    incarnation,
    sessions: new Set(),
    rpc: { request: async (_: string, asked: AdoptAsked) => ({ value: adopt(asked) }) },
  }) as unknown as Worker;

const taking: Adopt = ({ sessions }) => ({ adopted: [...sessions], lost: [] });

const setUp = (targets: Worker[]) => {
  const router = new Router(FRONT_LIMITS);
  const said: TreadleError[] = [];
  const moves = new Moves({
    router,
    limits: FRONT_LIMITS,
    clock: processClock,
    targets: () => targets,
    onDefect: (error) => said.push(error),
  });
  return { router, moves, said };
};

it('asks again where a claim failed, or its answer was lost: nothing is known of the session then', async () => {
  let fails = 2;
  const worker = workerOf('w#1', (asked) => {
    if (fails-- > 0) throw failure('store_failed');
    return taking(asked);
  });
  const { router, moves, said } = setUp([worker]);
  const entry = router.add('s', undefined);
  moves.orphan([entry]);
  await expect.poll(() => entry.owner).toBe(worker);
  expect(entry.lost).toBeUndefined();
  expect(said.map(({ code }) => code)).toEqual(['store_failed', 'store_failed']);
});

it('asks the one whom the store names, who never heard that its claim was granted', async () => {
  const owner = workerOf('busy#1', taking);
  const other = workerOf('idle#1', ({ sessions }) => ({
    adopted: [],
    lost: sessions.map((session) => {
      const why = failure('session_moving', { value: { session, owner: 'busy#1' }, isRetryable: true });
      return { session, why: JSON.parse(failureText(why)) };
    }),
  }));
  // The least loaded is asked first, every time.
  const { router, moves } = setUp([other, owner]);
  const entry = router.add('s', undefined);
  moves.orphan([entry]);
  await expect.poll(() => entry.owner).toBe(owner);
});

it('gives up where a worker cannot be asked at all', async () => {
  const worker = workerOf('w#1', () => {
    throw failure('unknown_method');
  });
  const { router, moves } = setUp([worker]);
  const entry = router.add('s', undefined);
  moves.orphan([entry]);
  await expect.poll(() => entry.lost?.code).toBe('unknown_method');
  expect(moves.orphans).toBe(0);
});
