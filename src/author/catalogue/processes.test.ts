import { describe, expect, it } from 'vitest';
import type { Company } from '../../artifacts/world.js';
import { coreServices } from '../core/services.js';
import { archetypeIds } from './archetype.js';
import { compileArchetype } from './compile.js';
import { Process, processes, processesFor, servicesOf } from './processes.js';

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
  it.each(processes().map(({ id, purpose }) => [id, purpose] as const))(
    '%s says in one neutral sentence what it is for',
    (_, purpose) => {
      expect(purpose).toMatch(/^[A-Z][^.!?]*\.$/);
      expect(purpose).not.toMatch(/\p{N}/u);
      // An apostrophe is no quotation mark while it stands inside a word.
      expect(purpose).not.toMatch(/["“”„‘’«»`]|(?<!\w)'|'(?!\w)/);
    },
  );
  it('tells no two processes alike', () => {
    for (const word of ['purpose', 'title'] as const) {
      const said = processes().map((process) => process[word].toLowerCase());
      expect(new Set(said).size, word).toBe(said.length);
    }
  });
  it('refuses a process without a purpose, or with one that is no sentence or too long', () => {
    const { purpose: _, ...bare } = processes()[0] as Process;
    for (const purpose of [undefined, '', 'Because.', `${'So it is'.repeat(20)}.`])
      expect(Process.safeParse({ ...bare, purpose }).success, String(purpose)).toBe(false);
    expect(Process.safeParse({ ...bare, purpose: 'Something has to be done about it.' }).success).toBe(true);
  });
});
