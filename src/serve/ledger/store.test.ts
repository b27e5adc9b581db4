import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { call, codeOf, FakeDisk, small } from './ledger.fixture.js';
import { memoryLedger } from './memory.js';
import { LedgerStore } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'treadle-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a ledger in a store', () => {
  it('gives back what was pushed, from memory and from disk', () => {
    const store = new LedgerStore({ folder });
    const ledger = store.open();
    for (let i = 0; i < 300; i++) ledger.push(call(i), i / 4);
    const expected = Array.from({ length: 300 }, (_, i) => ({ ...call(i), ms: i / 4 }));
    expect(ledger.entries()).toEqual(expected);
    const fork = ledger.fork();
    ledger.spill();
    expect(ledger.entries()).toEqual(expected);
    expect(ledger.calls()).toEqual(Array.from({ length: 300 }, (_, i) => call(i)));
    fork.push(call(300), 1);
    expect(fork.entries()).toEqual([...expected, { ...call(300), ms: 1 }]);
    expect(ledger.length).toBe(300);
    ledger.drop();
    ledger.drop();
    expect(fork.at(7)).toEqual(expected[7]);
    expect([fork.at(-1), fork.at(301), fork.at(0.5), fork.at(Number.NaN)]).toEqual(Array(4).fill(undefined));
    expect(fork.last()).toEqual({ ...call(300), ms: 1 });
    fork.drop();
    expect([store.bytesInMemory, store.bytesOnDisk]).toEqual([0, 0]);
    store.close();
  });

  it('reads as the same array until something is pushed', () => {
    const store = new LedgerStore({ folder });
    const ledger = store.open();
    expect([ledger.entries(), ledger.calls(), ledger.last(), ledger.length]).toEqual([[], [], undefined, 0]);
    ledger.push(call(0), 1);
    const first = ledger.entries();
    expect(ledger.entries()).toBe(first);
    ledger.push(call(1), 1);
    expect(first).toHaveLength(1);
    expect(ledger.entries()).toHaveLength(2);
    store.close();
  });

  it('keeps entries of megabytes, odd numbers, lone surrogates and hostile keys', () => {
    const odd: unknown[] = [
      'x'.repeat(3_000_000),
      '\ud800 \u0000 \u{1f600} é',
      { ['__proto__']: 1, constructor: { toString: 'no' }, '': [[], {}] },
      [-0, 1e308, 5e-324, 2 ** 53 + 2, -1.5],
      { toJSON: 'a string, not a function', length: 3 },
      null,
    ];
    const disk = new FakeDisk();
    const store = new LedgerStore({ folder, memoryBytes: 1, files: disk });
    const ledger = store.open();
    for (const [i, result] of odd.entries()) ledger.push(call(i, result), 0);
    expect(store.bytesInMemory).toBeLessThan(10_000);
    for (const [i, result] of odd.entries()) expect(ledger.at(i)?.result).toEqual(result);
    expect(Object.is((ledger.calls()[3]!.result as number[])[0], -0)).toBe(true);
    expect(Object.keys(ledger.calls()[2]!.result as object)).toContain('__proto__');
  });

  it('keeps in memory what cannot be written, and goes on spilling the rest', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i++) deep = [deep];
    const circle: Record<string, unknown> = {};
    circle.itself = circle;
    const store = new LedgerStore({ folder, memoryBytes: 1000, files: new FakeDisk(), sizes: small });
    const stuck = store.open();
    stuck.push(call(0, deep), 0);
    const odd = store.open();
    odd.push(
      call(0, () => 1),
      0,
    );
    odd.push(call(1, circle), 0);
    const other = store.open();
    for (let i = 0; i < 100; i++) other.push(call(i), 0);
    expect(store.failing).toBeUndefined();
    expect(stuck.at(0)?.result).toBe(deep);
    expect(odd.fork().at(1)?.result).toBe(circle);
    expect(store.bytesOnDisk).toBeGreaterThan(5000);
    for (const ledger of [stuck, odd, other]) ledger.drop();
    expect(other.length).toBe(0);
  });

  it('is read no more after it was dropped, and a late call is let go', () => {
    const store = new LedgerStore({ folder });
    for (const ledger of [store.open(), memoryLedger()]) {
      ledger.push(call(0), 1);
      ledger.drop();
      ledger.push(call(1), 1);
      ledger.spill();
      ledger.drop();
      expect(ledger.length).toBe(0);
      for (const read of [() => ledger.entries(), () => ledger.at(0), () => ledger.fork(), () => ledger.calls()])
        expect(codeOf(read)).toBe('ledger_dropped');
    }
    expect(store.bytesInMemory).toBe(0);
    store.close();
  });

  it('spills what only a fork still holds', () => {
    const store = new LedgerStore({ folder, memoryBytes: 10_000, files: new FakeDisk() });
    const ledger = store.open();
    for (let i = 0; i < 20; i++) ledger.push(call(i), 0);
    const fork = ledger.fork();
    ledger.drop();
    const before = store.bytesInMemory;
    const other = store.open();
    for (let i = 0; store.segments.bytesPending === 0; i++) other.push(call(i), 0);
    expect(store.bytesInMemory - store.segments.bytesPending).toBeLessThan(before);
    expect(fork.length).toBe(20);
    store.segments.read = () => {
      throw new Error('on disk');
    };
    expect(codeOf(() => other.entries())).toBe('none');
    expect(() => fork.entries()).toThrow('on disk');
  });

  it('is dropped when nobody can reach it any more', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const store = new LedgerStore({ folder });
    const kept = store.open();
    kept.push(call(0), 0);
    const alone = store.bytesInMemory;
    const makeMany = () => {
      for (let i = 0; i < 50; i++) {
        const ledger = store.open();
        for (let k = 0; k < 10; k++) ledger.push(call(k), 0);
        ledger.fork().push(call(10), 0);
        if (i % 2) ledger.spill();
      }
    };
    makeMany();
    for (let i = 0; i < 400 && store.bytesInMemory > alone; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      collect();
    }
    expect(store.bytesInMemory).toBe(alone);
    expect(kept.length).toBe(1);
    store.close();
  });

  it('spills the longest unused first', () => {
    const disk = new FakeDisk();
    const store = new LedgerStore({ folder, memoryBytes: 8000, files: disk });
    const [old, hot] = [store.open(), store.open()];
    old.push(call(0), 1);
    for (let i = 0; store.segments.bytesPending === 0; i++) hot.push(call(i), 1);
    disk.cannotRead = true;
    expect(old.last()?.index).toBe(0); // still in the buffer
    const read = vi.spyOn(store.segments, 'read');
    old.last();
    expect(read).toHaveBeenCalledTimes(1);
    hot.last();
    expect(read).toHaveBeenCalledTimes(1);
  });
});

describe('a ledger in memory', () => {
  it('hands out its own array until it is forked, and never changes it under a fork', () => {
    const ledger = memoryLedger();
    ledger.push(call(0), 1);
    const own = ledger.calls();
    expect(ledger.calls()).toBe(own);
    ledger.push(call(1), 1);
    expect(own).toHaveLength(2);
    const [left, right] = [ledger.fork(), ledger.fork()];
    expect(left.calls()).toBe(own);
    const entries = ledger.entries();
    ledger.push(call(2), 1);
    left.push(call(3), 1);
    expect(own).toHaveLength(2);
    expect(entries).toHaveLength(2);
    expect([ledger, left, right].map((it) => it.entries().map(({ index }) => index))).toEqual([
      [0, 1, 2],
      [0, 1, 3],
      [0, 1],
    ]);
  });
});
