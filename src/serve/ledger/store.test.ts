import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../artifacts/trace.js';
import { LedgerStore } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'treadle-ledger-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const call = (index: number, result: unknown = { id: `res_${index}` }): LedgerEntry => ({
  index,
  service: 'bookings',
  tool: 'bookings_get',
  toolVersion: 'a'.repeat(64),
  args: { id: `res_${index}` },
  ok: true,
  result: result as LedgerEntry['result'],
  touched: [],
  at: 1_700_000_000 + index,
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
    expect(store.bytesInMemory).toBeGreaterThan(0);
    expect(ledger.entries()).toEqual(expected);
    fork.push(call(300), 1);
    expect(fork.entries()).toEqual([...expected, { ...call(300), ms: 1 }]);
    expect(ledger.length).toBe(300);
    ledger.drop();
    expect(fork.at(7)).toEqual(expected[7]);
    expect(fork.last()).toEqual({ ...call(300), ms: 1 });
    fork.drop();
    expect([store.bytesInMemory, store.bytesOnDisk]).toEqual([0, 0]);
    store.close();
  });
});
