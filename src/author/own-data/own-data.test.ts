import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column } from '../../artifacts/table.js';
import { sha256 } from '../../kit/hash.js';
import { Base } from '../../world/state/base.js';
import { Engine } from '../../world/state/engine.js';
import { State } from '../../world/state/state.js';
import type { Row } from '../../world/state/types.js';
import { assembleWorld } from '../assemble.js';
import type { WorldDraft } from '../draft.js';
import { authorFromToolList } from '../mcp/author.js';
import { placeDocument } from '../place-document.js';
import { attachOwnRows } from './attach.js';
import { convert } from './convert.js';
import { readOwnTables } from './read.js';
import type { OwnTable } from './types.js';

const text = readFileSync(
  fileURLToPath(new URL('../../../test/fixtures/tool-lists/helpdesk.json', import.meta.url)),
  'utf8',
);
let engine: Engine;
let dir: string;
beforeAll(async () => {
  engine = await Engine.start();
  dir = mkdtempSync(join(tmpdir(), 'treadle-own-'));
});
afterAll(() => {
  engine.close();
  rmSync(dir, { recursive: true, force: true });
});

const draft = (seed = '1'): WorldDraft =>
  placeDocument({
    title: 'helpdesk',
    services: authorFromToolList(text, { name: 'helpdesk', seed: '1' }).services,
    seed,
  });
const table = (name: string, rows: Record<string, unknown>[], file = `${name}.json`): OwnTable => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return {
    table: name,
    file,
    columns,
    rows: rows.map((row, i) => ({ at: i + 1, cells: columns.map((col) => row[col]) })),
  };
};
const read = (world: WorldDraft, service: string, name: string): Row[] => {
  const { images } = assembleWorld(engine, world);
  const state = State.open(Base.of(images[service] as Uint8Array));
  const connection = engine.connection(`test ${service}`);
  connection.bind(state);
  try {
    return connection.prepare(`SELECT * FROM "${name}"`).all();
  } finally {
    state.drop();
  }
};
const customers = [
  { id: 'C-1', name: 'Ada', email: 'ada@example.org' },
  { id: 'C-2', name: 'Grace', email: 'grace@example.org' },
  { id: 'C-3', name: 'Alan', email: 'alan@example.org' },
];

describe('rows that fit', () => {
  it('stand as they are, filled up, with everything pointing to them', () => {
    const world = attachOwnRows(draft(), [table('Customers', customers)]);
    const rows = read(world, 'helpdesk', 'customer');
    expect(rows.map(({ id, name, email }) => ({ id, name, email }))).toEqual(customers);
    for (const ticket of read(world, 'helpdesk', 'ticket')) expect(['C-1', 'C-2', 'C-3']).toContain(ticket.customer_id);
  });

  it('give the same bytes for the same seed', () => {
    const bytes = (seed: string): string =>
      sha256(
        assembleWorld(engine, attachOwnRows(draft(seed), [table('customer', customers)])).images.helpdesk as Uint8Array,
      );
    expect(bytes('1')).toBe(bytes('1'));
    expect(bytes('1')).not.toBe(bytes('2'));
  });

  it('may name their parents by what people call them, and need no keys', () => {
    const world = attachOwnRows(draft(), [
      table(
        'client',
        customers.map(({ id: _, ...rest }) => rest),
      ),
      table('tickets', [{ customer: 'Grace', subject: 'Stuck', status: 'Closed' }]),
    ]);
    const grace = read(world, 'helpdesk', 'customer').find(({ name }) => name === 'Grace');
    const [first] = read(world, 'helpdesk', 'ticket');
    expect(first).toMatchObject({ subject: 'Stuck', status: 'closed', customer_id: grace?.id });
  });

  it('leave room for rows in the other states of a life cycle', () => {
    const world = attachOwnRows(draft(), [
      table('customer', customers),
      table('ticket', [{ id: 'T-1', customer_id: 'C-1', subject: 'Stuck', status: 'open' }]),
    ]);
    const tickets = read(world, 'helpdesk', 'ticket');
    expect(tickets[0]).toMatchObject({ id: 'T-1', customer_id: 'C-1' });
    expect(new Set(tickets.map(({ status }) => status)).size).toBeGreaterThan(2);
  });

  it('may be more than the seeder makes', () => {
    const many = Array.from({ length: 2_000 }, (_, i) => ({
      id: `C-${i}`,
      name: `N ${i}`,
      email: `n${i}@example.org`,
    }));
    const rows = read(attachOwnRows(draft(), [table('customer', many)]), 'helpdesk', 'customer');
    expect(rows.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
  });
});

describe('rows that do not fit are told of, all at once', () => {
  const refused = (tables: OwnTable[]): string => {
    try {
      assembleWorld(engine, attachOwnRows(draft(), tables));
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'data_does_not_fit', fault: 'input' });
      return (thrown as Error).message;
    }
    throw new Error('nothing was refused');
  };
  it.each([
    ['a table that is not there', [table('custmers', customers)], /no table is called custmers; there are customer/],
    ['a column that is not there', [table('customer', [{ ...customers[0], fax: 1 }])], /customer has no column fax/],
    [
      'a value of no such state',
      [table('customer', customers), table('ticket', [{ customer_id: 'C-1', subject: 's', status: 'lost' }])],
      /row 1, column status: "lost" is none of open/,
    ],
    [
      'a reference to nobody',
      [table('customer', customers), table('ticket', [{ customer_id: 'C-7', subject: 's' }])],
      /row 1, column customer_id: there is no customer "C-7"/,
    ],
    [
      'a reference without its table',
      [table('ticket', [{ customer_id: 'C-7', subject: 's' }])],
      /give the customers too/,
    ],
    [
      'a key that stands twice',
      [table('customer', [customers[0] as never, customers[0] as never])],
      /row 2, column id: "C-1" stands on 1 already/,
    ],
    [
      'two columns that are one',
      [table('customer', [{ name: 'a', full_name: 'b' }])],
      /name and full_name are both name/,
    ],
    ['two files for one table', [table('customer', customers), table('clients', customers)], /was given already/],
  ])('%s', (_, tables, message) => expect(refused(tables)).toMatch(message));

  it('names every place', () =>
    expect(refused([table('ticket', [{ status: 'x', priority: 'y' }, { status: 'z' }])])).toMatch(
      /row 1.*row 1.*row 2/,
    ));
});

