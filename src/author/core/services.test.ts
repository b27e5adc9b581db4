import { describe, expect, it } from 'vitest';
import { ServiceSpec } from '../../artifacts/service.js';
import type { Company } from '../../artifacts/world.js';
import { canonicalJson } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { compileService } from '../../world/program/compile.js';
import { CORE_EMAIL_COLUMNS, coreProducts, coreServices, dressProduct } from './services.js';

const company = (employees: number): Company => ({
  name: 'Brinkhof Interiors',
  legalName: 'Brinkhof Interiors B.V.',
  domain: 'brinkhof.example',
  about: 'Makes and sells furniture.',
  country: 'NL',
  city: 'Utrecht',
  timezone: 'Europe/Amsterdam',
  currency: 'EUR',
  locale: 'nl',
  industry: { naics: '337122', title: 'Furniture' },
  employees,
  founded: 1988,
});

describe('coreServices', () => {
  const specs = coreServices(company(30));
  it('makes three valid services with ten tools in all', () => {
    for (const spec of specs) expect(ServiceSpec.parse(spec)).toEqual(spec);
    expect(specs.map((spec) => spec.id)).toEqual(['directory', 'mail', 'chat']);
    expect(specs.flatMap((spec) => Object.keys(spec.tools))).toHaveLength(10);
  });
  it('names only columns and tables that exist', () => {
    for (const spec of specs)
      for (const tool of Object.values(spec.tools)) {
        const cols = spec.tables[tool.table]!.cols;
        for (const arg of Object.values(tool.args)) {
          if (arg.col) expect(Object.keys(cols)).toContain(arg.col);
          if (arg.ref) expect(Object.keys(spec.tables)).toContain(arg.ref);
        }
        for (const col of [...(tool.match ?? []), ...(tool.order ?? []).map((item) => item.col)])
          expect(Object.keys(cols)).toContain(col);
      }
    for (const place of CORE_EMAIL_COLUMNS)
      expect(specs.find((spec) => spec.id === place.service)!.tables[place.table]!.cols[place.col]!.format).toBe(
        'email',
      );
  });
  it('keeps the directory readable whatever the head count, and the same for one company', () => {
    const rows = (n: number): number => coreServices(company(n))[0]!.tables.employee!.rows!;
    expect([rows(1), rows(30), rows(90_000)]).toEqual([8, 30, 45]);
    expect(coreServices(company(30))).toEqual(specs);
  });
  it('hands out fresh data each time, so that one caller cannot change another', () => {
    coreServices(company(30))[0]!.tools.employee_get!.description = 'changed';
    expect(coreServices(company(30))[0]!.tools.employee_get!.description).not.toBe('changed');
  });
});

describe('coreProducts', () => {
  const draw = (seed: number): ServiceSpec[] =>
    coreProducts(company(30), rng(seed, 'core')).map((product) => dressProduct(product, 'EUR'));
  const many = Array.from({ length: 16 }, (_, seed) => draw(seed));
  it('keep what rules, links and callers speak of, and compile', () => {
    for (const specs of many) {
      const ids = specs.flatMap((spec) => Object.values(spec.tools).map(({ id }) => `${spec.id}.${id}`));
      expect(ids).toEqual(expect.arrayContaining(['mail.message.send', 'mail.message.list', 'chat.post.create']));
      expect(ids.some((id) => /^directory\.employee\.(list|search)$/.test(id))).toBe(true);
      for (const [at, plain] of coreServices(company(30)).entries()) {
        const spec = specs[at]!;
        if (Object.keys(spec.tools).length > 9)
          expect(compileService(spec).tools.size).toBe(Object.keys(spec.tools).length);
        for (const [name, table] of Object.entries(plain.tables))
          expect(Object.keys(spec.tables[name]!.cols)).toEqual(expect.arrayContaining(Object.keys(table.cols)));
      }
    }
  });
  it('differ from company to company, and not from one drawing to the next', () => {
    const shown = (specs: ServiceSpec[], at: number): string => canonicalJson(Object.keys(specs[at]!.tools).sort());
    for (const at of [0, 1, 2]) expect(new Set(many.map((specs) => shown(specs, at))).size).toBeGreaterThan(12);
    expect(canonicalJson(draw(7))).toBe(canonicalJson(many[7]!));
  });
  it('say in their texts what they call things', () => {
    for (const specs of many)
      for (const spec of specs)
        for (const [name, { noun }] of Object.entries(spec.tables))
          for (const { description } of Object.values(spec.tools))
            if (noun !== name && name === 'channel') expect(description).not.toMatch(/\bchannels?\b/);
  });
});
