/** Calls a second over HTTP, held against a bare echo and against the official SDK's server, in turn in rounds of one run. */
import type { OpenedSession } from '../../src/serve/api.js';
import { corpusFor } from './corpus.js';
import type { Hammered, HammerJob } from './hammer.js';
import { inFolder, type Options } from './options.js';
import type { SdkPeer } from './peers.js';
import { startWorker, type Worker } from './processes.js';
import { median, round, say, sayTargets } from './report.js';
import { builtMain, type Served, serve, warmed } from './server.js';
import { findTargets, type Target, type Targets } from './targets.js';
import { mcpHead, mcpTail } from './wire.js';

const CONNECTIONS = 16;

const TARGETS = [
  { field: 'ratio_http', at: 'least', bound: 0.35 },
  { field: 'ratio_http_get', at: 'least', bound: 0.5 },
  { field: 'ratio_sdk', at: 'least', bound: 4 },
  { field: 'failed', at: 'most', bound: 0 },
] as const;

interface Lane {
  name: string;
  job: HammerJob;
  /** Before each round. */
  ready?: () => Promise<void>;
}

const many = <T>(make: (i: number) => T): T[] => Array.from({ length: CONNECTIONS }, (_, i) => make(i));
const tailOf = ({ tool, args }: Target): string => mcpTail(1, 'tools/call', { name: tool, arguments: args });

const openAll = async (served: Served, { world }: Target): Promise<OpenedSession[]> => {
  const opened: OpenedSession[] = [];
  for (let n = 0; n < CONNECTIONS; n++)
    opened.push(await served.admin<OpenedSession>('POST', '/v1/sessions', { world }));
  return opened;
};

/** One lane a server and kind of call. Our actions begin each round on the initial state, so that no round is longer than another. */
const lanesOf = async (
  served: Served,
  targets: Targets,
  count: number,
  peers: { echo: Worker & { port: number }; sdk: Worker & SdkPeer },
): Promise<Lane[]> => {
  const { get, action } = targets;
  const gets = await openAll(served, get);
  const actions = await openAll(served, action);
  const ours = (sessions: OpenedSession[], service: string, tail: string, lacks?: string): HammerJob => ({
    port: served.agentsPort,
    pid: served.pid,
    count,
    holds: '"result":',
    ...(lacks === undefined ? {} : { lacks }),
    requests: sessions.map(({ services }) => {
      const own = services[service];
      if (!own) throw new Error(`no service ${service}`);
      return mcpHead(new URL(own.url).pathname, own.token) + tail;
    }),
  });
  const { port, pid } = peers.echo;
  const echo = (target: Target): HammerJob => ({
    port,
    pid,
    count,
    holds: '"tools/call"',
    requests: many(() => mcpHead('/mcp', 'x'.repeat(64)) + tailOf(target)),
  });
  const sdk = (requests: string[]): HammerJob => ({
    port: peers.sdk.port,
    pid: peers.sdk.pid,
    count: Math.ceil(count / 4),
    holds: '"result":',
    lacks: '"isError":true',
    requests,
  });
  const head = mcpHead('/mcp', 'x'.repeat(64));
  const reset = async (): Promise<void> => {
    for (const { id } of actions) await served.admin('POST', `/v1/sessions/${id}/reset`, {});
  };
  const refused = '"isError":true';
  return [
    { name: 'echo', job: echo(action) },
    { name: 'action', job: ours(actions, action.service, tailOf(action), refused), ready: reset },
    { name: 'echo_get', job: echo(get) },
    { name: 'get', job: ours(gets, get.service, tailOf(get), refused) },
    { name: 'trivial', job: ours(gets, get.service, mcpTail(1, 'ping')) },
    { name: 'sdk', job: sdk(many(() => head + tailOf(get))) },
    { name: 'sdk_stateful', job: sdk(peers.sdk.ids.map((id) => `${head}mcp-session-id: ${id}\r\n${tailOf(get)}`)) },
  ];
};

const ratio = (seen: Map<string, Hammered[]>, ours: string, theirs: string): number => {
  const [a = [], b = []] = [seen.get(ours), seen.get(theirs)];
  return round(median(a.map(({ perSecond }, i) => perSecond / (b[i]?.perSecond ?? Number.NaN))), 3);
};

const figures = (seen: Map<string, Hammered[]>): Record<string, unknown> => {
  const each = (pick: (h: Hammered) => number, digits: number): Record<string, number> =>
    Object.fromEntries([...seen].map(([name, list]) => [name, round(median(list.map(pick)), digits)]));
  const stateless = ratio(seen, 'get', 'sdk');
  const stateful = ratio(seen, 'get', 'sdk_stateful');
  return {
    ratio_http: ratio(seen, 'action', 'echo'),
    ratio_http_get: ratio(seen, 'get', 'echo_get'),
    ratio_trivial: ratio(seen, 'trivial', 'echo_get'),
    // The faster of the SDK's two ways is the one to be compared with.
    ratio_sdk: Math.min(stateless, stateful),
    ratio_sdk_stateless: stateless,
    ratio_sdk_stateful: stateful,
    calls_per_s: each(({ perSecond }) => perSecond, 0),
    cpu_us: each(({ cpuUs }) => cpuUs, 1),
    failed: [...seen.values()].flat().reduce((sum, { failed }) => sum + failed, 0),
  };
};

export const runRate = (options: Options): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const { small, nodeArgs, serveArgs } = options;
    const main = builtMain(options.dist);
    const corpus = await corpusFor(options.corpus ?? `${dir}/corpus`, { worlds: small ? 2 : 12, tasks: 0 });
    const targets = await findTargets(corpus);
    say(`action: ${targets.action.tool}, ${targets.action.statements} statements, ${targets.action.bytes} bytes`);
    say(`get: ${targets.get.tool}, ${targets.get.statements} statement(s), ${targets.get.bytes} bytes`);
    const [rounds, count] = small ? [3, 800] : [9, 8_000];
    const [hammer, echo, sdk] = await Promise.all([startWorker('hammer'), startWorker('peers'), startWorker('peers')]);
    try {
      const { port } = await echo.ask<SdkPeer>({ echo: true });
      const peer = { corpus: corpus.dir, target: targets.get, sessions: CONNECTIONS };
      const sdkPeer = await sdk.ask<SdkPeer>({ sdk: peer });
      const served = await serve({ main, corpus: corpus.dir, nodeArgs, args: serveArgs });
      try {
        await warmed(served);
        const peers = { echo: { ...echo, port }, sdk: { ...sdk, ...sdkPeer } };
        const lanes = await lanesOf(served, targets, count, peers);
        const seen = new Map<string, Hammered[]>(lanes.map(({ name }) => [name, []]));
        // The first round warms everybody up and is not counted.
        for (let n = 0; n <= rounds; n++) {
          for (const { name, job, ready } of lanes) {
            await ready?.();
            const hammered = await hammer.ask<Hammered>(job);
            if (hammered.failure !== undefined) say(`failed: ${name}: ${hammered.failure}`);
            if (n > 0) seen.get(name)?.push(hammered);
          }
        }
        const result = {
          part: 'rate',
          ...figures(seen),
          connections: CONNECTIONS,
          action: targets.action,
          get: targets.get,
        };
        sayTargets(result, TARGETS);
        return result;
      } finally {
        await served.stop();
      }
    } finally {
      await Promise.all([hammer.stop(), echo.stop(), sdk.stop()]);
    }
  });
