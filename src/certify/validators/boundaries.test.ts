/** Tools that take what they should refuse, each in one way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureChange, fixtureWorld } from '../../../test/fixtures/world.js';
import type { Finding } from '../../artifacts/certificate.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Tool } from '../../artifacts/tool.js';
import type { LoadedService } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { badCallsOf } from '../bad-calls.js';
import { certifyService, subjectOf } from '../certify.js';
import { boundaries } from './boundaries.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

const load = (service: string, change: FixtureChange = {}) => {
  const world = fixtureWorld(engine, { only: [service], ...change });
  return { world, service: world.services.get(service) as LoadedService };
};
const finding = (service: string, change: FixtureChange): Finding => {
  const loaded = load(service, change);
  return certifyService(loaded.world, loaded.service, [boundaries]).certificate.findings[0] as Finding;
};
const tool =
  (name: string, change: Partial<Tool>) =>
  (spec: ServiceSpec): ServiceSpec => ({
    ...spec,
    tools: { ...spec.tools, [name]: { ...(spec.tools[name] as Tool), ...change } },
  });

describe('bad calls', () => {
  it('cover what a contract promises to refuse', () => {
    const { world, service } = load('billing');
    const subject = subjectOf(world, service);
    const whats = (name: string): string[] => {
      const probe = subject.probes.find((one) => one.name === name);
      return probe ? badCallsOf(subject, probe).map(({ what }) => what) : [];
    };
    expect(whats('create_customer')).toEqual(
      expect.arrayContaining([
        'no name',
        'null as email',
        'a number as name',
        '121 characters as name',
        'a email that another row has',
      ]),
    );
    expect(whats('pay_invoice')).toEqual(
      expect.arrayContaining([
        'an unknown invoice_id',
        'no invoice_id',
        'amount below 1',
        'a huge amount',
        'an object as amount',
      ]),
    );
    expect(whats('list_invoices')).toEqual(
      expect.arrayContaining([
        'an unknown customer_id',
        'limit above 100',
        'an unknown argument',
        'a list in place of the arguments',
      ]),
    );
  });
  it('change one thing of a good call each', () => {
    const { world, service } = load('tickets');
    const subject = subjectOf(world, service);
    for (const probe of subject.probes) {
      const good = JSON.stringify(probe.args);
      for (const { args } of badCallsOf(subject, probe)) expect(JSON.stringify(args)).not.toBe(good);
      expect(JSON.stringify(probe.args)).toBe(good);
    }
  });
});

describe('a tool fails that', () => {
  it('answers an error of another kind than the mistake', () => {
    const found = finding('billing', {
      service: tool('void_invoice', {
        steps: [
          { get: { table: 'invoice', where: { id: '$args.invoice_id' }, as: 'row', else: { error: 'teapot' } } },
          { require: [{ that: "row.status in ['draft', 'open']", error: 'invalid_state' }] },
          { update: { table: 'invoice', where: { id: '$row.id' }, set: { status: "'void'" }, as: 'row' } },
        ],
        writes: [{ table: 'invoice', cols: ['status', 'updated_at'] }],
      }),
    });
    expect(found.evidence.join('\n')).toMatch(/an unknown invoice_id answers teapot, not not_found/);
  });
  it('crashes in its own steps', () => {
    const found = finding('billing', {
      service: tool('customer_balance', {
        args: {
          customer_id: { type: 'text', role: 'input', ref: 'customer', required: true },
          share: { type: 'int', role: 'input', required: true },
        },
        steps: [
          { get: { table: 'customer', where: { id: '$args.customer_id' }, as: 'c', else: { error: 'not_found' } } },
          { let: { part: '100 / args.share' } },
        ],
        returns: { value: { part: '$part' } },
      }),
    });
    expect(found.pass).toBe(false);
    expect(found.evidence.join('\n')).toMatch(/customer_balance with zero as share crashes/);
  });
  it('takes the same unique value twice', () => {
    const found = finding('billing', {
      service: (spec) => {
        const customer = spec.tables.customer as ServiceSpec['tables'][string];
        const { unique: _, ...email } = customer.cols.email as (typeof customer.cols)[string];
        const loose = {
          ...spec,
          tables: { ...spec.tables, customer: { ...customer, cols: { ...customer.cols, email } } },
        };
        return loose;
      },
    });
    // Without the declaration nothing is promised, so nothing is held against it.
    expect(found.pass).toBe(true);
  });
});

describe('good services pass', () => {
  it.each(['billing', 'tickets', 'mail', 'directory'])('%s', (service) => {
    const found = finding(service, {});
    expect([found.pass, found.pass ? '' : found.evidence[0]]).toEqual([true, '']);
    expect(found.evidence[0]).toMatch(/^\d+ bad calls/);
  });
});
