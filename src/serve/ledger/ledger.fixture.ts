/** For the tests of ledgers: calls, and a disk that does as it is told. */
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { TreadleError } from '../../errors.js';
import type { SegmentFiles } from './files.js';

export const call = (index: number, result: unknown = { id: `res_${index}` }): LedgerEntry => ({
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
export class FakeDisk implements SegmentFiles {
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

export const small = { segmentBytes: 4096, bufferBytes: 1024 };
export const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    return (thrown as TreadleError).code;
  }
  return 'none';
};
