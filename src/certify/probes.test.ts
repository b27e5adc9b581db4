import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureChange, fixtureWorld } from '../../test/fixtures/world.js';
import type { ServiceSpec } from '../artifacts/service.js';
import type { Tool } from '../artifacts/tool.js';
import type { LoadedService } from '../world/loaded.js';
import { Engine } from '../world/state/engine.js';
import { certifyService, subjectOf } from './certify.js';
import type { ServiceSubject, ServiceValidator } from './validator.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

const subject = (service: string, change: FixtureChange = {}): ServiceSubject => {
  const world = fixtureWorld(engine, { only: [service], ...change });
  return subjectOf(world, world.services.get(service) as LoadedService);
};
const named = ({ probes }: ServiceSubject, name: string) => probes.find((probe) => probe.name === name);

describe('probes', () => {
  it('succeed again on the state they were found on, and writes change it', () => {
    for (const service of ['billing', 'tickets', 'mail', 'directory']) {
      const found = subject(service);
      for (const probe of found.probes) {
        const session = found.ready(probe);
        const outcome = session.call(probe.name, probe.args);
        expect([probe.name, outcome.ok]).toEqual([probe.name, true]);
        expect(outcome.result).toEqual(probe.result);
        expect(Object.keys(session.diff()).length > 0).toBe(!probe.tool.tool.readOnly);
        session.drop();
      }
    }
  });

  it('are the same each time, and stay when another tool is left out', () => {
    const all = subject('billing').probes.map(({ name, args }) => [name, args]);
    expect(subject('billing').probes.map(({ name, args }) => [name, args])).toEqual(all);
    const without = (spec: ServiceSpec): ServiceSpec => {
      const { delete_customer: _, ...tools } = spec.tools;
      return { ...spec, tools };
    };
    const rest = subject('billing', { service: without }).probes.map(({ name, args }) => [name, args]);
    expect(rest).toEqual(all.filter(([name]) => name !== 'delete_customer'));
  });

  it('prepare a row by other tools where none is ready', () => {
    const drafts: FixtureChange['rows'] = (_, rows) => ({
      ...rows,
      invoice: (rows.invoice ?? []).map((row) => ({ ...row, status: 'draft', amount_paid: 0 })),
    });
    const paying = named(subject('billing', { rows: drafts }), 'pay_invoice');
    expect(paying?.args).toBeDefined();
    expect(paying?.before?.map(({ tool }) => tool)).toEqual(['update_invoice']);
  });

  it('say what stands in the way when nothing helps', () => {
    const never: FixtureChange['service'] = (spec) => ({
      ...spec,
      tools: {
        ...spec.tools,
        customer_balance: {
          ...(spec.tools.customer_balance as Tool),
          steps: [
            { get: { table: 'customer', where: { id: '$args.customer_id' }, as: 'c', else: { error: 'not_found' } } },
            { require: [{ that: "c.name == 'nobody'", error: 'invalid_state', message: 'Not this one' }] },
          ],
          returns: { row: 'c' },
        },
      },
    });
    const probe = named(subject('billing', { service: never }), 'customer_balance');
    expect(probe?.args).toBeUndefined();
    expect(probe?.lastError).toMatch(/^\d+x .*Not this one/);
  });

  it('do without any data: lists still answer, gets have no probe', () => {
    const found = subject('billing', {
      rows: (_, rows) => Object.fromEntries(Object.keys(rows).map((key) => [key, []])),
    });
    expect(named(found, 'list_invoices')?.args).toBeDefined();
    expect(named(found, 'create_customer')?.args).toBeDefined();
    // A customer is made, then an invoice, which can be read.
    expect(named(found, 'create_invoice')?.before).toBeDefined();
    expect(named(found, 'refund_payment')?.lastError ?? 'prepared').not.toBe('');
  });
});

describe('a validator that throws', () => {
  it('is a failure with the message, not a crash', () => {
    const broken: ServiceValidator = {
      id: 'broken',
      number: 99,
      title: 'Throws',
      run: () => {
        throw new Error('out of ideas');
      },
    };
    const world = fixtureWorld(engine, { only: ['directory'] });
    const { certificate } = certifyService(world, world.services.get('directory') as LoadedService, [broken]);
    expect(certificate.pass).toBe(false);
    expect(certificate.findings[0]?.evidence).toEqual(['could not be run: out of ideas']);
  });
});
