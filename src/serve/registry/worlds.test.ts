import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureParts, fixtureParts } from '../../../test/fixtures/world.js';
import type { TreadleError } from '../../errors.js';
import { addressOf, canonicalJson, sha256 } from '../../kit/hash.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { openRegistry, type Registry } from './registry.js';
import { firstOf, publishWorld, recordedWorlds, unknownWorld } from './worlds.js';

let engine: Engine;
let parts: FixtureParts;
let folder: string;
beforeAll(async () => {
  engine = await Engine.start();
  parts = fixtureParts(engine, { only: ['billing', 'directory'] });
  folder = mkdtempSync(join(tmpdir(), 'treadle-registry-'));
});
afterAll(() => {
  engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'nothing thrown';
  } catch (thrown) {
    expect((thrown as TreadleError).next).toBeTruthy();
    return (thrown as TreadleError).code;
  }
};
const isEmpty = (registry: Registry): boolean =>
  registry.list('world').length + registry.list('service').length === 0 &&
  !Object.values(parts.images).some((image) => registry.bytes.has(sha256(image)));

describe('a published world', () => {
  it('comes back by its address, and runs, also from a folder opened again', () => {
    for (const open of [() => openRegistry(), () => openRegistry({ folder })]) {
      let registry = open();
      const { world, images, services } = parts;
      const published = publishWorld(registry, { world, services, images });
      expect(published.world).toMatchObject({ name: 'fixture', version: 1, hash: addressOf(world) });
      expect(Object.keys(published.services)).toEqual(['directory', 'billing']);
      expect(published.services.billing?.name).toBe('fixture/billing');
      expect(publishWorld(registry, parts)).toEqual(published);
      if (open.toString().includes('folder')) {
        registry.close();
        registry = open();
      }
      const back = recordedWorlds(registry).partsOf(published.world.hash, world.snapshot);
      expect(canonicalJson(back.world)).toBe(canonicalJson(world));
      expect(back.snapshot).toEqual(parts.snapshot);
      const loaded = loadWorld(engine, back);
      expect(loaded.hash).toBe(addressOf(world));
      unloadWorld(loaded);
      registry.close();
    }
  });

  it('may have its images elsewhere', () => {
    const registry = openRegistry();
    for (const spec of parts.services) registry.publish('service', `fixture/${spec.id}`, spec as never);
    const { hash } = registry.publish('world', 'fixture', parts.world as never);
    const held = new Map(Object.values(parts.images).map((image) => [sha256(image), image]));
    held.set(parts.world.snapshot, Buffer.from(canonicalJson(parts.snapshot)));
    expect(recordedWorlds(registry, (sha) => held.get(sha)).partsOf(hash).images).toEqual(parts.images);
    expect(codeOf(() => recordedWorlds(registry).partsOf(hash))).toBe('missing_part');
    const [first] = [...held.keys()];
    held.set(first as string, new Uint8Array(4096));
    expect(codeOf(() => recordedWorlds(registry, (sha) => held.get(sha)).partsOf(hash))).toBe('changed_content');
  });

  it('starts on its own snapshot and no other yet', () => {
    const registry = openRegistry();
    const { world } = publishWorld(registry, parts);
    const source = recordedWorlds(registry);
    expect(codeOf(() => source.partsOf(world.hash, 'a'.repeat(64)))).toBe('unknown_snapshot');
    expect(codeOf(() => source.partsOf('a'.repeat(64)))).toBe('unknown_world');
    expect(codeOf(() => source.partsOf('fixture'))).toBe('unknown_world');
  });

  it('is looked for in every source', () => {
    const registry = openRegistry();
    const { world } = publishWorld(registry, parts);
    const none = {
      partsOf: (hash: string) => {
        throw unknownWorld(hash);
      },
    };
    expect(firstOf(none, recordedWorlds(registry)).partsOf(world.hash).world.id).toBe('fixture');
    expect(codeOf(() => firstOf(none, none).partsOf(world.hash))).toBe('unknown_world');
    expect(codeOf(() => firstOf().partsOf(world.hash))).toBe('unknown_world');
  });

  it.each<[string, (all: FixtureParts) => Parameters<typeof publishWorld>[1], string]>([
    [
      'a lost image',
      ({ images, ...rest }) => ({ ...rest, images: { billing: images.billing as Uint8Array } }),
      'missing_part',
    ],
    ['an image of text', (all) => ({ ...all, images: { ...all.images, billing: 'x' as never } }), 'missing_part'],
    [
      'another image',
      (all) => ({ ...all, images: { ...all.images, billing: new Uint8Array(4096) } }),
      'changed_content',
    ],
    [
      'images changed about',
      ({ images, ...rest }) => ({
        ...rest,
        images: { billing: images.directory as Uint8Array, directory: images.billing as Uint8Array },
      }),
      'changed_content',
    ],
    ['a lost service', (all) => ({ ...all, services: all.services.slice(1) }), 'missing_part'],
    [
      'a changed service',
      (all) => ({ ...all, services: all.services.map((spec) => ({ ...spec, title: 'other' })) }),
      'missing_part',
    ],
    ['a service that is none', (all) => ({ ...all, services: [...all.services, {}] }), 'bad_artifact'],
    ['another snapshot', (all) => ({ ...all, snapshot: { ...all.snapshot, clock: 1 } }), 'changed_content'],
    ['a snapshot that is none', (all) => ({ ...all, snapshot: 7 }), 'bad_artifact'],
    ['a world that is none', (all) => ({ ...all, world: { treadle: 'world/1' } }), 'bad_artifact'],
    ['images of a prototype', (all) => ({ ...all, images: Object.create(all.images) as never }), 'missing_part'],
  ])('with %s is refused, and nothing of it is kept', (_, change, code) => {
    const registry = openRegistry();
    expect(codeOf(() => publishWorld(registry, change(parts)))).toBe(code);
    expect(isEmpty(registry)).toBe(true);
  });
});
