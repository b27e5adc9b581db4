/** A parcel shop whose tools are code: rows, values, lists, files, and one that needs a realm of its own. */

import { serviceFixture, stateWith } from '../../../test/fixtures/services.js';
import { parseArtifact } from '../../artifacts/registry.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import { compileService } from '../program/compile.js';
import type { CallContext, Program } from '../program/types.js';
import type { Connection } from '../state/connection.js';
import type { Engine } from '../state/engine.js';
import type { State } from '../state/state.js';
import { Workspace } from '../workspace/workspace.js';

export const NOW = 1_717_200_000;

const ACCEPT = `
const SIZES = [['small', 2000], ['medium', 10000], ['large', 30000]];

const sizeFor = (grams) => SIZES.find(([, most]) => grams <= most)?.[0];

/** The smallest free locker that the parcel fits into. */
export default function accept(args, ctx) {
  const size = sizeFor(args.grams);
  if (size === undefined) ctx.fail('too_heavy', 'The parcel weighs ' + args.grams + ' g', 'grams');
  const from = SIZES.findIndex(([name]) => name === size);
  for (const [name] of SIZES.slice(from)) {
    const [locker] = ctx.db.find('locker', { size: name, parcel_id: null }, { order: 'id', limit: 1 });
    if (!locker) continue;
    const parcel = ctx.db.insert('parcel', { ...args, status: 'stored', fee: 50 + Math.ceil(args.grams / 100) });
    ctx.db.update('locker', { id: locker.id }, { parcel_id: parcel.id });
    return parcel;
  }
  ctx.fail('no_room', 'No locker is free for ' + size + ' parcels');
}
`;

const LIST = `
(args, { db }) => {
  const where = { ...(args.status !== undefined && { status: args.status }) };
  const limit = args.limit ?? 5;
  const rows = db.find('parcel', where, { order: '-grams', limit: limit + 1, offset: args.offset ?? 0 });
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}
`;

const REPORT = `
// Fees by status, and a manifest in the caller's files.
function report(args, ctx) {
  const rows = ctx.db.query('SELECT status, COUNT(*) AS n, SUM(fee) AS fee FROM parcel GROUP BY status ORDER BY status');
  const fee = rows.reduce((sum, row) => sum + row.fee, 0);
  const lines = rows.map((row) => row.status + ': ' + row.n);
  ctx.files.write('reports/' + new Date().toISOString().slice(0, 10) + '.txt', lines.join('\\n'));
  return { fee, parcels: rows.reduce((sum, { n }) => sum + n, 0), drawn: Math.floor(Math.random() * 1e6), by: ctx.me.email };
}
`;

const RETURN_ALL = `
let count = 0;
export default (args, ctx) => {
  Array.prototype.last = function () { return this[this.length - 1]; };
  const parcels = ctx.db.find('parcel', { status: 'stored' });
  for (const parcel of parcels) {
    ctx.db.update('locker', { parcel_id: parcel.id }, { parcel_id: null });
    ctx.db.update('parcel', { id: parcel.id }, { status: 'returned' });
    count++;
  }
  if (count === 0) ctx.fail('nothing_to_return', 'No parcel is stored');
  return { count, last: parcels.last().id };
};
`;

const text = { type: 'text', required: true };
const code = (source: string): object => ({ op: 'code', code: { language: 'javascript', source } });
const provenance = { tier: 'synthetic' };

