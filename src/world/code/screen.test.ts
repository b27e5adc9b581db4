import { describe, expect, it } from 'vitest';
import { type Refused, type Screened, screenCode } from './screen.js';

const refused = (source: string): Refused => {
  const found = screenCode(source);
  if (!('why' in found)) throw new Error('It was taken');
  return found;
};
const effects = (source: string): string[] => {
  const found = screenCode(source);
  if ('why' in found) throw new Error(`line ${found.line}: ${found.why}`);
  return found.sideEffects;
};

describe('what cannot work is refused with its line', () => {
  it.each<[string, number, RegExp]>([
    ['', 1, /must define one function/],
    ['const a = 1;', 1, /must define one function/],
    ['function a() {}\nfunction b() {}', 1, /must define one function/],
    ['5', 1, /must define one function/],
    ['(args) => {\n  return 1 +;\n}', 2, /no JavaScript/],
    ['import fs from "fs";\nexport default () => 1;', 1, /imported/],
    ['export default () =>\n import("fs");', 2, /imported/],
    ['export default () => import.meta.url;', 1, /import\.meta/],
    ['export const a = 1;\nexport default () => 1;', 1, /only the tool/],
    ['export default async () => 1;', 1, /async/],
    ['export default () => {\n const f = async () => 1;\n}', 2, /async/],
    ['await 1;\nexport default () => 1;', 1, /async/],
    ['export default function* () {}', 1, /generator/],
    ['export default () => require("fs");', 1, /require is not there: nothing can be loaded/],
    ['export default () => eval("1");', 1, /eval is not there/],
    ['export default () => new Function("1");', 1, /Function is not there/],
    ['export default () => {\n\n  return fetch("x"); };', 3, /fetch is not there: there is no network/],
    ['export default () => process.env;', 1, /process/],
    ['export default () => new Promise(() => 1);', 1, /everything answers at once/],
    ['export default () => setTimeout(() => 1);', 1, /setTimeout/],
    ['export default () => console.log(1);', 1, /console/],
    ['export default () => helper();', 1, /helper is not there$/],
    ['export default ({ a = nope }) => a;', 1, /nope/],
    ['export default () => { with (a) {} };', 1, /no JavaScript/],
    ['export default () => 1; // <!-- x', 1, /<!--/],
    [`${'('.repeat(40_000)}1${')'.repeat(40_000)}`, 1, /too deeply nested/],
    [`() => ${'-'.repeat(1)}${'!'.repeat(90_000)}1`, 1, /too deeply nested/],
    [`() => '${'x'.repeat(100_001)}'`, 1, /characters/],
  ])('case %#', (source, line, why) => {
    const found = refused(source);
    expect(found.why).toMatch(why);
    expect(found.line).toBe(line);
  });
});

/** The function that the factory makes, called here: what the wrapping does to a source. */
const called = (source: string, ...args: unknown[]): unknown => {
  const made = screenCode(source) as Screened;
  const factory = new Function(`return ${made.factory}`)() as () => (...all: unknown[]) => unknown;
  return factory()(...args);
};

describe('every form of a tool is found', () => {
  it.each([
    'export default function tool(a) { return a + other(); }\nconst other = () => 1;',
    'export default function (a) { return a + 1; }\n(1, 2);',
    'export default (a) => a + 1',
    'export default ((a) => a + 1);',
    'const f = (a) => a + 1;\nexport default f;',
    'const one = 1;\nexport default (a) => a + one; // the end',
    '(a) => a + 1',
    '(a) => a + 1;  ',
    '// first\n(a) => {\n  return a + 1;\n}\n// last',
    'function (a) { return a + 1; }',
    'function (a) { return a + 1; };\n',
    '/* why */ function (a) { return a + 1; } // so',
    'function tool(a) { return a + one; }\nconst one = 1;',
    '(function (a) { return a + 1; })',
    '"use strict";\nfunction tool(a) { return a + 1; }',
    'export default class { constructor() { throw new TypeError(); } }',
  ])('%j', (source) => {
    if (source.includes('class')) expect(() => called(source, 4)).toThrow(TypeError);
    else expect(called(source, 4)).toBe(5);
  });
});

