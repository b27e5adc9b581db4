import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { TreadleError } from '../../errors.js';
import type { ServedEntry } from '../api.js';
import { diskFiles, type SegmentFiles } from './files.js';
import type { Ledger } from './ledger.js';
import { memoryLedger } from './memory.js';
import { LedgerStore } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'treadle-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

const call = (index: number, result: unknown = { id: `res_${index}` }): LedgerEntry => ({
  index,
  service: 'bookings',
  tool: 'bookings_get',
  toolVersion: 'a'.repeat(64),
  args: { id: `res_${index}` },
  ok: true,
  result: result as LedgerEntry['result'],
  touched: [{ service: 'bookings', table: 'reservations', key: index, change: 'update', cols: ['status'] }],
  at: 1_700_000_000 + index,
});

/** A disk in memory that fails when told, takes writes in pieces, and whose bytes a test may spoil. */
class FakeDisk implements SegmentFiles {
  readonly files = new Map<number, Buffer>();
  isFull = false;
  cannotRead = false;
  mostAtOnce = Number.POSITIVE_INFINITY;
  writes = 0;
  fullAfter = Number.POSITIVE_INFINITY;
  #made = 3;
  open(): number {
    if (this.isFull) throw new Error('ENOSPC: no space left on device, open');
    this.files.set(this.#made, Buffer.alloc(0));
    return this.#made++;
  }
  write(file: number, bytes: Uint8Array, position: number): number {
    if (++this.writes > this.fullAfter) this.isFull = true;
    const taken = bytes.subarray(0, Math.min(this.mostAtOnce, this.isFull ? bytes.length >> 1 : bytes.length));
    const before = this.files.get(file)!;
    const after = Buffer.alloc(Math.max(before.length, position + taken.length));
    after.set(before);
    after.set(taken, position);
    this.files.set(file, after);
    if (this.isFull) throw new Error('ENOSPC: no space left on device, write');
    return taken.length;
  }
  read(file: number, into: Uint8Array, position: number): number {
    if (this.cannotRead) throw new Error('EIO: i/o error, read');
    const part = this.files.get(file)!.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  }
  truncate(file: number): void {
    this.files.set(file, Buffer.alloc(0));
  }
  close(file: number): void {
    if (!this.files.delete(file)) throw new Error('EBADF: bad file descriptor, close');
  }
}

const small = { segmentBytes: 4096, bufferBytes: 1024 };
const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    return (thrown as TreadleError).code;
  }
  return 'none';
};

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
    for (let i = 0; i < 100 && store.bytesInMemory > alone; i++) {
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

const BUDGET = 2000;

type Step =
  | { op: 'push'; on: number; value: unknown }
  | { op: 'fork' | 'spill' | 'drop' | 'at' | 'read' | 'open' | 'full' | 'well'; on: number };

describe('the property', () => {
  const op: fc.Arbitrary<Step> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ op: fc.constant('push' as const), on: fc.nat(), value: fc.jsonValue() }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constantFrom('fork' as const, 'spill' as const), on: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constantFrom('drop' as const, 'at' as const), on: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constantFrom('read' as const, 'open' as const), on: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constantFrom('full' as const, 'well' as const), on: fc.nat() }) },
  );
  const run = (store: LedgerStore | undefined, disk: FakeDisk, steps: Step[]) => {
    const open = (): Ledger => store?.open() ?? memoryLedger();
    const live: { ledger: Ledger; model: ServedEntry[] }[] = [{ ledger: open(), model: [] }];
    let pushed = 0;
    for (const step of steps) {
      const at = step.on % Math.max(1, live.length);
      const it = live[at];
      if (step.op === 'full' || step.op === 'well') disk.isFull = step.op === 'full';
      else if (step.op === 'open' || !it) live.push({ ledger: open(), model: [] });
      else if (step.op === 'push') {
        const entry = call(pushed++, step.value);
        it.ledger.push(entry, step.on);
        it.model.push({ ...entry, ms: step.on });
        if (store && !disk.isFull && !store.failing) expect(store.bytesInMemory).toBeLessThanOrEqual(BUDGET + 1024);
      } else if (step.op === 'fork') live.push({ ledger: it.ledger.fork(), model: it.model.slice() });
      else if (step.op === 'spill') it.ledger.spill();
      else if (step.op === 'at') expect(it.ledger.at(step.on % 7)).toEqual(it.model[step.on % 7]);
      else if (step.op === 'read') expect(it.ledger.entries()).toEqual(it.model);
      else {
        it.ledger.drop();
        live.splice(at, 1);
      }
    }
    for (const { ledger, model } of live) {
      expect(ledger.length).toBe(model.length);
      expect(ledger.last()).toEqual(model.at(-1));
      expect(ledger.entries()).toEqual(model);
      expect(ledger.calls()).toEqual(model.map(({ ms: _, ...entry }) => entry));
      ledger.drop();
    }
  };

  it('holds for a store with a tiny budget on a disk that comes and goes', () => {
    fc.assert(
      fc.property(
        fc.array(op, { maxLength: 150, size: 'max' }),
        fc.integer({ min: 1, max: 700 }),
        (steps, mostAtOnce) => {
          const disk = new FakeDisk();
          disk.mostAtOnce = mostAtOnce;
          const store = new LedgerStore({ folder, memoryBytes: BUDGET, files: disk, sizes: small });
          run(store, disk, steps);
          expect([store.bytesInMemory, store.bytesOnDisk]).toEqual([0, 0]);
          expect(disk.files.size).toBeLessThanOrEqual(1);
          store.close();
          expect(disk.files.size).toBe(0);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('holds for a store on a real disk, and for ledgers in memory', () => {
    fc.assert(
      fc.property(fc.array(op, { maxLength: 100, size: 'max' }), (steps) => {
        const store = new LedgerStore({ folder, memoryBytes: BUDGET, sizes: small });
        run(store, new FakeDisk(), steps);
        expect([store.bytesInMemory, store.bytesOnDisk]).toEqual([0, 0]);
        store.close();
        run(undefined, new FakeDisk(), steps);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a disk', () => {
  it('that is full loses nothing, is told once, and is tried again after a while', () => {
    let now = 5000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const disk = new FakeDisk();
    disk.isFull = true;
    const told: string[] = [];
    const onDefect = (error: TreadleError) => {
      told.push(error.code);
      throw new Error('a listener that fails');
    };
    const store = new LedgerStore({ folder, memoryBytes: 4000, files: disk, sizes: small, onDefect });
    const ledgers = Array.from({ length: 10 }, () => store.open());
    for (let i = 0; i < 200; i++) ledgers[i % 10]?.push(call(i), i);
    expect(store.failing?.toJSON()).toMatchObject({ code: 'ledger_disk', fault: 'infrastructure', isRetryable: true });
    expect(told).toEqual(['ledger_disk']);
    expect(store.bytesInMemory).toBeGreaterThan(40_000);
    for (const [at, ledger] of ledgers.entries())
      expect(ledger.calls().map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, k) => k * 10 + at));
    disk.isFull = false;
    ledgers[0]?.push(call(200), 0);
    expect(store.failing).toBeDefined();
    now += 1001;
    ledgers[0]?.push(call(210), 0);
    expect(store.failing).toBeUndefined();
    expect(store.bytesInMemory).toBeLessThan(4000 + small.bufferBytes);
    for (const [at, ledger] of ledgers.entries())
      expect(ledger.calls().map(({ index }) => index)).toEqual(
        Array.from({ length: at === 0 ? 22 : 20 }, (_, k) => k * 10 + at),
      );
    expect(told).toHaveLength(1);
  });

  it('that fills up while the buffer is full keeps the buffer', () => {
    const disk = new FakeDisk();
    const store = new LedgerStore({ folder, memoryBytes: 1, files: disk, sizes: small });
    const ledger = store.open();
    for (let i = 0; i < 100; i++) {
      disk.isFull = i >= 40 && i < 70;
      ledger.push(call(i), i);
      ledger.spill();
    }
    expect(store.failing).toBeUndefined();
    expect(ledger.calls()).toEqual(Array.from({ length: 100 }, (_, i) => call(i)));
  });

  it('is not taken for well because the buffer still has room', () => {
    const disk = new FakeDisk();
    const told: string[] = [];
    const onDefect = ({ code }: TreadleError) => told.push(code);
    const store = new LedgerStore({ folder, files: disk, sizes: small, onDefect });
    const [large, little] = [store.open(), store.open()];
    little.push(call(0), 0);
    little.spill();
    disk.isFull = true;
    large.push(call(0, 'x'.repeat(5000)), 0);
    large.spill();
    expect(store.failing).toBeDefined();
    little.push(call(1), 0);
    little.spill();
    expect(little.calls()).toEqual([call(0), call(1)]);
    expect(store.failing).toBeDefined();
    expect(told).toHaveLength(1);
  });

  it('that fails between two parts of a ledger keeps no half of it', () => {
    const disk = new FakeDisk();
    const store = new LedgerStore({ folder, files: disk, sizes: { segmentBytes: 4096, bufferBytes: 20_000 } });
    const ledger = store.open();
    for (let i = 0; i < 300; i++) ledger.push(call(i), 0);
    const fork = ledger.fork();
    fork.spill();
    for (let i = 300; i < 600; i++) ledger.push(call(i), 0);
    disk.fullAfter = disk.writes + 2;
    ledger.spill();
    expect(store.failing).toBeDefined();
    disk.fullAfter = Number.POSITIVE_INFINITY;
    disk.isFull = false;
    ledger.spill();
    expect(store.failing).toBeUndefined();
    expect(ledger.calls()).toEqual(Array.from({ length: 600 }, (_, i) => call(i)));
    ledger.drop();
    fork.drop();
    expect([store.bytesInMemory, store.bytesOnDisk]).toEqual([0, 0]);
  });

  it('is well again when it takes bytes, though no push asks it', () => {
    let now = 5000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const disk = new FakeDisk();
    disk.isFull = true;
    const store = new LedgerStore({ folder, files: disk });
    const ledger = store.open();
    ledger.push(call(0), 0);
    ledger.spill();
    expect(store.failing?.code).toBe('ledger_disk');
    now += 2000;
    expect(store.failing?.code).toBe('ledger_disk');
    ledger.drop();
    disk.isFull = false;
    expect(store.failing).toBeDefined();
    now += 2000;
    expect(store.failing).toBeUndefined();
  });

  const spoiled: Record<string, (disk: FakeDisk) => void> = {
    changed: (disk) => {
      for (const bytes of disk.files.values()) bytes[60]! ^= 1;
    },
    'cut short': (disk) => {
      for (const file of disk.files.keys()) disk.truncate(file);
    },
    unreadable: (disk) => {
      disk.cannotRead = true;
    },
  };
  it.each(Object.keys(spoiled))('whose bytes are %s tells ledger_lost, and only of what was there', (how) => {
    const disk = new FakeDisk();
    const store = new LedgerStore({ folder, memoryBytes: 1, files: disk, sizes: { bufferBytes: 64 } });
    const lost = store.open();
    for (let i = 0; i < 5; i++) lost.push(call(i), 0);
    spoiled[how]?.(disk);
    for (const read of [() => lost.entries(), () => lost.calls(), () => lost.at(0)]) {
      expect(codeOf(read)).toBe('ledger_lost');
    }
    expect(lost.length).toBe(5);
    disk.cannotRead = false;
    const fresh = store.open();
    fresh.push(call(0), 1);
    expect(fresh.last()).toEqual({ ...call(0), ms: 1 });
    lost.drop();
    fresh.drop();
    expect(store.bytesInMemory).toBe(0);
  });

  it('folder that is deleted, is a file, or cannot be made does no harm to what is there', () => {
    const gone = join(folder, 'deep', 'er');
    const store = new LedgerStore({ folder: gone, memoryBytes: 1, sizes: small });
    const ledger = store.open();
    for (let i = 0; i < 50; i++) {
      ledger.push(call(i), 0);
      if (i === 25) rmSync(join(folder, 'deep'), { recursive: true });
    }
    expect(ledger.calls()).toHaveLength(50);
    const unread = store.open();
    unread.push(call(0), 0);
    expect(store.failing).toBeUndefined();
    store.close();
    expect(codeOf(() => unread.entries())).toBe('ledger_lost');
    unread.push(call(1), 0);
    expect(unread.at(1)?.index).toBe(1);
    const hopeless = new LedgerStore({ folder: '/dev/null/ledgers', memoryBytes: 1 });
    const kept = hopeless.open();
    kept.push(call(0), 0);
    expect(hopeless.failing?.value).toBe('/dev/null/ledgers');
    expect(kept.last()).toMatchObject(call(0));
  });

  it('holds no file by name, so that a killed process leaves none', () => {
    const place = join(folder, 'killed');
    const file = diskFiles.open(place, 'one');
    expect(diskFiles.write(file, Buffer.from('abc'), 0)).toBe(3);
    expect(readdirSync(place)).toEqual([]);
    diskFiles.close(file);
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
