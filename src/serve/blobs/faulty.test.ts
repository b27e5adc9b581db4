import { expect, it } from 'vitest';
import { oneFault } from '../durable/drill.fixture.js';
import { type FaultPoint, type FaultPoints, NO_FAULTS } from '../durable/faults/fault-points.js';
import { blobsContract, bytes, code, text } from './contract.fixture.js';
import { faultyBlobs } from './faulty.js';
import { memoryBlobs } from './memory.js';

blobsContract('memory, in a drill without faults', () => faultyBlobs(memoryBlobs(), NO_FAULTS));

it('fails before anything was done', async () => {
  const faults = oneFault();
  const kept = memoryBlobs();
  const blobs = faultyBlobs(kept, faults);
  await kept.put('k', bytes('kept'));
  const works: [FaultPoint, () => Promise<unknown>][] = [
    ['blob.put', () => blobs.put('k', bytes('x'))],
    ['blob.get', () => blobs.get('k')],
    ['blob.get', () => blobs.list('')],
    ['blob.delete', () => blobs.delete('k')],
  ];
  for (const [point, work] of works) {
    faults.failAt(point);
    await expect(work()).rejects.toMatchObject({
      name: 'TreadleError',
      code: 'blob_failed',
      fault: 'infrastructure',
      isRetryable: true,
    });
  }
  expect(await text(blobs, 'k')).toBe('kept');
  faults.failAt('blob.put', 'ENOSPC');
  expect(await code(blobs.put('k', bytes('x')))).toBe('disk_full');
});

it('fails after it was done: the answer is lost, the deed is not', async () => {
  let reached = 0;
  const everySecond: FaultPoints = {
    hit: () => {},
    reach: async () => {
      if (++reached % 2 === 0) throw new Error('a drill');
    },
  };
  const kept = memoryBlobs();
  const blobs = faultyBlobs(kept, everySecond);
  expect(await code(blobs.put('k', bytes('x')))).toBe('blob_failed');
  expect(await text(kept, 'k')).toBe('x');
  expect(await code(blobs.delete('k'))).toBe('blob_failed');
  expect(await kept.list('')).toEqual([]);
});
