import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RESERVED_TOOL_NAMES, ServiceSpec, TOOL_NAME } from '../../artifacts/service.js';
import { canonicalJson } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { styled } from '../../world/surface/naming.js';
import { billing } from './billing.fixture.js';
import { DIALECTS, dressService } from './dress.js';
import { dialectFile } from './schema.js';

const dress = (dialect: string, seed: string): ServiceSpec =>
  dressService(billing(), dialect, { currency: 'EUR', rng: rng(seed, 'dialect') });

const anyDressed = fc.tuple(fc.constantFrom(...DIALECTS), fc.integer({ min: 0, max: 5_000 }));

/** Dotted paths of one object: none repeats, none runs through another. */
const expectDisjoint = (paths: string[]): void => {
  const clashes = paths.flatMap((one, i) =>
    paths.slice(i + 1).filter((other) => `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`)),
  );
  expect(clashes).toEqual([]);
};

describe('dressService', () => {
  it('names exactly the dialects of the data file', () => {
    expect(dialectFile().dialects.map((dialect) => dialect.id)).toEqual(DIALECTS);
  });

  it('is valid, keeps ids, steps and columns, and leaves its input alone', () => {
    fc.assert(
      fc.property(anyDressed, ([dialect, seed]) => {
        const before = billing();
        const spec = dress(dialect, String(seed));
        expect(ServiceSpec.parse(spec)).toEqual(spec);
        const ids = (one: ServiceSpec): string[] => Object.values(one.tools).map((tool) => tool.id);
        expect(ids(spec)).toEqual(ids(before));
        const steps = (one: ServiceSpec): unknown[] =>
          Object.values(one.tools).map((tool) => [tool.steps, tool.writes]);
        expect(steps(spec)).toEqual(steps(before));
        for (const [name, table] of Object.entries(before.tables)) {
          expect(Object.keys(spec.tables[name]!.cols)).toEqual(Object.keys(table.cols));
          expect(spec.tables[name]!.key.col).toBe(table.key.col);
        }
        for (const name of Object.keys(spec.tools)) expect(name).toMatch(TOOL_NAME);
        const folded = Object.keys(spec.tools).map((name) => name.toLowerCase());
        expect(new Set(folded).size).toBe(folded.length);
        for (const name of folded) expect(RESERVED_TOOL_NAMES).not.toContain(name);
      }),
      { numRuns: 150 },
    );
  });

  it('gives every visible column and every argument a place of its own, at most three deep', () => {
    fc.assert(
      fc.property(anyDressed, ([dialect, seed]) => {
        const spec = dress(dialect, String(seed));
        for (const table of Object.values(spec.tables)) {
          const shown = Object.entries(table.cols).filter(([, col]) => !col.hidden);
          expectDisjoint(shown.map(([name, col]) => col.field ?? styled(spec.surface.fields, name)));
        }
        for (const tool of Object.values(spec.tools)) {
          const paths = Object.entries(tool.args).map(([name, arg]) => arg.field ?? styled(spec.surface.args, name));
          expectDisjoint(paths);
          for (const [name, arg] of Object.entries(tool.args)) {
            const path = arg.field ?? styled(spec.surface.args, name);
            const inside = spec.surface.money === 'object' && arg.type === 'money' ? 1 : 0;
            expect(path.split('.').length + inside).toBeLessThanOrEqual(3);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('pages as its surface says, with no argument of another style left', () => {
    fc.assert(
      fc.property(anyDressed, ([dialect, seed]) => {
        const spec = dress(dialect, String(seed));
        const role = { cursor: 'cursor', page0: 'page', page1: 'page', offset: 'offset', none: undefined }[
          spec.surface.paging
        ];
        for (const tool of Object.values(spec.tools)) {
          const roles = Object.values(tool.args).map((arg) => arg.role);
          const steering = roles.filter((one) => ['cursor', 'page', 'offset'].includes(one));
          expect(steering).toEqual(roles.includes('limit') && role ? [role] : []);
        }
      }),
    );
  });

  it('turns keys, references and their arguments to numbers together', () => {
    fc.assert(
      fc.property(anyDressed, ([dialect, seed]) => {
        const spec = dress(dialect, String(seed));
        const type = spec.tables.customer!.key.gen!.style === 'integer' ? 'int' : 'text';
        expect(spec.tables.customer!.cols.id!.type).toBe(type);
        expect(spec.tables.invoice!.cols.customer_id!.type).toBe(type);
        for (const tool of Object.values(spec.tools))
          for (const arg of Object.values(tool.args))
            if (arg.ref) expect(arg.type === 'list' ? arg.items : arg.type).toBe(type);
      }),
    );
  });

  it('is the same for one seed and mixes in about three of ten', () => {
    expect(canonicalJson(dress('hyperlinks', 'a'))).toBe(canonicalJson(dress('hyperlinks', 'a')));
    const mixed = Array.from({ length: 400 }, (_, i) => dress('camel_page', `s${i}`)).filter((spec) =>
      spec.surface.dialect.includes('+'),
    );
    expect(mixed.length / 400).toBeGreaterThan(0.2);
    expect(mixed.length / 400).toBeLessThan(0.36);
  });

  it('lets no two dialects share more than generic names', () => {
    for (const [i, one] of DIALECTS.entries())
      for (const other of DIALECTS.slice(i + 1)) {
        const a = Object.keys(dress(one, 'x').tools);
        const shared = Object.keys(dress(other, 'x').tools).filter((name) => a.includes(name));
        expect(shared.length, `${one} ${other}: ${shared}`).toBeLessThanOrEqual(2);
      }
  });

  it('writes the styles it is named after', () => {
    const pure = (dialect: string): ServiceSpec => {
      for (let i = 0; ; i++) {
        const spec = dress(dialect, `pure${i}`);
        if (spec.surface.dialect === dialect) return spec;
      }
    };
    expect(Object.keys(pure('snake_cursor').tools)).toContain('void_invoice');
    expect(Object.keys(pure('graph_edges').tools)).toEqual(
      expect.arrayContaining(['invoices', 'invoice', 'invoiceVoid']),
    );
    expect(Object.keys(pure('legacy_columns').tools)).toEqual(expect.arrayContaining(['INVSL', 'CSTSL']));
    const links = pure('hyperlinks');
    expect(links.tables.invoice!.cols.id!.field).toBe('_links.self.href');
    expect(links.tables.invoice!.key.gen).toMatchObject({ prefix: '/invoices/', length: 8 });
    const graph = pure('graph_edges').tools.invoices!.args;
    expect([graph.due_on_from!.field, graph.customer_id!.field]).toEqual(['where.dueOn.gte', 'where.customerId.eq']);
    const objects = Object.values(pure('resource_objects').tools).find((tool) => tool.id === 'invoice.list')!.args;
    expect([objects.due_on!.field, objects.due_on_from!.field, objects.page!.field]).toEqual([
      'filter.due-on.eq',
      'filter.due-on.from',
      'page.number',
    ]);
    // `customer` is a column of its own here, so the reference keeps its _id.
    expect(pure('dotted_rpc').tables.invoice!.cols.customer_id!.field).toBeUndefined();
    expect(pure('legacy_columns').tables.invoice!.cols.due_on!.field).toBe('DUEDT');
    const update = Object.values(pure('named_resources').tools).find((tool) => tool.id === 'customer.update')!.args;
    expect([update.id!.field, update.name!.field]).toEqual(['name', 'displayName']);
    for (const dialect of DIALECTS)
      for (let seed = 0; seed < 5; seed++)
        expect(Object.keys(dress(dialect, `v${seed}`).tools).filter((name) => /_[2-9]$/.test(name))).toEqual([]);
  });

  it('refuses a dialect it does not know, with the ones it does', () => {
    expect(() => dress('esperanto', 'a')).toThrowError(
      expect.objectContaining({ code: 'unknown_dialect', value: 'esperanto' }),
    );
  });
});
