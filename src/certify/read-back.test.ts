import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../test/fixtures/world.js';
import type { ServiceSpec } from '../artifacts/service.js';
import type { LoadedService } from '../world/loaded.js';
import { Engine } from '../world/state/engine.js';
import type { RowChange } from '../world/state/types.js';
import { subjectOf } from './certify.js';
import { showsChange } from './read-back.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

const without =
  (...names: string[]) =>
  (spec: ServiceSpec): ServiceSpec => ({
    ...spec,
    tools: Object.fromEntries(Object.entries(spec.tools).filter(([name]) => !names.includes(name))),
  });

/** What the reads of a service show of a row that is there, one that is not, and one that is another. */
const looks = (id: string, table: string, service: (spec: ServiceSpec) => ServiceSpec): (boolean | undefined)[] => {
  const world = fixtureWorld(engine, { only: [id], service });
  const subject = subjectOf(world, world.services.get(id) as LoadedService);
  const row = subject.rows(table).at(-1) as RowChange['after'] & object;
  const key = row[subject.service.keys[table] as string] as string;
  const session = subject.open();
  const ask = (change: RowChange): boolean | undefined => showsChange(subject, session, change);
  const seen = [
    ask({ table, key, change: 'update', after: row, cols: [] }),
    ask({ table, key, change: 'update', after: { ...row, name: 'x', subject: 'x', total: 1, title: 'x' }, cols: [] }),
    ask({ table, key, change: 'delete', cols: [] }),
    ask({ table, key: 'nobody', change: 'delete', cols: [] }),
  ];
  session.drop();
  return seen;
};

describe('a change is looked for', () => {
  it.each([
    ['by the get tool', 'billing', 'invoice', without()],
    ['by a list with cursors', 'billing', 'invoice', without('get_invoice')],
    ['by a list with offsets', 'directory', 'employee', without('employee_get')],
    ['by a list with page numbers', 'tickets', 'ticket', without('getTicket')],
  ] as const)('%s', (_, id, table, service) => expect(looks(id, table, service)).toEqual([true, false, false, true]));

  it.each([
    ['without a size of its own', ['size']],
    ['without size or page', ['size', 'page']],
  ] as const)('on the pages of a list %s', (_, gone) => {
    const bare = (spec: ServiceSpec): ServiceSpec => {
      const { findTickets, getTicket: _get, ...tools } = spec.tools;
      const args = Object.fromEntries(
        Object.entries(findTickets?.args ?? {}).filter(([name]) => !(gone as readonly string[]).includes(name)),
      );
      return { ...spec, tools: { ...tools, findTickets: { ...findTickets, args } as ServiceSpec['tools'][string] } };
    };
    expect(looks('tickets', 'ticket', bare)[0]).toBe(true);
  });

  it('by all that a list shows of a row whose key it never shows', () => {
    const unnamed = (spec: ServiceSpec): ServiceSpec => {
      const table = spec.tables.employee as ServiceSpec['tables'][string];
      const key = { ...table.cols[table.key.col], hidden: true } as (typeof table.cols)[string];
      const employee = { ...table, cols: { ...table.cols, [table.key.col]: key } };
      return without('employee_get')({ ...spec, tables: { ...spec.tables, employee } });
    };
    // Of a deletion nothing is known but the key, which no list could show.
    expect(looks('directory', 'employee', unnamed).slice(0, 2)).toEqual([true, false]);
  });

  it('in vain where no tool reads the table', () => {
    expect(looks('billing', 'refund', without())).toEqual([undefined, undefined, undefined, undefined]);
  });
});
