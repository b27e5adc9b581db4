import { describe, expect, it } from 'vitest';
import { ServiceSpec } from '../../artifacts/service.js';
import type { Company } from '../../artifacts/world.js';
import { CORE_EMAIL_COLUMNS, coreServices } from './services.js';

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
