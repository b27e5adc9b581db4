import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { TreadleError } from '../../errors.js';
import { diskFiles } from './files.js';
import { call, codeOf, FakeDisk, small } from './ledger.fixture.js';
import { LedgerStore } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'treadle-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
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
