import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { ServedEntry } from '../api.js';
import { call, FakeDisk, small } from './ledger.fixture.js';
import type { Ledger } from './ledger.js';
import { memoryLedger } from './memory.js';
import { LedgerStore } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'treadle-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BUDGET = 2000;

type Step =
  | { op: 'push'; on: number; value: unknown }
  | { op: 'fork' | 'spill' | 'drop' | 'at' | 'read' | 'open' | 'full' | 'well'; on: number };

describe('a ledger does what a list does', () => {
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
      { numRuns: 100 },
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
