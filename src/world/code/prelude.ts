/**
 * What runs inside QuickJS before a tool: it pins time and chance, takes away what a tool may not have, makes `ctx`, and
 * freezes the realm where calls share it. It is handed over as text, so it may use nothing but the language itself.
 */

/** Asks the outside; the first character of the answer is a tag. */
type Ask = (request: string) => string;
type Fail = (request: string) => void;

/** What the realm is given for a call, as JSON. */
interface Opening {
  args: unknown;
  now: number;
  today: number;
  me: object;
  seed: [number, number, number, number];
}

/** `R` and JSON (nothing for undefined); `Y` where there is no JSON of the result, `X` where the tool threw, and JSON of why. */
export type Start = (factory: () => unknown, opening: string) => string;

const prelude = (ask: Ask, failed: Fail, frozen: boolean, longest: number): Start => {
  const { apply, construct, ownKeys, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { freeze } = Object;
  const { parse, stringify } = JSON;
  const { slice } = String.prototype;
  const Failure = Error;
  const Unfit = TypeError;
  const text = String;
  const cut = (value: string, from: number, to?: number): string => apply(slice, value, [from, to]);

  let clock = 0;
  let words: [number, number, number, number] = [0, 0, 0, 0];
  const hide = (target: object, key: PropertyKey, value: unknown): void => {
    defineProperty(target, key, { value, writable: true, configurable: true, enumerable: false });
  };

  // Time: a Date without arguments is the call's virtual moment.
  const RealDate = Date;
  const dates = RealDate.prototype;
  const PinnedDate = function (this: unknown, ...parts: unknown[]) {
    if (!new.target) return apply(dates.toString, construct(RealDate, [clock]), []);
    return construct(RealDate, parts.length === 0 ? [clock] : parts, new.target);
  };
  for (const key of ['parse', 'UTC'] as const) hide(PinnedDate, key, RealDate[key]);
  hide(PinnedDate, 'now', () => clock);
  hide(PinnedDate, 'name', 'Date');
  defineProperty(PinnedDate, 'prototype', { value: dates, writable: false });
  hide(dates, 'constructor', PinnedDate);
  hide(globalThis, 'Date', PinnedDate);

  // Chance: sfc32, seeded by the call.
  const random = (): number => {
    const [a, b, c, d] = words;
    const sum = (((a + b) | 0) + d) | 0;
    const next: [number, number, number, number] = [
      b ^ (b >>> 9),
      (c + (c << 3)) | 0,
      (((c << 21) | (c >>> 11)) + sum) | 0,
      (d + 1) | 0,
    ];
    words = next;
    return (sum >>> 0) / 4294967296;
  };
  hide(Math, 'random', random);

  const call = (request: object): unknown => {
    const question = stringify(request);
    if (question.length > longest) throw new Unfit('The values handed to ctx are too large');
    const answer = ask(question);
    if (answer[0] === 'N') throw new Failure(cut(answer, 1));
    return parse(cut(answer, 1));
  };
  const db = {
    get: (table: unknown, where: unknown) => call({ do: 'get', table, where }),
    find: (table: unknown, where?: unknown, options?: unknown) => call({ do: 'find', table, where, options }),
    query: (sql: unknown, params?: unknown) => call({ do: 'query', sql, params }),
    insert: (table: unknown, row: unknown) => call({ do: 'insert', table, set: row }),
    update: (table: unknown, where: unknown, set: unknown) => call({ do: 'update', table, where, set }),
    delete: (table: unknown, where: unknown) => call({ do: 'delete', table, where }),
  };
  const files = {
    read: (path: unknown) => call({ do: 'read', path }),
    list: (path?: unknown) => call({ do: 'list', path }),
    write: (path: unknown, content: unknown) => void call({ do: 'write', path, content }),
    move: (path: unknown, to: unknown) => void call({ do: 'move', path, to }),
    delete: (path: unknown) => void call({ do: 'remove', path }),
  };
  const fail = (code: unknown, message: unknown, field?: unknown): never => {
    failed(stringify([text(code), text(message), field === undefined ? null : text(field)]));
    throw new Failure('The tool failed on purpose');
  };

  const { Iterator: iterators } = globalThis as unknown as {
    Iterator: Record<'from' | 'concat', (from: unknown) => object>;
  };
  // Values that only syntax and calls lead to; their prototypes are part of the realm.
  const syntax: unknown[] = [
    function* () {},
    (function* () {})(),
    async () => {},
    async function* () {},
    [][Symbol.iterator](),
    ''[Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    ''.matchAll(/a/g),
    ([].values() as unknown as { map(each: () => unknown): unknown }).map(() => 0),
    iterators.from({ next: () => 0 }),
    iterators.concat([]),
  ];
  for (const key of ['eval', 'Function', 'Promise', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry'])
    delete (globalThis as unknown as Record<string, unknown>)[key];
  for (const value of [call, syntax[0], syntax[2], syntax[3]])
    defineProperty(getPrototypeOf(value as object) as object, 'constructor', { value: undefined });

  // A frozen prototype makes `error.name = 'X'` fail on what inherits from it; accessors that define it there do not.
  const behind: unknown[] = [];
  const open = (proto: object): void => {
    for (const key of ownKeys(proto)) {
      const found = getOwnPropertyDescriptor(proto, key) as PropertyDescriptor;
      if (!('value' in found) || !found.configurable || key === 'prototype') continue;
      const { value, enumerable } = found;
      behind.push(value);
      const set = function (this: object, own: unknown): void {
        if (
          this === proto ||
          !defineProperty(this, key, { value: own, writable: true, enumerable: true, configurable: true })
        )
          throw new Unfit('The property cannot be changed');
      };
      defineProperty(proto, key, { get: () => value, set, enumerable: enumerable ?? false, configurable: false });
    }
  };
  const freezeAll = (roots: unknown[]): void => {
    const seen = new Set<unknown>();
    const todo = roots;
    while (todo.length > 0) {
      const at = todo.pop();
      if ((typeof at !== 'object' && typeof at !== 'function') || at === null || seen.has(at)) continue;
      seen.add(at);
      freeze(at);
      todo.push(getPrototypeOf(at));
      for (const key of ownKeys(at)) {
        const found = getOwnPropertyDescriptor(at, key) as PropertyDescriptor;
        todo.push(found.value, found.get, found.set);
      }
    }
  };

  const describe = (tag: string, thrown: unknown): string => {
    const parts = ['Error', '', ''];
    try {
      if (thrown instanceof Failure) parts[0] = cut(text(thrown.name), 0, 60);
      else parts[0] = typeof thrown;
      parts[1] = cut(text(thrown instanceof Failure ? thrown.message : thrown), 0, 400);
      if (thrown instanceof Failure) parts[2] = cut(text(thrown.stack), 0, 1000);
    } catch {
      parts[1] ||= 'a value that cannot be shown';
    }
    return tag + stringify(parts);
  };
  const start: Start = (factory, opening) => {
    let result: unknown;
    try {
      const { args, now, today, me, seed } = parse(opening) as Opening;
      clock = now * 1000;
      words = seed;
      for (let i = 0; i < 12; i++) random();
      const tool = factory() as (args: unknown, ctx: object) => unknown;
      result = tool(args, { now, today, me, db, files, fail });
    } catch (thrown) {
      return describe('X', thrown);
    }
    try {
      if (result === undefined) return 'R';
      const shown = stringify(result);
      if (shown === undefined) throw new Unfit(`a ${typeof result} is no JSON`);
      if (shown.length > longest) throw new Unfit('it is too large');
      return `R${shown}`;
    } catch (thrown) {
      return describe('Y', thrown);
    }
  };
  freeze(db);
  freeze(files);
  if (frozen) {
    const errors = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
    for (const proto of [Object.prototype, getPrototypeOf(call), ...errors.map((kind) => kind.prototype)])
      open(proto as object);
    freezeAll([globalThis, db, files, fail, start, call, random, ...syntax, ...behind]);
  }
  return start;
};

/** An expression of the language that QuickJS runs. */
export const PRELUDE = `(${prelude.toString()})`;