describe('what stays within a call shares a realm', () => {
  it.each([
    'export default (args, ctx) => ctx.db.get("a", { id: args.id });',
    'const RATES = { a: 1 };\nexport default ({ a }) => RATES[a];',
    'const LIST = [3, 1, 2].sort();\nexport default () => LIST.slice().sort();',
    'export default () => { let n = 0; n++; const s = new Set(); s.add(n); return Math.max(...s); };',
    'export default () => Array.prototype.slice.call([1]);',
    'export default (o) => Object.prototype.hasOwnProperty.call(o, "a");',
    'export default (o) => Object.assign({}, o);',
    'export default () => Object.keys({ b: 1 }).sort();',
    'class A { #n = 0; add() { this.#n++; this.m = 1; return this; } static of() { return new A(); } }\nexport default () => A.of().add();',
    'export default () => { const o = { n: 0, up() { this.n++; } }; o.up(); return o; };',
    'export default () => { for (const x of [1]) { var y = x; } return y; };',
    'export default (args) => { args.extra = 1; delete args.extra; return args; };',
    'export default () => { try { throw 1; } catch (e) { e = 2; return e; } };',
    'export default function f(n) { return n ? f(n - 1) : 0; }',
    'export default () => typeof fetch;',
    'export default () => globalThis.Math.PI;',
    'export default ([a, { b, ...c }] = [], ...d) => { [a, b] = [b, a]; return [c, d]; };',
    'export default () => { label: for (;;) break label; return Reflect.ownKeys({}); };',
  ])('%j', (source) => {
    expect(effects(source)).toEqual([]);
  });
});

describe('what reaches beyond it does not', () => {
  it.each<[string, RegExp]>([
    ['export default () => { count = 1; return count; };', /line 1: makes a global of count/],
    ['export default () => {\n  globalThis.left = 1;\n};', /line 2: changes globalThis/],
    ['export default () => { globalThis["left"] = 1; };', /changes globalThis/],
    ['export default () => { const g = globalThis; g.left = 1; };', /hands globalThis on/],
    ['export default () => { delete globalThis.Map; };', /changes globalThis/],
    ['export default () => { Math = 1; };', /replaces Math/],
    ['export default () => { Math.max = 1; };', /changes Math/],
    ['export default () => { Object.assign(Math, { a: 1 }); };', /changes Math/],
    ['export default () => { Object.defineProperty(Array, "a", { value: 1 }); };', /changes Array/],
    ['export default () => { Array.prototype.last = 1; };', /changes a prototype/],
    ['export default () => { Array["prototype"].last = 1; };', /changes a prototype/],
    ['export default () => { Array.prototype.push(1); };', /changes a prototype/],
    ['export default () => { ({}).__proto__.left = 1; };', /changes a prototype/],
    ['export default () => { [].constructor.prototype.left = 1; };', /changes a prototype/],
    ['export default () => { Object.getPrototypeOf([]).left = 1; };', /changes a prototype/],
    ['export default () => { Object.setPrototypeOf(Array.prototype, null); };', /prototype/],
    ['export default () => { const p = Array.prototype; p.left = 1; };', /hands Array\.prototype on/],
    ['let n = 0;\nexport default () => ++n;', /line 2: changes n, which all calls would share/],
    ['var n = 0;\nexport default () => { n += 1; };', /changes n/],
    ['const seen = [];\nexport default () => { seen.push(1); };', /changes seen/],
    ['const seen = {};\nexport default (a) => { seen[a] = 1; };', /changes seen/],
    [
      'const memo = new Map();\nfunction at(k) { memo.set(k, 1); }\nexport default (a) => at(a);',
      /line 2: changes memo/,
    ],
    ['const o = { a: { b: 1 } };\nexport default () => { o.a.b++; };', /changes o/],
    ['const o = {};\nexport default () => { Object.assign(o, { a: 1 }); };', /changes o/],
    ['export default function f() { f.calls = 1; }', /changes f/],
    ['let n = 0;\nexport default () => { [n] = [1]; ({ a: n } = { a: 2 }); for (n of [1]); };', /changes n/],
    ['export default function () { this.left = 1; }', /this outside a method/],
  ])('%j', (source, why) => {
    expect(effects(source).join('\n')).toMatch(why);
  });
});

it('a name of its own hides the global of that name', () => {
  expect(effects('export default (Math, globalThis) => { Math.max = 1; globalThis.x = 2; };')).toEqual([]);
  expect(effects('const seen = [];\nexport default (seen) => { seen.push(1); };')).toEqual([]);
});
