/** What keeping costs a call that changes something, against a server that keeps nothing: in process, over `SessionServer`. */
import { join } from 'node:path';
import { corpusFor } from '../serve/corpus.js';
import { inFolder, type Options } from '../serve/options.js';
import { startWorker, type Worker } from '../serve/processes.js';
import { median, round, say } from '../serve/report.js';
import { findTargets } from '../serve/targets.js';
import type { LaneBytes, LaneJob, Round } from './lane.js';

const LANES = ['off', 'none', 'call', 'disk'] as const;
type Lane = (typeof LANES)[number];
const CALLERS = [1, 16] as const;

type Seen = Record<Lane, Round[]>;

const none = (): Seen => ({ off: [], none: [], call: [], disk: [] });

/** Of each round against the same round without keeping. */
const ratio = (seen: Seen, lane: Lane, field: 'us' | 'cpuUs'): number =>
  round(median(seen[lane].map((each, n) => each[field] / (seen.off[n]?.[field] ?? Number.NaN))), 2);

const figures = (seen: Seen): Record<string, unknown> => ({
  off: { us: round(median(seen.off.map(({ us }) => us))), cpu_us: round(median(seen.off.map(({ cpuUs }) => cpuUs))) },
  ...Object.fromEntries(
    LANES.slice(1).map((lane) => [
      lane,
      {
        us: round(median(seen[lane].map(({ us }) => us))),
        cpu_us: round(median(seen[lane].map(({ cpuUs }) => cpuUs))),
        ratio: ratio(seen, lane, 'us'),
        cpu_ratio: ratio(seen, lane, 'cpuUs'),
      },
    ]),
  ),
});

export const runCost = (options: Options): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const { small } = options;
    const corpus = await corpusFor(options.corpus ?? join(dir, 'corpus'), { worlds: small ? 1 : 4, tasks: 0 });
    const { action: target } = await findTargets(corpus);
    say(`cost: ${target.tool}, ${target.statements} statements, ${target.bytes} bytes`);
    const [rounds, batches] = small ? [3, { 1: 4, 16: 1 }] : [9, { 1: 24, 16: 4 }];
    const lanes = new Map<Lane, Worker>();
    try {
      const open = async (lane: Lane): Promise<void> => {
        const worker = await startWorker('../durable/lane');
        lanes.set(lane, worker);
        const keeping = lane === 'off' ? {} : { data: join(dir, `data-${lane}`), durability: lane };
        await worker.ask<true>({ open: { corpus: corpus.dir, target, ...keeping } } satisfies LaneJob);
      };
      await Promise.all(LANES.map(open));
      const seen = { 1: none(), 16: none() };
      // The first round warms everybody up and is not counted; who goes first changes, for what one saves late another may feel.
      for (let n = 0; n <= rounds; n++)
        for (const callers of CALLERS)
          for (const [i] of LANES.entries()) {
            const lane = LANES[(i + n) % LANES.length] as Lane;
            const job: LaneJob = { round: { callers, batches: batches[callers] } };
            const done = await (lanes.get(lane) as Worker).ask<Round>(job);
            if (n > 0) seen[callers][lane].push(done);
          }
      const bytes = async (lane: Lane): Promise<LaneBytes> =>
        (lanes.get(lane) as Worker).ask<LaneBytes>({ bytes: true } satisfies LaneJob);
      const [marks, deltas] = [await bytes('none'), await bytes('call')];
      const result = {
        over: 'SessionServer, in process',
        action: target.tool,
        callers_1: figures(seen[1]),
        callers_16: figures(seen[16]),
        log_bytes_a_call: { none: round(marks.log), call: round(deltas.log) },
        savepoint_bytes_a_call: { none: round(marks.savepoints), call: round(deltas.savepoints) },
      };
      for (const worker of lanes.values()) await worker.ask<true>({ end: true } satisfies LaneJob);
      return result;
    } finally {
      await Promise.all([...lanes.values()].map((worker) => worker.stop()));
    }
  });
