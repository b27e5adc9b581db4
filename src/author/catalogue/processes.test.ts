import { describe, expect, it } from 'vitest';
import type { Company } from '../../artifacts/world.js';
import { coreServices } from '../core/services.js';
import { archetypeIds } from './archetype.js';
import { compileArchetype } from './compile.js';
import { processes, processesFor, servicesOf } from './processes.js';

const present = new Set([...archetypeIds(), 'directory', 'mail', 'chat']);
const tools = new Set<string>();
for (const id of archetypeIds())
  for (const tool of Object.values(compileArchetype(id, 'EUR', present).spec.tools)) tools.add(`${id}.${tool.id}`);
const company = { name: 'X', domain: 'x.example', employees: 9, currency: 'EUR' } as Company;
for (const spec of coreServices(company))
  for (const tool of Object.values(spec.tools)) tools.add(`${spec.id}.${tool.id}`);

describe('processes', () => {
  it.each(processes().map((process) => [process.id, process] as const))(
    '%s calls tools that exist, in an order that can be kept',
    (_, process) => {
      const steps = process.steps.map(({ id }) => id);
      expect(new Set(steps).size).toBe(steps.length);
      for (const step of process.steps) {
        expect(tools).toContain(step.do);
        expect(process.roles).toContain(step.by);
        for (const need of step.needs ?? []) expect(steps.slice(0, steps.indexOf(step.id)), step.id).toContain(need);
      }
      for (const event of process.events) expect(steps).toContain(event.hurts);
      expect(
        servicesOf(process).filter((service) => !['directory', 'mail', 'chat'].includes(service)).length,
      ).toBeGreaterThan(1);
    },
  );
  it('gives a world the processes it can host whole', () => {
    expect(processesFor(new Set(['billing', 'order_mgmt', 'directory', 'mail', 'chat']))).toContain(
      'small_order_to_invoice',
    );
    expect(processesFor(new Set(['billing', 'directory']))).toEqual([]);
  });
});
