/**
 * What a front has of the data folder: the store, and the logs that workers of an earlier life left. Sessions that the store never heard
 * of are made known to it, and logs go when nobody needs them any more.
 */
import { join } from 'node:path';
import { asTreadleError } from '../../errors.js';
import { type Data, type DataOptions, openData } from './embedded.js';
import { deadLogs, isSettled, readLogs, removeLogs } from './session/logs.js';

const TIDY_MS = 5_000;
const CLAIM_MS = 60_000;

export interface FrontData extends Data {
  /** Sessions that were over before, as far as the logs still tell. */
  over: readonly string[];
}

/** Throws as `openData`; nothing is left open then. */
export const openFrontData = async (options: DataOptions): Promise<FrontData> => {
  // The fleet reaps, and gives up the workers that it hears of.
  const data = await openData({ ...options, reaps: false });
  const { ownership } = data;
  const logs = join(options.folder, 'logs');
  const left = async (): Promise<string[]> => {
    const alive = (await ownership.workers()).filter(({ dead }) => !dead);
    return deadLogs(
      logs,
      alive.map(({ incarnation }) => incarnation),
    );
  };
  const rows = async () => new Map((await ownership.sessions()).map((row) => [row.session, row]));

  /** Answers with those that are over. */
  const makeKnown = async (): Promise<string[]> => {
    for (const { incarnation, dead } of await ownership.workers()) if (!dead) await ownership.bury(incarnation);
    const { records } = readLogs(await left());
    const known = await rows();
    const found = [...records].map(([session, lists]) => ({ session, isOver: lists.flat().at(-1)?.kind === 'gone' }));
    const over = found.filter(({ isOver }) => isOver).map(({ session }) => session);
    const unknown = found.filter(({ session, isOver }) => !known.has(session) && !isOver).map(({ session }) => session);
    if (unknown.length === 0) return over;
    const { incarnation } = await ownership.register('front', CLAIM_MS);
    await ownership.claim(incarnation, unknown);
    await ownership.release(incarnation, unknown);
    await ownership.bury(incarnation);
    return over;
  };

  let isTidying = false;
  const tidyLogs = async (): Promise<void> => {
    if (isTidying) return;
    isTidying = true;
    try {
      for (const folder of await left()) if (isSettled(readLogs([folder]), await rows())) removeLogs([folder]);
    } catch (thrown) {
      options.onDefect(asTreadleError(thrown, 'infrastructure'));
    }
    isTidying = false;
  };

  let over: string[];
  try {
    over = await makeKnown();
  } catch (thrown) {
    await data.close();
    throw thrown;
  }
  const timer = setInterval(() => void tidyLogs(), TIDY_MS);
  timer.unref();
  return {
    ...data,
    over,
    tidy: async () => {
      await data.tidy();
      await tidyLogs();
    },
    close: async () => {
      clearInterval(timer);
      await data.close();
    },
  };
};
