/** One lane of part cost, in a process of its own: a session server over one corpus, and the same call made again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type House, openHouse } from '../../src/cli/serving/house.js';
import type { Durability } from '../../src/serve/durable/session/durability.js';
import type { LiveSession } from '../../src/serve/sessions/server/live-session.js';
import type { Target } from '../serve/targets.js';

/** Calls of one session, as many as a rollout makes. */
const CALLS = 40;
const SETTLED_MS = 20_000;

export type LaneJob =
  | { open: { corpus: string; target: Target; data?: string; durability?: Durability } }
  | { round: { callers: number; batches: number } }
  | { bytes: true }
  | { end: true };

export interface Round {
  calls: number;
  /** By the clock, and of the processor of this process, while calls were made. */
  us: number;
  cpuUs: number;
}

/** Of the whole lane: what its log took a call, and its savepoints. */
export interface LaneBytes {
  log: number;
  savepoints: number;
  saved: number;
}

let house: House;
let target: Target;
let calls = 0;

const opened = async (): Promise<LiveSession> => {
  const { id } = await house.server.open({ world: target.world });
  return house.server.live(id);
};

const callAll = async (live: LiveSession): Promise<void> => {
  for (let n = 0; n < CALLS; n++) {
    const { ok, result } = await live.call(target.tool, structuredClone(target.args));
    if (!ok) throw new Error(`${target.tool} was refused: ${JSON.stringify(result).slice(0, 200)}`);
  }
  calls += CALLS;
};

/** Sessions are opened and closed outside of what is timed; what is saved in the background meanwhile is within it. */
const round = async (callers: number, batches: number): Promise<Round> => {
  let [ms, cpuUs] = [0, 0];
  for (let n = 0; n < batches; n++) {
    const sessions = await Promise.all(Array.from({ length: callers }, opened));
    const cpu = process.cpuUsage();
    const from = performance.now();
    await Promise.all(sessions.map(callAll));
    await new Promise((resolve) => setImmediate(resolve));
    ms += performance.now() - from;
    const { user, system } = process.cpuUsage(cpu);
    cpuUs += user + system;
    for (const { id } of sessions) await house.server.close(id);
  }
  const made = callers * batches * CALLS;
  return { calls: made, us: (ms * 1_000) / made, cpuUs: cpuUs / made };
};

/** Nothing but these calls is logged meanwhile: between them the event loop does not come around. */
const bytes = async (): Promise<LaneBytes> => {
  const figures = () => house.server.keeping?.figures();
  for (let waited = 0; (figures()?.unsaved ?? 0) > 0 && waited < SETTLED_MS; waited += 100) await sleep(100);
  const { savepoints } = figures() ?? { savepoints: { bytes: 0, saved: 0 } };
  const whole = { savepoints: savepoints.bytes / calls, saved: savepoints.saved };
  const live = await opened();
  const before = figures()?.log.bytes ?? 0;
  await callAll(live);
  return { log: ((figures()?.log.bytes ?? 0) - before) / CALLS, ...whole };
};

export const work = async (job: LaneJob): Promise<unknown> => {
  if ('open' in job) {
    const { corpus, data, durability } = job.open;
    target = job.open.target;
    house = await openHouse({
      dir: corpus,
      ...(data === undefined ? {} : { data }),
      ...(durability === undefined ? {} : { durability }),
      servers: [],
      limits: {},
      onDefect: (error) => console.log(error.line()),
    });
    return true;
  }
  if ('round' in job) return round(job.round.callers, job.round.batches);
  if ('bytes' in job) return bytes();
  await house.close();
  return true;
};
