/** A blob store by its address. */
import { randomUUID } from 'node:crypto';
import { TreadleError } from '../../errors.js';
import type { Blobs } from './blobs.js';
import { folderBlobs } from './folder.js';
import { type S3Options, s3Blobs } from './s3/s3.js';

export interface OpenBlobsOptions extends S3Options {
  /** Of a folder: every write waits for the disk. */
  sync?: boolean;
}

/**
 * `where`: a folder, or `s3://bucket/prefix?endpoint=...&region=...` with credentials in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
 * AWS_SESSION_TOKEN. Throws `bad_blob_store`; of a folder `disk_full` and `blob_failed`.
 */
export const openBlobs = (where: string, { sync = false, ...s3 }: OpenBlobsOptions = {}): Blobs => {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(where)?.[1];
  if (scheme === 's3') return s3Blobs(where, s3);
  if (scheme === undefined && where.trim() !== '') return folderBlobs(where, sync);
  throw new TreadleError({
    code: 'bad_blob_store',
    message: 'Blobs cannot be kept there',
    value: scheme === undefined ? where : `${scheme}://...`,
    next: 'Give a folder, or s3://bucket/prefix?endpoint=https://host&region=name.',
  });
};

/** Puts, gets, lists and deletes one small blob: for a server that starts. Throws what the store says to that. */
export const probeBlobs = async (blobs: Blobs): Promise<void> => {
  const key = `probe/${randomUUID()}`;
  const bytes = Buffer.from(key);
  await blobs.put(key, bytes);
  const found = await blobs.get(key);
  const keys = await blobs.list(key);
  await blobs.delete(key);
  if (bytes.equals(found) && keys.includes(key)) return;
  throw new TreadleError({
    code: 'blob_failed',
    message: 'The blob store does not show what was just put there',
    value: key,
    next: 'Use a store in which a blob can be read and listed as soon as it is written.',
    fault: 'infrastructure',
  });
};
