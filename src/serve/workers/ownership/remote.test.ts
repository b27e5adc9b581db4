import { afterEach, describe, expect, it } from 'vitest';
import { TreadleError } from '../../../errors.js';
import { type OwnershipBench, ownershipContract } from '../../durable/ownership/ownership.contract.js';
import { OWNERSHIPS } from '../../durable/ownership/ownership.fixture.js';
import type { Ownership } from '../../durable/ownership/ownership.js';
import { type RpcPair, rpcPair } from '../rpc/rpc.fixture.js';
import { remoteOwnership, serveOwnership } from './remote.js';

let pair: RpcPair | undefined;
afterEach(() => pair?.end());

/** Says what it was asked, and keeps what it was given. */
const recorded = (answers: Partial<Record<keyof Ownership, unknown>>) => {
  const asked: unknown[] = [];
  const ownership = new Proxy({} as Ownership, {
    get:
      (_, method: keyof Ownership) =>
      async (...args: unknown[]) => {
        asked.push([method, ...args]);
        const answer = answers[method];
        if (answer instanceof Error) throw answer;
        return answer;
      },
  });
  return { asked, ownership };
};

it('asks the other end with the same words and has its answers', async () => {
  pair = await rpcPair();
  const lease = { incarnation: 'w#1', until: 9, ms: 5 };
  const head = { key: 'sessions/a/1/2-x', gen: 1, seq: 2 };
  const answers = {
    register: lease,
    renew: lease,
    bury: true,
    claim: [{ session: 'a', granted: true, gen: 1, head }],
    commitHead: [{ session: 'a', outcome: 'moved', superseded: [] }],
    release: 2,
    forget: ['k'],
    reap: { died: ['w#0'], removed: 1 },
    sessions: [{ session: 'a', owner: null, ownerIsDead: false, gen: 1 }],
    workers: [{ incarnation: 'w#1', until: 9, dead: false, sessions: 1 }],
  };
  const { asked, ownership } = recorded(answers);
  serveOwnership(pair.far, ownership);
  const remote = remoteOwnership(pair.near);
  expect(await remote.register('w', 5)).toEqual(answers.register);
  expect(await remote.renew('w#1')).toEqual(answers.renew);
  expect(await remote.bury('w#1')).toBe(true);
  expect(await remote.claim('w#1', ['a'])).toEqual(answers.claim);
  expect(await remote.commitHead('w#1', [{ session: 'a', ...head }])).toEqual(answers.commitHead);
  expect(await remote.release('w#1', ['a', 'b'])).toBe(2);
  expect(await remote.forget('w#1', ['a'])).toEqual(['k']);
  expect(await remote.reap()).toEqual(answers.reap);
  expect(await remote.sessions()).toEqual(answers.sessions);
  expect(await remote.workers()).toEqual(answers.workers);
  expect(asked).toEqual([
    ['register', 'w', 5],
    ['renew', 'w#1'],
    ['bury', 'w#1'],
    ['claim', 'w#1', ['a']],
    ['commitHead', 'w#1', [{ session: 'a', ...head }]],
    ['release', 'w#1', ['a', 'b']],
    ['forget', 'w#1', ['a']],
    ['reap'],
    ['sessions'],
    ['workers'],
  ]);
});

it('knows a lease that ended from one that goes on', async () => {
  pair = await rpcPair();
  serveOwnership(pair.far, recorded({ renew: undefined }).ownership);
  expect(await remoteOwnership(pair.near).renew('w#1')).toBeUndefined();
});

it('throws what the store throws, and says that nobody knows when the link goes', async () => {
  pair = await rpcPair();
  const full = new TreadleError({ code: 'disk_full', message: 'Full', fault: 'infrastructure', isRetryable: true });
  serveOwnership(pair.far, recorded({ claim: full }).ownership);
  const remote = remoteOwnership(pair.near);
  await expect(remote.claim('w#1', ['a'])).rejects.toMatchObject({ code: 'disk_full', isRetryable: true });
  await expect(pair.near.request('ownership.claim', 'all of them')).rejects.toMatchObject({ code: 'bad_request' });
  pair.far.link.close();
  await expect(remote.claim('w#1', ['a'])).rejects.toMatchObject({ code: 'worker_link' });
});

describe('ownership: over a link', () => {
  const open = async (): Promise<OwnershipBench> => {
    const bench = await (OWNERSHIPS(() => '').memory as () => Promise<OwnershipBench>)();
    const { near, far, end } = await rpcPair();
    serveOwnership(far, bench.ownership);
    const close = async (): Promise<void> => {
      end();
      await bench.close();
    };
    return { ...bench, ownership: remoteOwnership(near), close };
  };
  for (const { name, run } of ownershipContract(open)) it(name, run);
});
