/** Where a session's state is: in use, compressed in memory, on disk, or in the blob store; and the ways between. */
import { readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asTreadleError, TreadleError } from '../../../errors.js';
import type { LoadedWorld } from '../../../world/loaded.js';
import type { Residence } from '../../api.js';
import type { Blobs } from '../../blobs/blobs.js';
import { packSession, unpackSession } from '../parcel.js';
import type { Session } from '../session.js';
import type { Maybe } from './turns.js';

export type Place =
  | { at: 'active'; session: Session }
  | { at: 'parked'; bytes: Uint8Array }
  | { at: 'disk'; file: string; size: number }
  | { at: 'stored'; key: string };

export interface Storage {
  /** Folder for what leaves memory. */
  folder: string;
  /** Where to go after that; sessions stay on disk when absent. */
  blobs: Blobs | undefined;
}

export const residenceOf = ({ at }: Place): Residence => at;

const diskFailed = (cause: unknown): TreadleError => {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return asTreadleError(cause, 'infrastructure', 'park_failed');
  return new TreadleError({
    code: 'disk_full',
    message: 'There is no room on disk for parked sessions',
    next: 'Free some space; sessions stay in memory until then.',
    fault: 'infrastructure',
    isRetryable: true,
    cause,
  });
};

/** Compresses the changed pages; the session's book is the caller's to keep. */
export const park = (session: Session): Place => {
  const bytes = packSession(session.world, session);
  session.release();
  return { at: 'parked', bytes };
};

/** A file that cannot be removed is one that cannot be read either: nothing waits for it. */
const remove = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {}
};

/** Throws `disk_full` or `park_failed`, and the session stays where it was. */
export const toDisk = async ({ bytes }: { bytes: Uint8Array }, { folder }: Storage, id: string): Promise<Place> => {
  const file = join(folder, `${id}.parked`);
  try {
    await writeFile(file, bytes);
  } catch (thrown) {
    remove(file);
    throw diskFailed(thrown);
  }
  return { at: 'disk', file, size: bytes.length };
};

export const toStore = async ({ file }: { file: string }, blobs: Blobs, id: string): Promise<Place> => {
  const key = `sessions/${id}/parked`;
  await blobs.put(key, readFileSync(file));
  remove(file);
  return { at: 'stored', key };
};

/** The parcel of a session at rest; a promise only from the blob store. */
export const parcelOf = (place: Exclude<Place, { at: 'active' }>, blobs: Blobs | undefined): Maybe<Uint8Array> => {
  if (place.at === 'parked') return place.bytes;
  if (place.at === 'disk') {
    try {
      return readFileSync(place.file);
    } catch (thrown) {
      throw new TreadleError({
        code: 'session_lost',
        message: 'The file of a parked session is gone',
        fault: 'infrastructure',
        next: 'Open another session; keep the server’s data folder to itself.',
        cause: thrown,
      });
    }
  }
  if (!blobs) throw asTreadleError(new Error('The blob store is gone'), 'infrastructure', 'session_lost');
  return blobs.get(place.key);
};

/** Removes what a place holds outside of memory. */
export const vacate = (place: Place, blobs: Blobs | undefined): void => {
  if (place.at === 'disk') remove(place.file);
  else if (place.at === 'stored') void blobs?.delete(place.key).catch(() => {});
  else if (place.at === 'active') place.session.release();
};

export const statesIn = (world: LoadedWorld, parcel: Uint8Array): ReturnType<typeof unpackSession> =>
  unpackSession(world, parcel);
