import { describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../artifacts/service.js';
import { Invariant } from '../../artifacts/world.js';
import { archetypeIds } from './archetype.js';
import { compileArchetype } from './compile.js';
import { invariantsFor, invariantTemplates } from './invariants.js';
import { leaverRule } from './leavers.js';

const present = new Set([...archetypeIds(), 'directory', 'mail', 'chat']);
const specs = new Map<string, ServiceSpec>();
const specOf = (id: string): ServiceSpec => {
  const spec = specs.get(id) ?? compileArchetype(id, 'EUR', present).spec;
  specs.set(id, spec);
  return spec;
};

/** Columns a condition names, by side, and the values it compares them with. */
const named = (where: string, side: 't' | 'x'): string[] =>
  [...where.matchAll(new RegExp(`\\b${side}\\.([a-z_0-9]+)`, 'g'))].map(([, col]) => col ?? '');
const compared = (where: string, side: 't' | 'x'): { col: string; value: string }[] =>
  [...where.matchAll(new RegExp(`\\b${side}\\.([a-z_0-9]+) (?:= ('[^']+')|in \\(([^)]*)\\))`, 'g'))].flatMap(
    ([, col, one, many]) =>
      (one ?? many ?? '').split(',').map((value) => ({ col: col ?? '', value: value.trim().replaceAll("'", '') })),
  );

const checkRule = (rule: Invariant): void => {
  const { trigger, target } = rule;
  expect(Invariant.safeParse(rule).error?.issues ?? []).toEqual([]);
  expect(trigger.service).not.toBe(target.service);
  const sides = [
    { ...trigger, side: 't' as const, key: rule.key.trigger, wheres: [trigger.where, target.where] },
    { ...target, side: 'x' as const, key: rule.key.target, wheres: [target.where] },
  ];
  for (const { service, table, side, key, wheres } of sides) {
    if (service === 'directory') continue;
    const cols = specOf(service).tables[table]?.cols ?? {};
    for (const col of [key, ...wheres.flatMap((where) => named(where, side))])
      expect(Object.keys(cols), `${rule.id}: ${service}.${table}`).toContain(col);
    for (const { col, value } of wheres.flatMap((where) => compared(where, side)))
      if (cols[col]?.enum) expect(cols[col]?.enum, `${rule.id}: ${col}`).toContain(value);
  }
  for (const path of [rule.violatedBy, rule.repairedBy]) {
    const [service = '', ...tool] = path.split('.');
    const ids = Object.values(specOf(service).tools).map(({ id }) => id);
    expect(ids, rule.id).toContain(tool.join('.'));
  }
};

describe('invariants', () => {
  it('has at least 40 templates, each with an id of its own', () => {
    const ids = invariantTemplates().map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(40);
    expect(new Set(ids).size).toBe(ids.length);
  });
  it.each(invariantTemplates().map((rule) => [rule.id, rule] as const))('%s names what exists', (_, rule) =>
    checkRule(rule),
  );
  it('ties every archetype to the directory with a rule about people who have left', () => {
    const without: string[] = [];
    for (const id of archetypeIds()) {
      const rule = leaverRule(specOf(id));
      if (rule) checkRule(rule);
      else without.push(id);
    }
    expect(without).toEqual([]);
  });
  it('is broken or mended by a tool that leads to, or away from, the states it names', () => {
    for (const rule of invariantTemplates()) {
      const [service = '', table = '', verb = ''] = rule.violatedBy.split('.');
      if (table !== rule.trigger.table || service !== rule.trigger.service) continue;
      const move = specOf(service).tables[table]?.machine?.moves.find((each) => each.verb === verb);
      const wanted = compared(rule.trigger.where, 't').filter(
        ({ col }) => col === specOf(service).tables[table]?.machine?.col,
      );
      if (move && wanted.length > 0)
        expect(
          wanted.map(({ value }) => value),
          rule.id,
        ).toContain(move.to);
    }
  });
  it('gives a world rules between its own services first', () => {
    const ids = ['order_mgmt', 'shipping', 'billing'];
    const rules = invariantsFor(new Set([...ids, 'directory']), ids.map(specOf));
    expect(rules.length).toBeGreaterThan(5);
    expect(rules[0]?.trigger.service).not.toBe('directory');
    expect(rules.filter(({ trigger }) => trigger.service === 'directory')).toHaveLength(2);
  });
});
