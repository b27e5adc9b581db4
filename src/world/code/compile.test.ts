import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture } from '../../../test/fixtures/services.js';
import { compileService } from '../program/compile.js';
import { derivedContract } from '../program/contract.js';
import { Engine } from '../state/engine.js';
import { codeService, openShop, probe } from './code.fixture.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

describe('a service with code tools', () => {
  it('has the load class of its dearest tool', () => {
    const classes = (tools: Record<string, object>, drop: string[] = []): string => {
      const spec = structuredClone(codeService(tools));
      for (const name of drop) delete spec.tools[name];
      return compileService(spec).loadClass;
    };
    expect(compileService(serviceFixture('billing')).loadClass).toBe('declared');
    expect(classes({})).toBe('code-fresh');
    expect(classes({}, ['return_all'])).toBe('code-shared');
    const { tools } = compileService(codeService());
    expect([...tools.values()].map(({ name, loadClass, readOnly }) => [name, loadClass, readOnly])).toEqual([
      ['accept_parcel', 'code-shared', false],
      ['list_parcels', 'code-shared', true],
      // It writes a file.
      ['report', 'code-shared', false],
      ['return_all', 'code-fresh', false],
    ]);
  });

  it('keeps the contract it declares', () => {
    const shop = openShop(engine);
    expect(derivedContract(shop.program, 'return_all', shop.conn)).toEqual({
      reads: ['locker', 'parcel'],
      writes: [
        { table: 'locker', cols: ['parcel_id'] },
        { table: 'parcel', cols: ['changed_at', 'status'] },
      ],
    });
  });

  it('has another version with another source', () => {
    const version = (source: string) => compileService(codeService({ p: probe('p', source) })).tools.get('p')?.version;
    expect(version('() => 1')).toBe(version('() => 1'));
    expect(version('() => 1')).not.toBe(version('() => 2'));
  });
});

it.each<[string, object, string, string]>([
  ['no source', { code: undefined }, 'bad_steps', 'p'],
  ['steps beside code', { steps: [] }, 'bad_steps', 'p'],
  ['a result of another name', { returns: { row: 'parcel' } }, 'bad_steps', 'p.returns'],
  ['a value that leads nowhere', { returns: { value: { a: '$nope.a' } } }, 'bad_steps', 'p.returns'],
  ['an unknown table', { reads: ['nope'] }, 'unknown_table', 'p'],
  ['source that does not parse', { code: { language: 'javascript', source: '() => {\n\n{' } }, 'bad_code', 'p:3'],
])('%s is refused when it is compiled', (_, broken, code, value) => {
  const compile = () => compileService(codeService({ p: probe('p', '() => 1', broken) }));
  expect(compile).toThrow(expect.objectContaining({ code, value, fault: 'world' }) as Error);
});
