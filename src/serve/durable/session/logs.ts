/** The logs of a data folder: one folder a process incarnation, read by whoever takes its sessions up. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LogRecord, ReadLog } from '../log/page-log.js';
import { readLog, removeLog } from '../log/read-log.js';
import type { OwnedSession } from '../ownership/ownership.js';
import { forkOf } from './fork.js';
import type { Origins } from './records.js';

/** `name#uuid` as a folder. */
export const logFolder = (folder: string, incarnation: string): string => join(folder, incarnation.replace('#', '.'));

const isOf = (name: string, incarnation: string): boolean => name === incarnation.replace('#', '.');

/** Of processes that are not among `alive`. */
export const deadLogs = (folder: string, alive: readonly string[]): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => !alive.some((incarnation) => isOf(name, incarnation)))
        .sort()
        .map((name) => join(folder, name))
    : [];

export interface LeftBehind {
  /** By session, one list a log. */
  records: Map<string, LogRecord[][]>;
  /** Of forks among them. */
  origins: Origins;
  /** Savepoints that any fork in the logs is made of. */
  pinned: Set<string>;
  damage: (ReadLog['damage'][number] & { folder: string })[];
}

/** All sessions that must be read to have those: what their forks began as, and so on. */
const withOrigins = (records: readonly LogRecord[], sessions: ReadonlySet<string>): Set<string> => {
  const wanted = new Set(sessions);
  // A fork stands behind all that it is made of.
  for (const { session, kind, body } of records.toReversed())
    if (kind === 'fork' && wanted.has(session)) wanted.add(forkOf(body).of.session);
  return wanted;
};

const readOnly = (folder: string, sessions: ReadonlySet<string> | undefined): ReadLog => {
  if (!sessions) return readLog(folder);
  const first = readLog(folder, { only: sessions });
  const wanted = withOrigins(first.records, sessions);
  return wanted.size === sessions.size ? first : readLog(folder, { only: wanted });
};

const EMPTY = new Uint8Array();

/**
 * A damaged record says that something had been acknowledged, where it was kept of a session that the log knows: each begins with a
 * record of all of it. So the last of them is told to be lost, which no gap would tell.
 */
const told = (own: ReadonlyMap<string, LogRecord[]>, { session, at }: ReadLog['hurt'][number]): void => {
  const list = own.get(session);
  const last = list?.at(-1);
  if (!list || !last) return;
  const { gen, seq } = at ?? { gen: last.gen, seq: last.seq + 1 };
  const later = list.findIndex((one) => one.gen > gen || (one.gen === gen && one.seq > seq));
  list.splice(later < 0 ? list.length : later, 0, { session, gen, seq, kind: 'mark', body: EMPTY });
};

/** Only of `sessions`, where they are named. */
export const readLogs = (folders: readonly string[], sessions?: ReadonlySet<string>): LeftBehind => {
  const origins = new Map<LogRecord, readonly LogRecord[]>();
  const left: LeftBehind = { records: new Map(), origins, pinned: new Set(), damage: [] };
  for (const folder of folders) {
    const own = new Map<string, LogRecord[]>();
    const { records, hurt, damage } = readOnly(folder, sessions);
    for (const record of records) {
      const list = own.get(record.session);
      if (list) list.push(record);
      else own.set(record.session, [record]);
    }
    for (const record of records) {
      if (record.kind !== 'fork') continue;
      const { session, head } = forkOf(record.body).of;
      origins.set(record, own.get(session) ?? []);
      if (head) left.pinned.add(head.key);
    }
    for (const one of hurt) told(own, one);
    for (const [session, list] of own)
      if (sessions?.has(session) !== false) left.records.set(session, [...(left.records.get(session) ?? []), list]);
    left.damage.push(...damage.map((place) => ({ ...place, folder })));
  }
  return left;
};

/** Savepoints that forks in these logs are made of. */
export const pinnedIn = (folders: readonly string[]): Set<string> => readLogs(folders, new Set()).pinned;

export const removeLogs = (folders: readonly string[]): void => {
  for (const folder of folders) removeLog(folder);
};

/**
 * Whether nothing in a dead log is needed any more: each session of it ended, or has a savepoint of a later owner, who had all of it. A
 * later owner alone is not enough: it may still read, or end before it wrote what it read. What the store does not know and was never
 * claimed again may be on its way there.
 */
export const isSettled = (
  { records }: Pick<LeftBehind, 'records'>,
  owned: ReadonlyMap<string, Pick<OwnedSession, 'head'>>,
): boolean =>
  [...records].every(([session, logs]) => {
    const all = logs.flat();
    if (all.at(-1)?.kind === 'gone') return true;
    const newest = Math.max(...all.map(({ gen }) => gen));
    const row = owned.get(session);
    return row ? row.head !== undefined && newest < row.head.gen : newest > 1;
  });
