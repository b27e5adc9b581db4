/** A realm that calls share carries nothing from one to the next, whatever they try. */
import { afterAll, expect, it } from 'vitest';
import { CodePool } from './pool.js';
import type { CodeEnd, CodeJob } from './protocol.js';
import { screenCode } from './screen.js';

const pool = new CodePool({ size: 1, wallMs: 8_000 });
afterAll(() => pool.close());

/** Runs in the shared realm, whatever the screen would say of it. */
const run = (source: string, more: Partial<CodeJob> = {}): Promise<CodeEnd> => {
  const screened = screenCode(source);
  if ('why' in screened) throw new Error(screened.why);
  const factory = screened.factory.replace(/^\(function \(\) \{("use strict";)?/, '(function () {"use strict";');
  const job = { source: factory, fresh: false, args: {}, now: 1_717_200_000, today: 1_717_200_000, seed: [1, 2, 3, 4] };
  return pool.run({ ...job, me: { id: 'e', name: 'Ada', email: 'a@x.example' }, ...more }, () => 'Onull');
};

const attempt = (body: string): string =>
  `(args, ctx) => { try { ${body} } catch (e) { return String(e); } return 'done'; }`;

/** What a call tries to leave behind, and where a later one looks for it. */
const LEAKS: [leave: string, look: string][] = [
  ['globalThis.left = 1;', 'globalThis.left'],
  ['Object.defineProperty(globalThis, "left", { value: 1 });', 'globalThis.left'],
  ['Object.prototype.left = 1;', '({}).left'],
  ['({}).__proto__.left = 1;', '({}).left'],
  ['Object.setPrototypeOf(Object.prototype, { left: 1 });', '({}).left'],
  ['Object.setPrototypeOf(globalThis, { left: 1 });', 'globalThis.left'],
  ['Array.prototype.left = 1;', '[].left'],
  ['Array.prototype.push = () => 7;', '[].push(1) === 7 || undefined'],
  ['Array.left = 1;', 'Array.left'],
  ['Math.left = 1;', 'Math.left'],
  ['Math.max = () => 7;', 'Math.max(1) === 7 || undefined'],
  ['JSON.left = 1;', 'JSON.left'],
  ['Math = 1;', 'typeof Math === "number" || undefined'],
  ['undefined = 1;', 'undefined'],
  ['Date.left = 1;', 'Date.left'],
  ['Date.prototype.left = 1;', 'new Date(0).left'],
  ['Date.now = () => 7;', 'Date.now() === 7 || undefined'],
  ['Math.random.left = 1;', 'Math.random.left'],
  ['ctx.db.left = 1;', 'ctx.db.left'],
  ['ctx.db.get = () => 7;', 'ctx.db.get("a", {}) === 7 || undefined'],
  ['ctx.db.get.left = 1;', 'ctx.db.get.left'],
  ['ctx.fail.left = 1;', 'ctx.fail.left'],
  ['Object.getPrototypeOf(ctx.fail).left = 1;', 'ctx.fail.left'],
  ['ctx.left = 1;', 'ctx.left'],
  ['args.left = 1;', 'args.left'],
  ['ctx.me.left = 1;', 'ctx.me.left'],
  ['(function* () {}).__proto__.left = 1;', '(function* () {}).left'],
  ['Object.getPrototypeOf(function* () {}).prototype.left = 1;', '(function* () {})().left'],
  ['[].values().__proto__.left = 1;', '[].values().left'],
  ['[].values().__proto__.__proto__.left = 1;', 'new Map().values().left'],
  ['new Set().values().__proto__.left = 1;', 'new Set().values().left'],
  ['"".matchAll(/a/g).__proto__.left = 1;', '"".matchAll(/a/g).left'],
  ['""[Symbol.iterator]().__proto__.left = 1;', '""[Symbol.iterator]().left'],
  ['[].values().map((x) => x).__proto__.left = 1;', '[].values().map((x) => x).left'],
  ['Iterator.from({ next() {} }).__proto__.left = 1;', 'Iterator.from({ next() {} }).left'],
  ['/a/.__proto__.left = 1;', '/a/.left'],
  ['RegExp.left = 1;', 'RegExp.left'],
  ['/(a)/.exec("a"); /(b)/.test("b");', 'RegExp.$1'],
  ['Error.prototype.name = "left";', 'new Error().name === "left" || undefined'],
  ['Error.stackTraceLimit = 0;', 'Error.stackTraceLimit'],
  ['Error.prepareStackTrace = () => 1;', 'Error.prepareStackTrace'],
  ['TypeError.prototype.toString = () => "left";', 'String(new TypeError()) === "left" || undefined'],
  ['Symbol.for("left").description.left = 1;', 'Symbol.for("left").description.left'],
  ['Symbol.prototype.left = 1;', 'Symbol.for("x").left'],
  ['Uint8Array.__proto__.left = 1;', 'Int8Array.left'],
  ['new Uint8Array(1).__proto__.__proto__.left = 1;', 'new Int8Array(1).left'],
  ['Reflect.left = 1;', 'Reflect.left'],
  ['Proxy.left = 1;', 'Proxy.left'],
  ['((x) => x`a`)((t) => { t.left = 1; });', '((x) => x`a`)((t) => t.left)'],
  ['Object.prototype.__defineGetter__("left", () => 1);', '({}).left'],
  ['Object.prototype.__defineSetter__.left = 1;', 'Object.prototype.__defineSetter__.left'],
  [
    'Object.getOwnPropertyDescriptor(Object.prototype, "toString").get.left = 1;',
    'Object.getOwnPropertyDescriptor(Object.prototype, "toString").get?.left',
  ],
  [
    'Object.getOwnPropertyDescriptor(Object.prototype, "toString").set.call(Object.prototype, 1);',
    'typeof Object.prototype.toString === "number" || undefined',
  ],
  ['delete Array.prototype.map;', 'typeof [].map === "undefined" || undefined'],
  ['delete globalThis.Map;', 'typeof Map === "undefined" || undefined'],
  [
    'class B { constructor(o) { return o; } } class S extends B { #left = 1; } new S(Object.prototype);',
    '(() => { class B { constructor(o) { return o; } } class S extends B { #left; static of(o) { return #left in o || undefined; } } return S.of(Object.prototype); })()',
  ],
];

it('nothing that a call leaves is there for another, of the same tool or of others', async () => {
  for (const [leave, look] of LEAKS) {
    // The same source twice, so that a realm that keeps functions by source is caught too.
    const source = `(args, ctx) => {
      if (args.look) return ${look} === undefined ? 'clean' : 'LEAKED';
      try { ${leave} } catch (e) { return 'refused'; }
      return 'done';
    }`;
    const left = await run(source);
    expect(left, leave).toMatchObject({ end: 'returned' });
    expect(await run(source, { args: { look: true } }), leave).toEqual({ end: 'returned', value: '"clean"' });
    const other = `(args, ctx) => ${look} === undefined ? 'clean' : 'LEAKED'`;
    expect(await run(other), leave).toEqual({ end: 'returned', value: '"clean"' });
  }
});

it('every prototype that syntax or a built-in leads to is frozen', async () => {
  const source = `(args, ctx) => {
    const f = () => 1;
    const values = [function* () {}, Object.getPrototypeOf((function* () {})()), class {}, f, f.bind(), /a/, [].values(), [].entries(), ''.matchAll(/a/g),
      ''[Symbol.iterator](), new Map(), new Map().keys(), new Set(), new Set().values(), new WeakMap(), new WeakSet(), 1n, 1, '', true,
      Symbol(), new Date(), new Error(), new AggregateError([]), new Uint8Array(1), new DataView(new ArrayBuffer(1)), arguments_(),
      Iterator.from({ next() {} }), Iterator.from([1]), [].values().map(f), [].values().filter(f), [].values().take(1),
      [].values().drop(1), [].values().flatMap(() => []), Iterator.concat && Iterator.concat([1]), Reflect, JSON, Math, globalThis,
      Proxy.revocable({}, {}).revoke,
      Object.groupBy([], f), Map.groupBy([], f), ctx.db.get, ctx.fail, ctx.files, new Float32Array(1).values(), [].keys()];
    function arguments_() { return arguments; }
    const thrower = (function () { return Object.getOwnPropertyDescriptor(arguments, 'callee').get; })();
    const loose = [];
    const seen = new Set();
    const walk = (at, path) => {
      if (at === null || (typeof at !== 'object' && typeof at !== 'function') || seen.has(at)) return;
      seen.add(at);
      if (!Object.isFrozen(at)) loose.push(path);
      walk(Object.getPrototypeOf(at), path + '.__proto__');
      for (const key of Reflect.ownKeys(at)) {
        const { value, get, set } = Object.getOwnPropertyDescriptor(at, key);
        let behind;
        try { behind = get && at[key]; } catch {}
        for (const part of [value, get, set, behind]) walk(part, path + '.' + String(key));
      }
    };
    values.forEach((value, i) => value !== undefined && walk(Object.getPrototypeOf(Object(value)), i + ''));
    walk(globalThis, 'globalThis');
    walk(thrower, 'thrower');
    return [...loose, seen.size > 500 ? 'walked' : seen.size];
  }`;
  expect(JSON.parse(((await run(source)) as { value: string }).value)).toEqual(['walked']);
});

it('variables of the module begin anew with every call', async () => {
  const source = `
    let count = 0;
    const seen = [];
    const pattern = /a/g;
    const memo = new Map();
    class Counter { static n = 0; }
    function* numbers() { let i = 0; for (;;) yield i++; }
    const stream = numbers();
    function other() { other.calls = (other.calls ?? 0) + 1; return other.calls; }
    export default () => {
      count++; seen.push(count); Counter.n++; memo.set(memo.size, 1);
      return [count, seen.length, pattern.test('aa') && pattern.lastIndex, Counter.n, stream.next().value, other(), memo.size];
    };`;
  for (let turn = 0; turn < 3; turn++) expect(await run(source)).toEqual({ end: 'returned', value: '[1,1,1,1,0,1,1]' });
});

it('a call that was cut off leaves nothing either', async () => {
  const source = `
    const kept = [];
    export default (args) => {
      kept.push(1);
      while (args.loop) {}
      return kept.length;
    };`;
  expect(await run(source, { args: { loop: true } })).toMatchObject({ end: 'broke', code: 'code_timeout' });
  expect(await run(source)).toEqual({ end: 'returned', value: '1' });
});

it('time and chance are those of the call', async () => {
  const source = '() => [Date.now(), new Date().toISOString(), typeof Date(), Math.random(), Math.random()]';
  const value = (end: CodeEnd) => JSON.parse((end as { value: string }).value) as unknown[];
  const first = value(await run(source));
  expect(first.slice(0, 3)).toEqual([1_717_200_000_000, '2024-06-01T00:00:00.000Z', 'string']);
  expect(value(await run(source))).toEqual(first);
  const later = value(await run(source, { now: 1_717_200_001, seed: [1, 2, 3, 5] }));
  expect(later[0]).toBe(1_717_200_001_000);
  expect(later[3]).not.toBe(first[3]);
});

it('ordinary code works in a frozen realm', async () => {
  const source = `
    class Refusal extends Error { constructor(why) { super(why); this.name = 'Refusal'; this.code = 5; } }
    export default () => {
      const out = { toString() { return 'own'; } };
      out.valueOf = () => 3; out.constructor = 'c'; out.hasOwnProperty = 1;
      const copy = Object.assign({}, { toString: 1 });
      let caught;
      try { throw new Refusal('why'); } catch (e) { caught = [e.name, e.message, e.code, String(e), e instanceof Refusal]; }
      const list = [3, 1, 2]; list.sort(); list.push(4);
      class Days extends Date {}
      const f = () => 1; f.call = 2;
      return [String(out), +out, out.constructor, copy.toString, caught, list, new Days(0).getTime(), [1] instanceof Array,
        Object.prototype.toString.call([]), [...'ab'].map((x) => x + 1).join(), new Map([[1, 2]]).get(1)];
    };`;
  const end = await run(source);
  expect(JSON.parse((end as { value: string }).value)).toEqual([
    'own',
    3,
    'c',
    1,
    ['Refusal', 'why', 5, 'Refusal: why', true],
    [1, 2, 3, 4],
    0,
    true,
    '[object Array]',
    'a1,b1',
    2,
  ]);
});

it.each([
  'eval',
  'Function',
  'Promise',
  'WeakRef',
  'FinalizationRegistry',
  'SharedArrayBuffer',
  'fetch',
  'process',
  'require',
  'setTimeout',
  'performance',
  'console',
])('there is no %s', async (name) => {
  expect(await run(`() => typeof ${name}`)).toEqual({ end: 'returned', value: '"undefined"' });
  expect(await run(`() => typeof globalThis[${JSON.stringify(name)}]`)).toEqual({
    end: 'returned',
    value: '"undefined"',
  });
});

it.each(['(() => {})', '(function* () {})', 'class {}', 'ctx.fail', '[].map'])(
  'no code is made from text by %s',
  async (of) => {
    const made = await run(attempt(`return ${of}.constructor('return 1')();`).replace('(args, ctx)', '(args, ctx)'));
    expect(made).toMatchObject({ end: 'returned', value: expect.stringMatching(/TypeError/) as unknown });
  },
);