/** As plain data, so that tests can put tools of their own beside it; `kept` names a tool that stays. */
export const codeServiceData = (more: Record<string, object> = {}): Record<string, unknown> => ({
  treadle: 'service/1',
  id: 'parcels',
  title: 'Parcel shop',
  description: 'Parcels and the lockers they lie in.',
  source: { kind: 'manual', ref: 'code.fixture.ts' },
  surface: serviceFixture('billing').surface,
  tables: {
    parcel: {
      noun: 'parcel',
      key: { col: 'id', gen: { style: 'base62', prefix: 'par_', length: 10 } },
      cols: {
        id: text,
        number: { ...text, unique: true, auto: 'number', prefix: 'P-' },
        email: { ...text, maxLength: 60 },
        grams: { type: 'int', required: true, min: 1 },
        status: { ...text, enum: ['stored', 'collected', 'returned'] },
        fee: { type: 'money', required: true, min: 0 },
        fragile: { type: 'bool' },
        received_at: { type: 'datetime', required: true, auto: 'now' },
        changed_at: { type: 'datetime', required: true, auto: 'touch' },
        secret: { type: 'text', hidden: true },
      },
    },
    locker: {
      noun: 'locker',
      key: { col: 'id' },
      cols: {
        id: text,
        size: { ...text, enum: ['small', 'medium', 'large'] },
        parcel_id: { type: 'text', fk: 'parcel', unique: true },
      },
    },
    audit: { noun: 'audit entry', key: { col: 'id' }, cols: { id: text, what: { type: 'text' } } },
  },
  tools: {
    accept_parcel: {
      id: 'parcel.accept',
      ...code(ACCEPT),
      table: 'parcel',
      description: 'Takes a parcel in and finds it a locker.',
      args: {
        email: { type: 'text', role: 'set', required: true },
        grams: { type: 'int', role: 'set', required: true },
        fragile: { type: 'bool', role: 'set' },
      },
      returns: { row: 'result' },
      errors: { too_heavy: 422, no_room: 409 },
      reads: ['locker'],
      writes: [
        { table: 'locker', cols: ['parcel_id'] },
        { table: 'parcel', insert: true },
      ],
      provenance,
    },
    list_parcels: {
      id: 'parcel.list',
      ...code(LIST),
      table: 'parcel',
      description: 'Parcels, the heaviest first.',
      args: {
        status: { type: 'text', role: 'filter' },
        limit: { type: 'int', role: 'limit' },
        offset: { type: 'int', role: 'offset' },
      },
      returns: { rows: 'result' },
      reads: ['parcel'],
      writes: [],
      provenance,
    },
    report: {
      id: 'parcel.report',
      ...code(REPORT),
      table: 'parcel',
      description: 'What was earned; writes it to a file too.',
      args: {},
      returns: { value: { fee: '$result.fee', parcels: '$result.parcels', drawn: '$result.drawn', by: '$result.by' } },
      reads: ['parcel'],
      writes: [],
      provenance,
    },
    return_all: {
      id: 'parcel.return_all',
      ...code(RETURN_ALL),
      table: 'parcel',
      description: 'Sends every stored parcel back.',
      args: {},
      returns: { value: { count: '$result.count', last: '$result.last' } },
      reads: ['locker', 'parcel'],
      writes: [
        { table: 'locker', cols: ['parcel_id'] },
        { table: 'parcel', cols: ['changed_at', 'status'] },
      ],
      provenance,
    },
    ...more,
  },
});

/** A tool of one source that may touch every table of the shop; it returns `{value: ...}`. */
export const probe = (id: string, source: string, more: object = {}): object => ({
  id: `parcel.${id}`,
  ...code(source),
  table: 'parcel',
  description: 'A probe.',
  args: { n: { type: 'int', role: 'input' }, text: { type: 'text', role: 'input' } },
  returns: { value: { value: '$result.value' } },
  reads: ['locker', 'parcel'],
  writes: [
    { table: 'locker', cols: ['parcel_id', 'size'], insert: true, delete: true },
    { table: 'parcel', cols: ['changed_at', 'fee', 'status'], insert: true, delete: true },
  ],
  provenance,
  ...more,
});

export const codeService = (more: Record<string, object> = {}): ServiceSpec =>
  parseArtifact('service', codeServiceData(more), 'code.fixture.ts');

const LOCKERS = [
  ...['S1', 'S2'].map((id) => ({ id, size: 'small' })),
  { id: 'M1', size: 'medium' },
  { id: 'L1', size: 'large' },
];

export interface Shop {
  program: Program;
  conn: Connection;
  state: State;
  ctx: CallContext;
}

/** A shop with four free lockers and one parcel that was collected. */
export const openShop = (engine: Engine, spec: ServiceSpec = codeService()): Shop => {
  const program = compileService(spec);
  const parcel = {
    id: 'par_1',
    number: 'P-1',
    email: 'old@x.example',
    grams: 900,
    status: 'collected',
    fee: 120,
    received_at: NOW,
    changed_at: NOW,
  };
  const state = stateWith(engine, spec, { parcel: [parcel], locker: LOCKERS });
  const conn = engine.connection(program.ddlKey);
  conn.bind(state);
  const me = { id: 'e1', name: 'Ada', email: 'ada@x.example' };
  return { program, conn, state, ctx: { now: NOW, me, seed: 's', workspace: new Workspace(), budget: 5_000_000 } };
};
