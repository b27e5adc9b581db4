/** The registry against a plain model: any sequence of publishing, deprecating, offering and opening again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressOf, type Json } from '../../kit/hash.js';
import { openRegistry, type Registry } from './registry.js';

interface Version {
  hash: string;
  content: Json;
  source: string | undefined;
  because: string | undefined;
  /** Given lazily and never read: its content is gone when the process is. */
  lazy: boolean;
}
interface Model {
  names: Map<string, Version[]>;
  offers: Map<string, { content: Json; source: string | undefined }>;
}

const NAMES = ['a', 'w/a', 'w/b', 'v/a', 'constructor', 'w/toString'];
const contentOf = (n: number): Json => ({ command: `server-${n}` });

const step = fc.oneof(
  fc.record({
    do: fc.constant('publish' as const),
    name: fc.constantFrom(...NAMES),
    n: fc.nat(2),
    source: fc.constantFrom(undefined, undefined, 'corpus'),
    lazy: fc.boolean(),
  }),
  fc.record({ do: fc.constant('offer' as const), name: fc.constantFrom(...NAMES), n: fc.nat(2) }),
  fc.record({
    do: fc.constantFrom('deprecate' as const, 'resolve' as const, 'read' as const),
    name: fc.constantFrom(...NAMES),
    version: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    because: fc.constantFrom('old', 'wrong'),
  }),
  fc.record({ do: fc.constant('hash' as const), n: fc.nat(2) }),
  fc.record({ do: fc.constant('reopen' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const publish = (model: Model, name: string, content: Json, source: string | undefined, lazy: boolean): Version => {
  const versions = model.names.get(name) ?? [];
  model.names.set(name, versions);
  const hash = addressOf(content);
  const newest = source === undefined ? versions.at(-1) : versions.findLast((one) => one.source === source);
  const kept = [...model.names.values()].flat().filter((one) => one.hash === hash);
  const isLazy = lazy && !kept.some((one) => !one.lazy);
  if (!isLazy) for (const one of kept) one.lazy = false;
  if (newest?.hash === hash) return newest;
  const made = { hash, content, source, because: undefined, lazy: isLazy };
  versions.push(made);
  return made;
};

const settle = (model: Model, name: string): void => {
  const offered = model.offers.get(name);
  if (offered) publish(model, name, offered.content, offered.source, false);
  model.offers.delete(name);
};

/** What a name or `name@version` must give: the version, or the code of the refusal. */
const expected = (model: Model, name: string, version?: number): { at: number; one: Version } | string => {
  settle(model, name);
  const versions = model.names.get(name);
  if (!versions || (version !== undefined && !versions[version - 1])) return 'unknown_record';
  const at = version === undefined ? versions.findLastIndex((one) => one.because === undefined) : version - 1;
  return at < 0 ? 'all_deprecated' : { at, one: versions[at] as Version };
};

const codeOf = <T>(work: () => T): T | string => {
  try {
    return work();
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};

const shown = (name: string, at: number, one: Version) => ({
  kind: 'server',
  name,
  version: at + 1,
  hash: one.hash,
  ...(one.because === undefined ? {} : { deprecated: { because: one.because } }),
});

const check = (registry: Registry, model: Model): void => {
  const wanted = [...model.names.keys()]
    .sort()
    .flatMap((name) => (model.names.get(name) ?? []).map((one, at) => shown(name, at, one)));
  expect(registry.list('server')).toEqual(wanted);
};

const act = (registry: Registry, model: Model, one: Exclude<Step, { do: 'reopen' }>): void => {
  if (one.do === 'publish') {
    const content = contentOf(one.n);
    settle(model, one.name);
    const made = publish(model, one.name, content, one.source, one.lazy);
    const given = one.lazy ? { hash: addressOf(content), read: () => content } : content;
    const record = registry.publish('server', one.name, given, one.source);
    const at = (model.names.get(one.name) ?? []).indexOf(made);
    expect(record).toEqual(shown(one.name, at, made));
  } else if (one.do === 'offer') {
    registry.offer('server', one.name, () => contentOf(one.n));
    model.offers.set(one.name, { content: contentOf(one.n), source: undefined });
  } else if (one.do === 'hash') {
    const hash = addressOf(contentOf(one.n));
    const holders = [...model.names].flatMap(([name, versions]) =>
      versions.map((version, at) => shown(name, at, version)).filter((record) => record.hash === hash),
    );
    const found = codeOf(() => registry.resolve('server', hash));
    if (holders.length === 0) expect(found).toBe('unknown_record');
    else {
      expect(holders).toContainEqual(found);
      const isLive = holders.some((record) => !('deprecated' in record));
      expect(typeof found === 'object' && found.deprecated === undefined).toBe(isLive);
    }
  } else {
    const reference = one.version === undefined ? one.name : `${one.name}@${one.version}`;
    let wanted = expected(model, one.name, one.version);
    if (one.do === 'deprecate') {
      const versions = model.names.get(one.name) ?? [];
      if (wanted === 'all_deprecated') wanted = { at: versions.length - 1, one: versions.at(-1) as Version };
      const found = codeOf(() => registry.deprecate('server', reference, one.because));
      if (typeof wanted !== 'string') wanted.one.because ??= one.because;
      expect(found).toEqual(typeof wanted === 'string' ? wanted : shown(one.name, wanted.at, wanted.one));
    } else if (one.do === 'resolve') {
      const found = codeOf(() => registry.resolve('server', reference));
      expect(found).toEqual(typeof wanted === 'string' ? wanted : shown(one.name, wanted.at, wanted.one));
    } else {
      const found = codeOf(() => registry.read('server', reference));
      if (typeof wanted === 'string') expect(found).toBe(wanted);
      else if (found === 'no_content') expect(wanted.one.lazy).toBe(true);
      else expect(found).toEqual(wanted.one.content);
      if (typeof wanted !== 'string' && found !== 'no_content') {
        const { hash } = wanted.one;
        for (const other of [...model.names.values()].flat()) if (other.hash === hash) other.lazy = false;
      }
    }
  }
};

it.each(['memory', 'folder'])('does what the model does, in %s', (where) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const folder = mkdtempSync(join(tmpdir(), 'treadle-registry-'));
      const open = (): Registry => openRegistry(where === 'folder' ? { folder } : {});
      const model: Model = { names: new Map(), offers: new Map() };
      let registry = open();
      try {
        for (const one of steps) {
          if (one.do !== 'reopen') act(registry, model, one);
          else if (where === 'folder') {
            registry.close();
            registry = open();
            model.offers.clear();
          }
          check(registry, model);
        }
        if (where !== 'folder') return;
        registry.close();
        registry = open();
        check(registry, model);
        for (const [name, versions] of model.names)
          for (const [at, version] of versions.entries())
            expect(codeOf(() => registry.read('server', `${name}@${at + 1}`))).toEqual(
              version.lazy ? 'no_content' : version.content,
            );
      } finally {
        registry.close();
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: where === 'folder' ? 150 : 300 },
  );
});