describe('files', () => {
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  it('reads CSV named after its table, or told', async () => {
    const path = file('clients 2026.csv', '\uFEFFid,Name\nC-1,"Love, Ada"\n\nC-2,\n');
    expect(await readOwnTables(`customer=${path}`)).toEqual([
      {
        table: 'customer',
        file: 'clients 2026.csv',
        columns: ['id', 'Name'],
        rows: [
          { at: 2, cells: ['C-1', 'Love, Ada'] },
          { at: 4, cells: ['C-2', null] },
        ],
      },
    ]);
  });

  it('reads the tables of a SQLite file', async () => {
    const base = engine.build(
      ['CREATE TABLE "customer" ("id" TEXT, "name" TEXT)', 'CREATE TABLE "empty" ("id" TEXT)'],
      (db) => {
        db.prepare('INSERT INTO "customer" VALUES (?, ?)').run(['C-1', 'Ada']);
      },
    );
    const [only, none] = await readOwnTables(file('own.db', base.image));
    expect(only).toMatchObject({
      table: 'customer',
      columns: ['id', 'name'],
      rows: [{ at: 1, cells: ['C-1', 'Ada'] }],
    });
    expect(none).toBeUndefined();
  });

  it('a SQLite file of another schema does not fit', async () => {
    const base = engine.build(['CREATE TABLE "galaxy" ("mass" REAL)'], (db) => {
      db.prepare('INSERT INTO "galaxy" VALUES (?)').run([1.5]);
    });
    const tables = await readOwnTables(file('sky.db', base.image));
    expect(() => attachOwnRows(draft(), tables)).toThrowError(expect.objectContaining({ code: 'data_does_not_fit' }));
  });

  it.each([
    ['broken.json', '{', 'bad_data'],
    ['words.json', '"x"', 'bad_data'],
    ['object.json', '{"customer": {"id": 1}}', 'bad_data'],
    ['scalars.json', '{"customer": [1, 2]}', 'data_does_not_fit'],
    ['nothing.json', '[]', 'bad_data'],
    ['empty.csv', '', 'bad_data'],
    ['open.csv', 'id\n"x', 'bad_data'],
    ['twice.csv', 'id,id\n1,2', 'bad_data'],
    ['ragged.csv', 'id,name\n1,2,3\n', 'data_does_not_fit'],
    ['cut.db', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(100)]), 'bad_image'],
    [
      'rot.db',
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.from([16, 0]), Buffer.alloc(4078, 7)]),
      undefined,
    ],
  ])('%s is refused', (name, content, code) =>
    expect(readOwnTables(file(name, content))).rejects.toMatchObject(code ? { code } : { name: 'TreadleError' }),
  );

  it('says when there is no such file', () =>
    expect(readOwnTables('nowhere.csv')).rejects.toMatchObject({ code: 'missing_file' }));
});

it.each<[Column['type'], unknown, unknown]>([
  ['int', '1,234', 1234],
  ['int', '1.5', undefined],
  ['int', 'x', undefined],
  ['number', '-.5', -0.5],
  ['bool', 'Yes', 1],
  ['bool', 'maybe', undefined],
  ['date', '2026-11-30', 1796_000_000 - (1796_000_000 % 86_400)],
  ['date', '30/11/2026', undefined],
  ['datetime', '2026-11-30T00:00:00Z', 1_795_996_800],
  ['datetime', 1_795_996_800_000, 1_795_996_800],
  ['money', '12.34', 1234],
  ['money', 'EUR 1,234.50', 123_450],
  ['money', '12.345', undefined],
  ['text', 7, '7'],
  ['text', { a: 1 }, undefined],
  ['json', { a: 1 }, '{"a":1}'],
])('%s of %j', (type, given, expected) => {
  const read = convert(given, { type }, { money: 'decimal', currency: 'EUR' });
  expect('value' in read ? read.value : undefined).toBe(expected);
});
