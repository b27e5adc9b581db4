/** What lies in a data folder of the sessions of servers before: to be looked at, and to be cleared of what nobody can take up. */
import { join } from 'node:path';
import { asTreadleError } from '../../../errors.js';
import type { Labels, SessionStatus } from '../../api.js';
import type { SessionImage } from '../../sessions/server/image.js';
import type { Data } from '../embedded.js';
import type { OwnedSession } from '../ownership/ownership.js';
import { deadLogs, type LeftBehind, pinnedIn, readLogs, removeLogs } from './logs.js';
import { evidenceOf } from './records.js';
import { stateOfChain } from './recovery.js';

export interface LeftSession {
  session: string;
  /** Of its newest owner; 0 where the store never heard of it. */
  gen: number;
  /** What it goes on from, and the last request that was acknowledged; a smaller `seq` is a loss that its next caller is told. */
  seq: number;
  acknowledged: number;
  /** Absent where nothing of it can be read; `why` says why. */
  image?: SessionImage;
  /** Calls in the log since that image. */
  logged: number;
  why?: string;
  /** It ended, and its log goes with the next server. */
  isGone: boolean;
  savepoints: number;
}

export interface LeftSummary {
  session: string;
  status: SessionStatus | 'lost' | 'gone';
  world: string | null;
  task: string | null;
  labels: Labels;
  calls: number;
  seq: number;
  /** Requests that were acknowledged and are lost. */
  lost: number;
  gen: number;
  savepoints: number;
  why?: string;
}

export const summaryOf = (left: LeftSession): LeftSummary => {
  const { session, image, seq, acknowledged, gen, savepoints, logged, why, isGone } = left;
  return {
    session,
    status: isGone ? 'gone' : (image?.status ?? 'lost'),
    world: image?.start.pins.world.name ?? null,
    task: image?.start.pins.task?.name ?? null,
    labels: image?.start.labels ?? {},
    calls: (image?.entries.length ?? 0) + logged,
    seq,
    lost: Math.max(0, acknowledged - seq),
    gen,
    savepoints,
    ...(why === undefined ? {} : { why }),
  };
};

const one = async (
  session: string,
  { records, origins }: LeftBehind,
  row: OwnedSession | undefined,
  { blobs }: Pick<Data, 'blobs'>,
): Promise<LeftSession> => {
  const heads = [row?.head, row?.previous].flatMap((head) => head ?? []);
  const { chains, acknowledged, isGone } = evidenceOf(records.get(session) ?? [], heads, origins);
  const left = { session, gen: row?.gen ?? 0, acknowledged, isGone, savepoints: heads.length };
  let why = 'nothing is kept of it';
  for (const chain of chains) {
    try {
      const { image, deltas } = await stateOfChain(chain, blobs);
      return { ...left, image, seq: chain.last, logged: deltas.length };
    } catch (thrown) {
      why = asTreadleError(thrown, 'infrastructure').line();
    }
  }
  return { ...left, seq: 0, logged: 0, why };
};

/** Of a data folder that no server has open. In the order of their claims, those that the store never heard of behind. */
export const sessionsLeft = async (data: Data, folder: string, only?: string): Promise<LeftSession[]> => {
  const behind = readLogs(deadLogs(join(folder, 'logs'), []), only === undefined ? undefined : new Set([only]));
  const rows = new Map((await data.ownership.sessions()).map((row) => [row.session, row]));
  const ids = [...new Set([...rows.keys(), ...behind.records.keys()])].filter(
    (id) => only === undefined || id === only,
  );
  const found: LeftSession[] = [];
  for (const id of ids) found.push(await one(id, behind, rows.get(id), data));
  return found;
};

/** Those sessions are over: their rows, savepoints and, where no other needs them, logs go. Answers how many blobs went. */
export const reapLeft = async (data: Data, folder: string, sessions: readonly string[]): Promise<number> => {
  const { ownership, blobs } = data;
  const { incarnation } = await ownership.register('reaper', 60_000);
  for (const { incarnation: other, dead } of await ownership.workers())
    if (!dead && other !== incarnation) await ownership.bury(other);
  await ownership.claim(incarnation, sessions);
  const keys = await ownership.forget(incarnation, sessions);
  for (const session of sessions) keys.push(...(await blobs.list(`sessions/${session}/`)));
  const over = new Set(sessions);
  for (const log of deadLogs(join(folder, 'logs'), []))
    if ([...readLogs([log]).records.keys()].every((id) => over.has(id))) removeLogs([log]);
  // Forks of theirs may still be made of some.
  const pinned = pinnedIn(deadLogs(join(folder, 'logs'), []));
  const unused = [...new Set(keys)].filter((key) => !pinned.has(key));
  for (const key of unused) await blobs.delete(key);
  await ownership.bury(incarnation);
  return unused.length;
};
