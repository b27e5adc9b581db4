/** Opens sessions as fast as a server gives them, and closes them again. */
import { asTreadleError, TreadleError } from '../../../errors.js';
import { elapsedMs } from '../../../kit/clock.js';
import type { OpenedSession, OpenRequest } from '../../api.js';
import type { Trainer } from '../../trainer.js';
import { rateOf, type Spread, spreadOf } from './figures.js';

const AT_ONCE = 32;

export interface Told {
  code: string;
  message: string;
}

export interface OpeningReport {
  asked: number;
  opened: number;
  perSecond: number;
  ms: Spread;
  /** Why no more were opened. */
  refused?: Told;
}

export const toldOf = ({ code, message, next }: TreadleError): Told => ({
  code,
  message: next ? `${message}. ${next}` : message,
});

/** What of a server's can be opened, tasks before worlds. Throws `nothing_to_open`. */
export const openable = async (trainer: Trainer): Promise<OpenRequest[]> => {
  const usable = async (kind: 'task' | 'world'): Promise<string[]> => {
    const records = await trainer.records(kind);
    return [...new Set(records.filter(({ deprecated }) => !deprecated).map(({ name }) => name))];
  };
  const tasks = await usable('task');
  if (tasks.length > 0) return tasks.map((task) => ({ task }));
  const worlds = await usable('world');
  if (worlds.length > 0) return worlds.map((world) => ({ world }));
  throw new TreadleError({
    code: 'nothing_to_open',
    message: 'The server has no task and no world',
    next: 'Serve a corpus that holds some: treadle build, then treadle serve.',
  });
};

/** Runs `work` for 0..count-1, `atOnce` at a time, until it says stop. `work` must not reject. */
export const inLanes = async (
  count: number,
  atOnce: number,
  work: (index: number) => Promise<'stop' | undefined>,
): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) if ((await work(next++)) === 'stop') next = count;
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
};

export interface Opening {
  trainer: Trainer;
  requests: readonly OpenRequest[];
  count: number;
  /** Label by which the sessions are found again. */
  run: string;
  /** Ends early; what is under way is waited for, so that no session is lost from sight. */
  stop: AbortSignal;
  hold(session: OpenedSession): void;
}

/** The first refusal ends it. */
export const openMany = async ({ trainer, requests, count, run, stop, hold }: Opening): Promise<OpeningReport> => {
  const ms: number[] = [];
  let refused: TreadleError | undefined;
  const start = elapsedMs();
  await inLanes(count, AT_ONCE, async (index) => {
    if (stop.aborted) return 'stop';
    const before = elapsedMs();
    try {
      hold(await trainer.open({ ...requests[index % requests.length], labels: { run } }));
      ms.push(elapsedMs() - before);
      return undefined;
    } catch (thrown) {
      refused ??= asTreadleError(thrown, 'infrastructure');
      return 'stop';
    }
  });
  return {
    asked: count,
    opened: ms.length,
    perSecond: rateOf(ms.length, elapsedMs() - start),
    ms: spreadOf(ms),
    ...(refused && { refused: toldOf(refused) }),
  };
};

/** Closes them, and what else has the label: an answer may have been lost on its way. How many could not be closed. */
export const closeAll = async (trainer: Trainer, held: readonly OpenedSession[], run: string): Promise<number> => {
  let left = 0;
  const close = async (id: string): Promise<undefined> => {
    await trainer.close(id).catch(() => left++);
    return undefined;
  };
  await inLanes(held.length, AT_ONCE, (index) => close(held[index]!.id));
  const more = await trainer.sessions({ run }).catch(() => []);
  const known = new Set(held.map(({ id }) => id));
  for (const { id, status } of more) if (status !== 'closed' && !known.has(id)) await close(id);
  return left;
};
