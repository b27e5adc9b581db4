/** CPU of a call with a front and two workers against one process, with nothing kept and with every call kept. */
import { join } from 'node:path';
import type { OpenedSession } from '../../src/serve/api.js';
import { corpusFor } from '../serve/corpus.js';
import type { Hammered, HammerJob } from '../serve/hammer.js';
import { inFolder, type Options } from '../serve/options.js';
import { startWorker } from '../serve/processes.js';
import { median, round, say } from '../serve/report.js';
import { warmed } from '../serve/server.js';
import { findTargets, type Target } from '../serve/targets.js';
import { mcpHead, mcpTail } from '../serve/wire.js';
import { type Running, startServer } from './server.js';

const CONNECTIONS = 64;
const WORKERS = 2;
const LANES = ['one', 'front', 'one_call', 'front_call'] as const;
type Lane = (typeof LANES)[number];
const KINDS = ['get', 'action'] as const;
type Kind = (typeof KINDS)[number];

interface Prepared {
  job: HammerJob;
  ready(): Promise<void>;
}

/** A session a connection. Actions begin each round on the initial state, so that no round is longer than another. */
const prepare = async (server: Running, kind: Kind, target: Target, count: number): Promise<Prepared> => {
  const sessions: OpenedSession[] = [];
  for (let n = 0; n < CONNECTIONS; n++)
    sessions.push(await server.admin<OpenedSession>('POST', '/v1/sessions', { world: target.world }));
  const tail = mcpTail(1, 'tools/call', { name: target.tool, arguments: target.args });
  const requests = sessions.map(({ services }) => {
    const own = services[target.service];
    if (!own) throw new Error(`no service ${target.service}`);
    return mcpHead(new URL(own.url).pathname, own.token) + tail;
  });
  const { agentsPort: port, said } = server;
  return {
    job: { port, pid: said.pids, count, holds: '"result":', lacks: '"isError":true', requests },
    ready: async () => {
      if (kind === 'action') for (const { id } of sessions) await server.admin('POST', `/v1/sessions/${id}/reset`, {});
    },
  };
};

type Seen = Record<`${Kind}_${Lane}`, Hammered[]>;

const ratio = (seen: Seen, kind: Kind, ours: Lane, theirs: Lane): number => {
  const peers = seen[`${kind}_${theirs}`];
  return round(median(seen[`${kind}_${ours}`].map(({ cpuUs }, n) => cpuUs / (peers[n]?.cpuUs ?? Number.NaN))), 3);
};

const figures = (seen: Seen): Record<string, unknown> => {
  const ratios = Object.fromEntries(
    KINDS.flatMap((kind) => [
      [kind, ratio(seen, kind, 'front', 'one')],
      [`${kind}_call`, ratio(seen, kind, 'front_call', 'one_call')],
    ]),
  );
  const each = (pick: (hammered: Hammered) => number, digits: number): Record<string, number> =>
    Object.fromEntries(Object.entries(seen).map(([name, list]) => [name, round(median(list.map(pick)), digits)]));
  return {
    // The worst of them.
    front_cpu_ratio: Math.max(...Object.values(ratios)),
    front_cpu_ratios: ratios,
    front_cpu_us: each(({ cpuUs }) => cpuUs, 1),
    front_calls_per_s: each(({ perSecond }) => perSecond, 0),
    failed: Object.values(seen)
      .flat()
      .reduce((sum, { failed }) => sum + failed, 0),
  };
};

export const runCpu = (options: Options): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const { small } = options;
    const corpus = await corpusFor(options.corpus ?? join(dir, 'corpus'), { worlds: small ? 1 : 4, tasks: 0 });
    const targets = await findTargets(corpus);
    const [rounds, count] = small ? [2, 3_000] : [7, 16_000];
    const servers: Running[] = [];
    const hammer = await startWorker('hammer');
    try {
      const prepared = new Map<`${Kind}_${Lane}`, Prepared>();
      const open = async (lane: Lane): Promise<void> => {
        const server = await startServer(options, {
          corpus: corpus.dir,
          ...(lane.endsWith('call') ? { data: join(dir, lane), durability: 'call' } : {}),
          ...(lane.startsWith('front') ? { workers: WORKERS } : {}),
        });
        servers.push(server);
        await warmed(server);
        for (const kind of KINDS) prepared.set(`${kind}_${lane}`, await prepare(server, kind, targets[kind], count));
      };
      await Promise.all(LANES.map(open));
      // In one order whoever was ready first.
      const lanes = LANES.flatMap((lane) => KINDS.map((kind) => `${kind}_${lane}` as const));
      const seen = Object.fromEntries(lanes.map((name) => [name, [] as Hammered[]])) as Seen;
      // The first round warms everybody up and is not counted.
      for (let n = 0; n <= rounds; n++)
        for (const name of lanes) {
          const { job, ready } = prepared.get(name) as Prepared;
          await ready();
          const done = await hammer.ask<Hammered>(job);
          if (done.failure !== undefined) say(`failed: ${name}: ${done.failure}`);
          if (n > 0) seen[name].push(done);
        }
      return { connections: CONNECTIONS, workers: WORKERS, ...figures(seen) };
    } finally {
      await Promise.all([...servers.map((server) => server.stop()), hammer.stop()]);
    }
  });
