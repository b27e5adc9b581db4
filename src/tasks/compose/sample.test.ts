import { describe, expect, it } from 'vitest';
import { rng } from '../../kit/rng.js';
import { graphFaults, otherOrder } from './order.js';
import { defaultProfiles } from './profiles.js';
import { ruleJudge, Sampler } from './sample.js';
import type { Supply } from './supply.js';

const supply = (world: string, ids: string[], ties: [string, string][], capacity = 100): Supply => ({
  world,
  services: ids.map((id) => ({ id, archetype: id, domain: `d_${id}`, capacity, nouns: new Set([id]) })),
  shared: new Set(ties.flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`])),
  complementary: new Set(),
});
const chain = (world: string, capacity = 100): Supply =>
  supply(
    world,
    ['a', 'b', 'c', 'd'],
    [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ],
    capacity,
  );

describe('sampling', () => {
  it('takes what was used least: over many draws worlds and services come equally often', async () => {
    const sampler = new Sampler([chain('w1'), chain('w2'), chain('w3')], defaultProfiles(), rng('s'));
    const used = new Map<string, number>();
    for (let i = 0; i < 90; i++) {
      const { world } = await sampler.next('standard');
      used.set(world, (used.get(world) ?? 0) + 1);
    }
    for (const n of used.values()) expect(n).toBeGreaterThan(18);
    expect(used.size).toBe(3);
  });

  it('keeps to the ranges, with surplus, and only what hangs together', async () => {
    const world = supply('w', ['a', 'b', 'c'], [['a', 'b']]);
    const sampler = new Sampler([world], defaultProfiles(), rng('t'));
    for (let i = 0; i < 20; i++) {
      const { services, stages } = await sampler.next('simple');
      expect([...services].sort()).toEqual(['a', 'b']);
      expect(stages).toBeGreaterThanOrEqual(4);
      expect(stages).toBeLessThanOrEqual(8);
    }
    expect(ruleJudge(world, world.services)).toMatch(/nothing ties c/);
  });

  it.each([
    ['no world has so many services', [supply('w', ['a'], [])], /takes 3 trade services, the largest world has 1/],
    ['too few tools', [chain('w', 2)], /takes tools for 69 atomic tasks, the best combination has 8: 61 are missing/],
    ['nothing holds together', [supply('w', ['a', 'b', 'c'], [])], /holds together/],
    ['no world at all', [], /the largest world has 0/],
  ])('%s: says how much is missing', async (_, supplies, says) => {
    const sampler = new Sampler(supplies, defaultProfiles(), rng('u'));
    await expect(sampler.next('expert')).rejects.toThrow(says);
  });
});

describe('orders', () => {
  it('respect the edges, whatever they are', () => {
    const edges: [number, number][] = [
      [0, 3],
      [1, 3],
      [3, 5],
      [2, 4],
    ];
    for (let i = 0; i < 50; i++) {
      const order = otherOrder(6, edges, rng('o', String(i)));
      expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5]);
      for (const [from, to] of edges) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
    }
  });

  it('a graph with a cycle, a lost node or a name for two rows is told', () => {
    const nodes = [{ id: 'a' }, { id: 'b' }];
    const edge = (from: string, to: string) => ({ from, to, carries: 'state' as const, what: '' });
    const bound = (name: string, key: string) => ({ name, service: 's', table: 't', key, descriptors: [] });
    expect(graphFaults(nodes, [edge('a', 'b')], [bound('x', '1')])).toEqual([]);
    expect(graphFaults(nodes, [edge('b', 'a')], [])[0]).toMatch(/cycle/);
    expect(graphFaults(nodes, [edge('a', 'c')], [])[0]).toMatch(/no node/);
    expect(graphFaults(nodes, [], [bound('x', '1'), bound('x', '2')])[0]).toMatch(/x means/);
    expect(graphFaults([...nodes, { id: 'a' }], [], [])[0]).toMatch(/one id/);
  });
});
