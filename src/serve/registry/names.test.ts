import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { RecordKind } from '../api.js';
import { nearNames } from './names.js';
import { openRegistry } from './registry.js';

const HOSTILE = [
  '',
  '__proto__',
  'a@b',
  'a@1',
  '@1',
  'a/../b',
  '../a',
  'a/./b',
  '/a',
  'a/',
  'a//b',
  'a\\b',
  '.a',
  'a b',
  'a\u0000',
  'a\n',
  'ünïcode',
  'a\u202eb',
  '\ud800',
  'x'.repeat(256),
  'x'.repeat(10_000),
  `${'a/'.repeat(4)}a`,
  'f'.repeat(64),
  undefined,
  null,
  7,
  {},
  ['a'],
];
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'nothing thrown';
  } catch (thrown) {
    const error = thrown as TreadleError;
    expect(error.name).toBe('TreadleError');
    expect(error.line().length).toBeLessThan(800);
    return error.code;
  }
};

describe('names', () => {
  it.each(HOSTILE)('%j names no record and resolves to none', (name) => {
    const registry = openRegistry();
    registry.publish('server', 'a', { n: 1 });
    const bad = name as string;
    expect(codeOf(() => registry.publish('server', bad, { n: 1 }))).toBe('bad_name');
    expect(codeOf(() => registry.offer('server', bad, () => ({})))).toBe('bad_name');
    if (bad !== 'a@1')
      for (const work of [registry.resolve, registry.read])
        expect(codeOf(() => work.call(registry, 'server', bad))).toBe('unknown_record');
    if (bad !== 'a@1') expect(codeOf(() => registry.deprecate('server', bad, 'why'))).toBe('unknown_record');
    if (bad !== undefined) expect(registry.list('server', bad)).toEqual([]);
    expect(registry.list('server').length).toBe(1);
  });

  it.each(['a@0', 'a@-1', 'a@1.0', 'a@1e0', 'a@01', 'a@ 1', 'a@2', 'a@999999999', 'a@1@1', `a@${'9'.repeat(400)}`])(
    '%s is no version',
    (reference) => {
      const registry = openRegistry();
      registry.publish('server', 'a', { n: 1 });
      expect(codeOf(() => registry.resolve('server', reference))).toBe('unknown_record');
    },
  );

  it.each([
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'a.b-c_d',
    'A/b',
    `${'p/'.repeat(3)}${'q'.repeat(128)}`,
  ])('%s is a name like others', (name) => {
    const registry = openRegistry();
    expect(codeOf(() => registry.resolve('server', name))).toBe('unknown_record');
    expect(registry.list('server', name)).toEqual([]);
    expect(registry.publish('server', name, { n: 1 }).version).toBe(1);
    expect(registry.read('server', name)).toEqual({ n: 1 });
  });

  it.each(['__proto__', 'constructor', 'session', '', undefined, {}])('%j is no kind', (kind) => {
    const registry = openRegistry();
    const bad = kind as RecordKind;
    expect(codeOf(() => registry.publish(bad, 'a', {}))).toBe('unknown_kind');
    expect(codeOf(() => registry.list(bad))).toBe('unknown_kind');
  });

  it('are never mistaken, whatever the text', () => {
    const registry = openRegistry();
    registry.publish('server', 'w/s', { n: 1 });
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('w', '/', 's', '@', '1', '.', ' ', 'é'), maxLength: 8 }),
        (text) => {
          const found = codeOf(() => registry.resolve('server', text));
          expect(found).toBe(text === 'w/s' || text === 'w/s@1' ? 'nothing thrown' : 'unknown_record');
        },
      ),
    );
  });
});

describe('suggestions', () => {
  it('are the names most like the one asked for', () => {
    const names = ['harbor_clinic', 'harbor_garage', 'north_bakery', 'harbor_clinic/lookup-1'];
    expect(nearNames('harbour_clinic', names)[0]).toBe('harbor_clinic');
    expect(nearNames('lookup_1', names)).toEqual(['harbor_clinic/lookup-1']);
    expect(nearNames('zzz', names)).toEqual([]);
    expect(nearNames('\ud83d\ude00', names)).toEqual([]);
  });
  it('are in the refusal, and a list where nothing is like it', () => {
    const registry = openRegistry();
    const next = (reference: string): string | undefined => {
      try {
        registry.resolve('server', reference);
        return undefined;
      } catch (thrown) {
        return (thrown as TreadleError).next;
      }
    };
    expect(next('x')).toMatch(/No server is published yet/);
    registry.publish('server', 'filesystem', {});
    expect(next('file_system')).toMatch(/Did you mean filesystem\?/);
    expect(next('zzz')).toMatch(/for example filesystem/);
    expect(next('filesystem@4')).toMatch(/versions 1 to 1/);
  });
});

