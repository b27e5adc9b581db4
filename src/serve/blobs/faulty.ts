/** Blobs that fail where a drill says so: before anything was done, and after it was done but not answered. */
import { TreadleError } from '../../errors.js';
import type { FaultPoint, FaultPoints } from '../durable/faults/fault-points.js';
import type { Blobs } from './blobs.js';
import { diskFailure, isFull } from './disk.js';

/** As the implementations say it. */
const failure = (thrown: unknown, doing: string): TreadleError => {
  if (thrown instanceof TreadleError) return thrown;
  if (isFull(thrown)) return diskFailure(thrown, doing, 'blob_failed');
  return new TreadleError({
    code: 'blob_failed',
    message: `Cannot ${doing}: a drill says so`,
    next: 'Try again later; nothing that was kept before is lost.',
    fault: 'infrastructure',
    isRetryable: true,
    cause: thrown,
  });
};

/** Lists and gets reach `blob.get` before; puts and deletes reach their point before and after. */
export const faultyBlobs = (blobs: Blobs, faults: FaultPoints): Blobs => {
  const reach = async (point: FaultPoint, doing: string): Promise<void> => {
    try {
      await faults.reach(point);
    } catch (thrown) {
      throw failure(thrown, doing);
    }
  };
  return {
    async put(key, bytes) {
      await reach('blob.put', 'write the blob');
      await blobs.put(key, bytes);
      await reach('blob.put', 'write the blob');
    },
    async get(key) {
      await reach('blob.get', 'read the blob');
      return blobs.get(key);
    },
    async list(prefix) {
      await reach('blob.get', 'list the blobs');
      return blobs.list(prefix);
    },
    async delete(key) {
      await reach('blob.delete', 'delete the blob');
      await blobs.delete(key);
      await reach('blob.delete', 'delete the blob');
    },
  };
};
