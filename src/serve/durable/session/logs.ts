/** The logs of a data folder: one folder a process incarnation, read by whoever takes its sessions up. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LogRecord, ReadLog } from '../log/page-log.js';
import { readLog, removeLog } from '../log/read-log.js';
import type { OwnedSession } from '../ownership/ownership.js';

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
  damage: (ReadLog['damage'][number] & { folder: string })[];
}

/** Only of `sessions`, where they are named. */
export const readLogs = (folders: readonly string[], sessions?: ReadonlySet<string>): LeftBehind => {
  const left: LeftBehind = { records: new Map(), damage: [] };
  for (const folder of folders) {
    const own = new Map<string, LogRecord[]>();
    const { records, damage } = readLog(folder, sessions ? { only: sessions } : {});
    for (const record of records) {
      const list = own.get(record.session);
      if (list) list.push(record);
      else own.set(record.session, [record]);
    }
    for (const [session, list] of own) left.records.set(session, [...(left.records.get(session) ?? []), list]);
    left.damage.push(...damage.map((place) => ({ ...place, folder })));
  }
  return left;
};

export const removeLogs = (folders: readonly string[]): void => {
  for (const folder of folders) removeLog(folder);
};

/**
 * Whether nothing in a dead log is needed any more: each session of it ended, or has a savepoint of a later owner, who had all of it. A
 * later owner alone is not enough: it may still read, or end before it wrote what it read. What the store does not know and was never
 * claimed again may be on its way there.
 */
export const isSettled = ({ records }: LeftBehind, owned: ReadonlyMap<string, Pick<OwnedSession, 'head'>>): boolean =>
  [...records].every(([session, logs]) => {
    const all = logs.flat();
    if (all.at(-1)?.kind === 'gone') return true;
    const newest = Math.max(...all.map(({ gen }) => gen));
    const row = owned.get(session);
    return row ? row.head !== undefined && newest < row.head.gen : newest > 1;
  });
