/** The database file of a data folder: made whole or not at all, looked at before it is used, brought to this version. */
import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { TreadleError } from '../../../errors.js';
import { damagedStore, FILE, isDamage } from './failure.js';
import { META, MIGRATIONS, VERSION } from './migrations.js';
import { commitsBehindDamage } from './wal.js';

export type Connection = InstanceType<typeof Database>;

const MAGIC = Buffer.from('SQLite format 3\0');

const rows = <T>(db: Connection, text: string): T[] => db.prepare(text).all() as T[];

const migrate = (db: Connection, from: number): void => {
  for (const [at, steps] of MIGRATIONS.slice(from).entries()) {
    db.exec('begin immediate');
    try {
      for (const step of steps) db.exec(step);
      db.exec(`update meta set value = ${from + at + 1} where name = 'version'`);
      db.exec('commit');
    } catch (thrown) {
      if (db.inTransaction) db.exec('rollback');
      throw thrown;
    }
  }
};

const make = (db: Connection): void => {
  db.exec(META);
  db.exec("insert into meta (name, value) values ('version', 0), ('instant', 0)");
  migrate(db, 0);
};

/** Under another name until it is complete: so a file of no bytes under the real one is damage, never a beginning. */
const makeFile = (folder: string): void => {
  const part = join(folder, `${FILE}.part`);
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(part + end, { force: true });
  const db = new Database(part);
  try {
    make(db);
  } finally {
    db.close();
  }
  const file = openSync(part, 'r+');
  fsyncSync(file);
  closeSync(file);
  renameSync(part, join(folder, FILE));
  const dir = openSync(folder, 'r');
  fsyncSync(dir);
  closeSync(dir);
};

/** Undefined for what is no database. */
const pageSizeOf = (path: string): number | undefined => {
  const head = Buffer.alloc(MAGIC.length + 2);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, head, 0, head.length, 0) < head.length || !head.subarray(0, MAGIC.length).equals(MAGIC))
      return undefined;
    return head.readUInt16BE(MAGIC.length);
  } finally {
    closeSync(file);
  }
};

/** Of a sound store of ours; reads only. */
const versionOf = (db: Connection): number => {
  const check = rows<{ quick_check: string }>(db, 'pragma quick_check(1)')[0]?.quick_check;
  if (check !== 'ok') throw damagedStore('is damaged');
  if (rows(db, "select name from sqlite_master where type = 'table' and name = 'meta'").length === 0)
    throw damagedStore('is a database of something else');
  const version = rows<{ value: unknown }>(db, "select value from meta where name = 'version'")[0]?.value;
  if (!Number.isSafeInteger(version) || (version as number) < 1) throw damagedStore('says no version');
  return version as number;
};

const newer = (version: number): TreadleError =>
  new TreadleError({
    code: 'data_folder_newer',
    message: `The data folder was written by a newer Treadle: its version is ${version}, this one knows ${VERSION}`,
    value: version,
    next: 'Start it with the newer Treadle, or give this one a data folder of its own. Nothing in it was changed.',
  });

const openFile = (path: string): Connection => {
  const pageSize = pageSizeOf(path);
  if (pageSize === undefined) throw damagedStore('is no database');
  const lost = commitsBehindDamage(`${path}-wal`, pageSize);
  if (lost > 1) throw damagedStore(`has a damaged log: ${lost} changes behind the damage would be lost`);
  const db = new Database(path);
  try {
    const version = versionOf(db);
    if (version > VERSION) throw newer(version);
    db.exec('pragma journal_mode = wal');
    db.exec('pragma synchronous = full');
    // After a check and a change of the mode SQLite still holds a read open, which the next one ends.
    rows(db, 'select value from meta');
    // The log begins anew, so that no end that was torn once lies behind what is written from now on.
    rows(db, 'pragma wal_checkpoint(truncate)');
    migrate(db, version);
    return db;
  } catch (thrown) {
    db.close();
    throw isDamage(thrown) ? damagedStore('is damaged') : thrown;
  }
};

/** Throws `damaged_store`, `data_folder_newer`, and what the database throws. */
export const openDatabase = (folder: string | undefined): Connection => {
  if (folder === undefined) {
    const db = new Database(':memory:');
    make(db);
    return db;
  }
  const path = join(folder, FILE);
  if (!existsSync(path)) {
    // What was not yet in the file is in its log, so one without the other is not a beginning either.
    if (existsSync(`${path}-wal`)) throw damagedStore('is missing beside its log');
    makeFile(folder);
  }
  return openFile(path);
};
