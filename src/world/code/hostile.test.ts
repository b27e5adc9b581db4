/** Tools that loop, gorge, recurse, lie and die: each ends as a clear error, nothing changes, and the next call works. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callTool } from '../program/call.js';
import type { ToolOutcome } from '../program/types.js';
import { Engine } from '../state/engine.js';
import { callToolAsync } from './call.js';
import { codeService, openShop, probe, type Shop } from './code.fixture.js';
import { closeCode, codePool, configureCode } from './running.js';

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
  // What is cut by count or by room must be, also on a machine that is busy.
  configureCode({ wallMs: 5_000 });
});
afterAll(() => {
  closeCode();
  engine.close();
});

const WRITE = `ctx.db.insert('locker', { id: 'X' + args.n, size: 'small' });`;

const BAD: Record<string, [body: string, code: string | RegExp]> = {
  loops: ['for (;;) {}', 'code_timeout'],
  'loops and catches': ['for (;;) { try { for (;;) {} } catch {} }', 'code_timeout'],
  'loops in finally': ['try { for (;;) {} } finally { for (;;) {} }', 'code_timeout'],
  'a native loop that nothing interrupts': ['Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 5)', 'code_timeout'],
  'a catastrophic regex': [`/^(a+)+$/.test('a'.repeat(40) + 'b')`, 'code_timeout'],
  gorges: [`const all = []; for (;;) all.push('y'.repeat(1e5) + all.length);`, 'code_memory'],
  'gorges and catches': [
    `const all = []; for (;;) { try { for (;;) all.push('y'.repeat(1e5) + all.length); } catch {} }`,
    /^code_(memory|timeout)$/,
  ],
  'a huge string': [`return { value: 'x'.repeat(2 ** 30) }`, 'code_memory'],
  'a huge array': ['new Array(2 ** 28).fill(0)', 'code_memory'],
  'a huge buffer': ['new ArrayBuffer(2 ** 31)', /^code_(memory|error)$/],
  'a string that doubles': [`let s = 'x'; for (;;) s += s;`, 'code_memory'],
  recurses: ['const f = () => f() + 1; f();', 'code_stack'],
  'recurses in a getter': ['const o = { get a() { return this.a; } }; o.a;', 'code_stack'],
  'a deep result': ['let d = {}; for (let i = 0; i < 100; i++) d = { d }; return { value: d };', 'code_result'],
  'a result too deep to be written': [
    'let d = {}; for (let i = 0; i < 3e3; i++) d = { d }; return { value: d };',
    /^code_(stack|result)$/,
  ],
  'a result that takes for ever to be found too deep': [
    'let d = {}; for (let i = 0; i < 2e5; i++) d = { d }; return { value: d };',
    /^code_(stack|timeout)$/,
  ],
  'deep JSON': [`JSON.parse('['.repeat(1e5))`, 'code_stack'],
  'a cyclic result': ['const o = {}; o.o = o; return { value: o };', 'code_result'],
  'a large result': [`return { value: 'x'.repeat(3e6) };`, 'code_result'],
  'many results': ['return { value: Array.from({ length: 5e5 }, (_, i) => i) };', 'code_result'],
  'a result that throws': ['return { get value() { throw 1; } };', 'code_result'],
  'a result that loops': ['return { toJSON() { for (;;) {} } };', 'code_timeout'],
  'a bigint': ['return { value: 1n };', 'code_result'],
  'a function': ['return () => 1;', 'code_result'],
  'no object': ['return 5;', 'code_result'],
  nothing: ['', 'code_result'],
  'throws undefined': ['throw undefined;', 'code_error'],
  'throws null': ['throw null;', 'code_error'],
  'throws a symbol': [`throw Symbol('x');`, 'code_error'],
  'throws a proxy': ['throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } });', 'code_error'],
  'throws a proxy of an error that never answers': [
    'throw new Proxy(new Error(), { get() { for (;;) {} } });',
    'code_timeout',
  ],
  'throws a huge message': [`throw new Error('x'.repeat(1e6));`, 'code_error'],
  'throws as if it were out of memory': [`throw new Error('out of memory');`, 'code_error'],
  'a hostile comparator': [
    'const z = Array.from({ length: 2e5 }, (_, i) => i % 7); for (;;) z.sort(() => 1);',
    'code_timeout',
  ],
  'a comparator that throws': ['[3, 1, 2].sort(() => { throw new TypeError("no"); });', 'code_error'],
  'a proxy without end': [
    'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return { value: p.x };',
    /^code_(stack|error|memory)$/,
  ],
  'asks without end': [`for (;;) ctx.db.get('locker', { id: 'S1' });`, 'code_error'],
  'catches what was refused': [
    `try { ctx.db.get('locker', { nope: 1 }); } catch {} return { value: 1 };`,
    'code_error',
  ],
  'loops after a refusal': [`try { ctx.db.get('locker', { nope: 1 }); } catch { for (;;) {} }`, 'code_error'],
  'asks for the table of something else': [`ctx.db.get('audit', { id: 'a' });`, 'code_undeclared'],
  'queries the table of something else': [`ctx.db.query('SELECT count(*) FROM audit');`, 'code_undeclared'],
  'writes an undeclared column': [`ctx.db.update('parcel', { id: 'par_1' }, { email: 'x' });`, 'code_undeclared'],
  'an unknown table': [`ctx.db.find('nope');`, 'code_error'],
  'the counters': [`ctx.db.query('SELECT * FROM _treadle_counter');`, 'code_error'],
  'the schema': [`ctx.db.query('SELECT * FROM sqlite_schema');`, 'code_error'],
  'a writing query': [`ctx.db.query('DELETE FROM parcel');`, 'code_error'],
  'two statements': [`ctx.db.query('SELECT 1; SELECT 2');`, 'code_error'],
  'a query without end': [
    `ctx.db.query('WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r');`,
    'budget_exceeded',
  ],
  'text in a number': [`ctx.db.update('parcel', { id: 'par_1' }, { fee: 'much' });`, 'code_error'],
  'an object as a table': [`ctx.db.get({ toString() { return 'locker'; } }, { id: 'S1' });`, 'code_error'],
  'a cyclic question': ['const o = {}; o.o = o; ctx.db.get("locker", o);', 'code_error'],
  'a large question': [`ctx.db.get('locker', { id: 'x'.repeat(2e6) });`, 'code_error'],
  'an empty condition': [`ctx.db.delete('locker', {});`, 'code_error'],
  'a prototype as a column': [`ctx.db.get('locker', { constructor: 1 });`, 'code_error'],
  'files that its source does not show': [`ctx['fil' + 'es'].write('a', 'b');`, 'code_error'],
  'a code that is none': [`ctx.fail('No Such Code!', 'x');`, 'code_error'],
  'a code that cannot be shown': [`ctx.fail({ toString() { throw 1; } }, 'x');`, 'code_error'],
};

// In a realm of its own: what breaks there must not break its taking down.
for (const name of [
  'loops',
  'gorges',
  'recurses',
  'a cyclic result',
  'throws a proxy',
  'an unknown table',
  'loops after a refusal',
])
  BAD[`alone: ${name}`] = [`globalThis.left = [() => globalThis.left]; ${BAD[name]?.[0]}`, BAD[name]?.[1] as string];

const tools = Object.fromEntries(
  Object.entries(BAD).map(([, [body]], i) => [`bad_${i}`, probe(`bad_${i}`, `(args, ctx) => { ${WRITE} ${body} }`)]),
);
const spec = codeService({ ...tools, good: probe('good', '(args) => ({ value: args.n })') });

const later = ({ program, conn, state, ctx }: Shop, tool: string, args: object = { n: 1 }): Promise<ToolOutcome> =>
  callToolAsync(program, tool, state, conn, args, ctx);

it.each(Object.keys(BAD))('%s', async (name) => {
  const [, code] = BAD[name] as [string, string | RegExp];
  const shop = openShop(engine, spec);
  const before = shop.state.hash();
  const outcome = await later(shop, `bad_${Object.keys(BAD).indexOf(name)}`);
  expect(outcome).toMatchObject({ ok: false, error: { fault: 'world' } });
  if (outcome.ok) return;
  expect(outcome.error.code).toMatch(typeof code === 'string' ? new RegExp(`^${code}$`) : code);
  expect(outcome.error.status).toBeGreaterThanOrEqual(500);
  expect(outcome.error.message.length).toBeLessThan(1_000);
  expect(shop.state.hash()).toBe(before);
  expect(await later(shop, 'good', { n: 7 })).toMatchObject({ ok: true, result: { value: 7 } });
});

it('ends alike while this thread waits', () => {
  const shop = openShop(engine, spec);
  const before = shop.state.hash();
  const names = [
    'loops',
    'a native loop that nothing interrupts',
    'gorges',
    'recurses',
    'an unknown table',
    'throws null',
  ];
  for (const name of names) {
    shop.conn.bind(shop.state);
    const tool = `bad_${Object.keys(BAD).indexOf(name)}`;
    const outcome = callTool(shop.program, tool, shop.conn, { n: 1 }, shop.ctx);
    expect(outcome).toMatchObject({ ok: false, error: { code: BAD[name]?.[1], fault: 'world' } });
    expect(shop.state.hash()).toBe(before);
    expect(callTool(shop.program, 'good', shop.conn, { n: 7 }, shop.ctx)).toMatchObject({ ok: true });
  }
});

it('goes on with other calls while some never end, and queues the rest', async () => {
  const shops = Array.from({ length: 8 }, () => openShop(engine, spec));
  const stuck = `bad_${Object.keys(BAD).indexOf('a native loop that nothing interrupts')}`;
  const calls = shops.map((shop, i) => later(shop, i === 0 ? stuck : 'good', { n: i }));
  const ends = await Promise.all(calls);
  expect(ends.slice(1).map(({ result }) => (result as { value: number }).value)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(ends[0]).toMatchObject({ error: { code: 'code_timeout' } });
  expect(codePool().pids.length).toBeLessThanOrEqual(2);
});

it('survives a process that is killed in the middle of a call, or between calls', async () => {
  const shop = openShop(engine, spec);
  const before = shop.state.hash();
  await later(shop, 'good');
  const call = later(shop, `bad_${Object.keys(BAD).indexOf('a native loop that nothing interrupts')}`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const pid of codePool().pids) process.kill(pid, 'SIGKILL');
  expect(await call).toMatchObject({ ok: false, error: { code: 'code_crashed', fault: 'world' } });
  expect(shop.state.hash()).toBe(before);
  expect(await later(shop, 'good', { n: 3 })).toMatchObject({ ok: true, result: { value: 3 } });
  for (const pid of codePool().pids) process.kill(pid, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await later(shop, 'good', { n: 4 })).toMatchObject({ ok: true, result: { value: 4 } });
});

it('keeps a call from a state that another call changed meanwhile, and from one that was dropped', async () => {
  const shop = openShop(engine, codeService({ add: probe('add', `(args, ctx) => { ${WRITE} return { value: 1 }; }`) }));
  const slow = later(shop, 'add', { n: 1 });
  shop.conn.bind(shop.state);
  shop.conn.prepare("UPDATE locker SET size = 'large'").run();
  await expect(slow).rejects.toMatchObject({ code: 'state_busy', fault: 'infrastructure' });
  const gone = openShop(engine, shop.program.spec);
  const late = later(gone, 'add');
  gone.state.drop();
  await expect(late).rejects.toMatchObject({ code: 'state_dropped' });
});