describe('contents', () => {
  const deep = (depth: number): Json => {
    let value: Json = 1;
    for (let i = 0; i < depth; i++) value = [value];
    return { value };
  };
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  it.each([
    ['server', null, 'bad_artifact'],
    ['server', [1], 'bad_artifact'],
    ['server', 'text', 'bad_artifact'],
    ['server', undefined, 'bad_artifact'],
    ['server', { n: Number.NaN }, 'not_json'],
    ['server', { n: 1n }, 'not_json'],
    ['server', { n: () => 1 }, 'not_json'],
    ['server', deep(100_000), 'bad_artifact'],
    ['server', cyclic, 'bad_artifact'],
    ['server', { hash: 'abc', read: () => ({}) }, 'bad_hash'],
    ['server', { hash: undefined, read: () => ({}) }, 'bad_hash'],
    ['task', {}, 'bad_artifact'],
    ['task', { treadle: 'task/0' }, 'other_version'],
    ['world', { treadle: 'task/1' }, 'other_version'],
    ['service', 7, 'bad_artifact'],
    ['verifier', null, 'bad_artifact'],
    ['verifier', { treadle: 'verifier/1', milestones: [] }, 'bad_artifact'],
    ['verifier', { treadle: 'verifier/1', milestones: [], more: 1 }, 'bad_artifact'],
  ] as const)('of a %s: refused %#', (kind, content, code) => {
    const registry = openRegistry();
    expect(codeOf(() => registry.publish(kind, 'a', content as Json))).toBe(code);
    expect(registry.list(kind)).toEqual([]);
  });

  it('are apart from the object they came in, and hold keys that look like a prototype', () => {
    const registry = openRegistry();
    const given = JSON.parse('{"__proto__": {"polluted": true}, "list": [1]}') as { list: number[] };
    registry.publish('server', 'a', given as unknown as Json);
    given.list.push(2);
    expect(Object.isFrozen(given)).toBe(false);
    expect(JSON.stringify(registry.read('server', 'a'))).toBe('{"__proto__":{"polluted":true},"list":[1]}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('of servers go through the schema given at opening', () => {
    const registry = openRegistry({
      server: (content) => {
        if ((content as { id?: unknown }).id === undefined) throw new Error('no id');
        return { ...(content as object), checked: true };
      },
    });
    expect(() => registry.publish('server', 'a', {})).toThrow('no id');
    registry.publish('server', 'a', { id: 'x' });
    expect(registry.read('server', 'a')).toEqual({ id: 'x', checked: true });
  });

  it('that lie elsewhere are read when asked for, and must be what was said', () => {
    const registry = openRegistry();
    let content: Json = { n: 1 };
    let reads = 0;
    const { hash } = registry.publish('server', 'eager', { n: 1 });
    const other = openRegistry();
    const read = (): Json => {
      reads++;
      return content;
    };
    other.publish('server', 'a', { hash, read });
    expect([other.resolve('server', 'a').hash, reads]).toEqual([hash, 0]);
    expect(other.read('server', 'a')).toEqual({ n: 1 });
    content = { n: 2 };
    expect(codeOf(() => other.read('server', 'a'))).toBe('changed_content');
    content = 'nonsense';
    expect(codeOf(() => other.read('server', 'a'))).toBe('bad_artifact');
    expect(codeOf(() => registry.read('server', hash.replace(/./g, 'a')))).toBe('unknown_record');
  });

  it('that lie elsewhere keep the order of their fields, in every process of a folder, and outlive their source', () => {
    const folder = mkdtempSync(join(tmpdir(), 'treadle-order-'));
    const content: Json = { zebra: 1, apple: { y: 1, b: 2 } };
    const { hash } = openRegistry().publish('server', 'a', content);
    let isThere = true;
    const read = (): Json => {
      if (!isThere) throw new Error('the corpus is gone');
      return structuredClone(content);
    };
    for (let life = 0; life < 3; life++) {
      const registry = openRegistry({ folder });
      registry.publish('server', 'a', { hash, read });
      for (let time = 0; time < 2; time++)
        expect(JSON.stringify(registry.read('server', 'a'))).toBe(JSON.stringify(content));
      isThere = life < 1;
      if (!isThere) {
        expect(registry.read('server', 'a')).toEqual(content);
        isThere = true;
      }
      registry.close();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['', '   ', 'x'.repeat(2_001), undefined, 7])('the reason %j deprecates nothing', (because) => {
    const registry = openRegistry();
    registry.publish('server', 'a', {});
    expect(codeOf(() => registry.deprecate('server', 'a', because as string))).toBe('bad_reason');
    expect(registry.resolve('server', 'a').deprecated).toBeUndefined();
  });
});
