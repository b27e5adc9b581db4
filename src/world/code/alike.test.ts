/** Calls while the thread waits and calls that leave it free end alike: outcome, touched rows, files, and every byte of the state. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callTool } from '../program/call.js';
import { Engine } from '../state/engine.js';
import { callToolAsync } from './call.js';
import { codeService, openShop, probe, type Shop } from './code.fixture.js';
import { closeCode, configureCode } from './running.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
  configureCode({ wallMs: 8_000 });
});
afterAll(() => {
  closeCode();
  engine.close();
});

/** Does what its argument says: a list of steps as JSON. */
const SCRIPT = `(args, ctx) => {
  const { db, files } = ctx;
  const seen = [];
  const steps = {
    store: (grams, text) => db.insert('parcel', { email: text, grams, status: 'stored', fee: grams * 2, secret: text }),
    bad: (grams) => db.insert('parcel', { email: 'x', grams: -grams - 1, status: 'stored', fee: 0 }),
    locker: (n) => db.insert('locker', { id: 'N' + n, size: 'small' }),
    put: (n) => db.update('locker', { id: 'N' + n }, { parcel_id: 'par_1' }),
    stray: (n) => db.update('locker', { id: 'N' + n }, { parcel_id: 'nobody' }),
    fee: (n) => db.update('parcel', { status: 'stored' }, { fee: n }),
    same: () => db.update('parcel', { id: 'par_1' }, { fee: 120 }),
    gone: (n) => db.delete('locker', { id: 'N' + n }),
    all: () => { for (const { id } of db.find('parcel', { status: 'stored' })) db.delete('parcel', { id }); },
    old: () => db.delete('parcel', { id: 'par_1' }),
    find: (n) => db.find('parcel', { grams: { lte: n } }, { order: '-grams', limit: n % 5 }),
    count: () => db.query('SELECT COUNT(*) AS n, MAX(fee) AS fee FROM parcel')[0],
    write: (n, text) => files.write('f' + n, text),
    read: (n) => files.read('f' + n),
    remove: (n) => files.delete('f' + n),
    draw: () => Math.random(),
    fail: (n, text) => ctx.fail('no_luck', text, 'n'),
    throw: () => { throw new Error('thrown'); },
    catch: () => { try { db.get('locker', {}); } catch {} },
  };
  for (const [name, n, text] of JSON.parse(args.text)) seen.push(steps[name](n, text) ?? null);
  return { value: seen.length, seen };
}`;
const spec = codeService({
  shared: probe('shared', SCRIPT, { returns: { value: { value: '$result.value', seen: '$result.seen' } } }),
  fresh: probe('fresh', SCRIPT.replace('const seen', 'globalThis.left = 1; const seen'), {
    returns: { value: { value: '$result.value', seen: '$result.seen' } },
  }),
});

const names = [
  'store',
  'bad',
  'locker',
  'put',
  'stray',
  'fee',
  'same',
  'gone',
  'all',
  'old',
  'find',
  'count',
  'write',
  'read',
  'remove',
  'draw',
  'fail',
  'throw',
  'catch',
];
// Mostly what succeeds, so that calls get somewhere.
const name = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('store', 'locker', 'put', 'fee', 'find', 'count', 'write', 'gone', 'all', 'draw'),
  },
  { weight: 1, arbitrary: fc.constantFrom(...names) },
);
const step = fc.tuple(name, fc.nat(6), fc.string({ unit: 'binary', maxLength: 40 }));
const call = fc.record({
  tool: fc.constantFrom('shared', 'shared', 'fresh', 'accept_parcel', 'list_parcels', 'return_all'),
  steps: fc.array(step, { maxLength: 8 }),
});
const argsOf = ({ tool, steps }: { tool: string; steps: unknown }): object => {
  if (tool === 'shared' || tool === 'fresh') return { text: JSON.stringify(steps), n: 1 };
  return tool === 'accept_parcel' ? { email: 'a@x.example', grams: 10 } : {};
};

const now = ({ program, conn, state, ctx }: Shop, tool: string, args: object): object => {
  conn.bind(state);
  conn.record();
  return { ...callTool(program, tool, conn, args, ctx), touched: conn.touched() };
};
const later = ({ program, conn, state, ctx }: Shop, tool: string, args: object): Promise<object> =>
  callToolAsync(program, tool, state, conn, args, ctx);

it('whatever a tool does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), async (calls) => {
      const [waiting, free, other] = [openShop(engine, spec), openShop(engine, spec), openShop(engine, spec)];
      for (const each of calls) {
        const args = argsOf(each);
        const before = free.state.hash();
        // Another session's call at the same time, on the same connection.
        const [outcome, twin] = await Promise.all([later(free, each.tool, args), later(other, each.tool, args)]);
        expect(outcome).toEqual(now(waiting, each.tool, args));
        expect(twin).toEqual(outcome);
        expect(free.state.hash()).toBe(waiting.state.hash());
        expect(other.state.hash()).toBe(waiting.state.hash());
        expect([...free.ctx.workspace.files()]).toEqual([...waiting.ctx.workspace.files()]);
        if (!(outcome as { ok: boolean }).ok) expect(free.state.hash()).toBe(before);
        for (const shop of [waiting, free, other]) shop.ctx.now += 5;
      }
      for (const { state } of [waiting, free, other]) state.drop();
    }),
    { numRuns: 60 },
  );
});

it('rows that constraints refuse, at the first write and at a later one', async () => {
  const cases: [string, number, string][][] = [
    [['bad', 1, '']],
    [
      ['store', 2, 'a'],
      ['bad', 1, ''],
    ],
    [
      ['locker', 1, ''],
      ['locker', 1, ''],
    ],
    [
      ['locker', 1, ''],
      ['stray', 1, ''],
    ],
    [
      ['locker', 1, ''],
      ['put', 1, ''],
      ['old', 0, ''],
    ],
    [['store', 1, 'x'.repeat(61)]],
  ];
  const codes: unknown[] = [];
  for (const steps of cases) {
    const [waiting, free] = [openShop(engine, spec), openShop(engine, spec)];
    const args = argsOf({ tool: 'shared', steps });
    const outcome = await later(free, 'shared', args);
    expect(outcome).toEqual(now(waiting, 'shared', args));
    expect(outcome).toMatchObject({ ok: false, error: { fault: 'agent' } });
    codes.push((outcome as { error: { code: string } }).error.code);
  }
  expect(codes).toEqual([
    'invalid_argument',
    'invalid_argument',
    'conflict',
    'invalid_reference',
    'conflict',
    'invalid_argument',
  ]);
});
