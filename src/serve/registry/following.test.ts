import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Json } from '../../kit/hash.js';
import { addressOf } from '../../kit/hash.js';
import type { RecordKind } from '../api.js';
import type { Change } from './log.js';
import { type FollowingRegistry, followRegistry, openRegistry, type Registry } from './registry.js';
import { followedBytes, memoryBytes } from './store.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const follow = (own: Registry, settled: (name: string) => void = () => {}): FollowingRegistry => {
  const follows = { bytes: memoryBytes(), isDurable: false, settled: (_: RecordKind, name: string) => settled(name) };
  const follower = followRegistry(follows, own.changes());
  own.onChange((change) => follower.apply([change]));
  return follower;
};

const content = (n: number): Json => ({ n });
const NAMES = ['one', 'two', 'three'];

type Step =
  | { op: 'publish'; name: string; n: number; source: string | undefined }
  | { op: 'deprecate'; name: string }
  | { op: 'join' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    op: fc.constant('publish' as const),
    name: fc.constantFrom(...NAMES),
    n: fc.nat(2),
    source: fc.constantFrom(undefined, 'corpus'),
  }),
  fc.record({ op: fc.constant('deprecate' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ op: fc.constant('join' as const) }),
);

it('has the same records as the one it follows, whenever it came', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const own = openRegistry();
      const followers = [follow(own)];
      for (const one of steps) {
        if (one.op === 'publish') own.publish('server', one.name, content(one.n), one.source);
        else if (one.op === 'join') followers.push(follow(own));
        else if (own.list('server', one.name).length > 0) own.deprecate('server', one.name, 'old');
        for (const follower of followers) {
          expect(follower.list('server')).toEqual(own.list('server'));
          expect(follower.changes()).toEqual(own.changes());
        }
      }
    }),
    { numRuns: 60 },
  );
});

it('takes contents from where they are published again, and makes no versions of its own', () => {
  const own = openRegistry();
  own.publish('server', 'box', content(1), 'corpus');
  const follower = follow(own);
  const hash = addressOf(content(1));
  expect(() => follower.read('server', 'box')).toThrow(expect.objectContaining({ code: 'no_content' }));
  follower.publish('server', 'box', { hash, read: () => content(1) }, 'corpus');
  expect(follower.read('server', 'box')).toEqual(content(1));
  // As when the corpus is no longer what the other one published.
  follower.publish('server', 'box', { hash: addressOf(content(2)), read: () => content(2) }, 'corpus');
  follower.publish('server', 'another', { hash, read: () => content(1) }, 'corpus');
  expect(follower.list('server')).toEqual(own.list('server'));
});

it('takes up an offer as the same version that the other one makes of it, and says so', () => {
  for (const first of ['own', 'follower'] as const) {
    const own = openRegistry();
    own.publish('server', 'box', content(1));
    const settled: string[] = [];
    const follower = follow(own, (name) => settled.push(name));
    for (const registry of [own, follower]) registry.offer('server', 'box', () => content(2), 'corpus');
    const told: Change[] = [];
    own.onChange((change) => told.push(change));
    const order = first === 'own' ? [own, follower] : [follower, own];
    const records = order.map((registry) => registry.resolve('server', 'box'));
    expect(records[0]).toEqual(records[1]);
    expect(records[0]).toMatchObject({ version: 2, hash: addressOf(content(2)) });
    expect(settled).toEqual(['box']);
    expect(told.map(({ op, version }) => `${op} ${version}`)).toEqual(['publish 2']);
    expect(follower.read('server', 'box')).toEqual(content(2));
  }
});

it('refuses a change that does not follow from what it was told', () => {
  const follower = follow(openRegistry());
  const change: Change = { op: 'publish', kind: 'server', name: 'box', version: 2, hash: addressOf(1) };
  expect(() => follower.apply([change])).toThrow(
    expect.objectContaining({ code: 'damaged_registry', value: 'server box@2' }),
  );
});

it("reads the other's folder, and asks the other to keep what it read itself", () => {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-follow-'));
  folders.push(folder);
  const own = openRegistry({ folder });
  own.publish('server', 'box', content(1));
  const kept: string[] = [];
  const bytes = followedBytes(join(folder, 'contents'), (one) => kept.push(Buffer.from(one).toString()));
  const follower = followRegistry({ bytes, isDurable: true, settled: () => {} }, own.changes());
  expect(follower.read('server', 'box')).toEqual(content(1));
  expect(kept).toEqual([]);
  own.publish('server', 'lazy', { hash: addressOf(content(2)), read: () => content(2) });
  follower.apply(own.changes());
  follower.publish('server', 'lazy', { hash: addressOf(content(2)), read: () => content(2) });
  expect(follower.read('server', 'lazy')).toEqual(content(2));
  expect(kept).toEqual(['{"n":2}']);
  own.close();
});
