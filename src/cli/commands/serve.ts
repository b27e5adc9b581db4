/** treadle serve: a corpus as a MegaMCP server, or one session of it over stdio. */
import { Command, Option } from 'commander';
import { TreadleError } from '../../errors.js';
import type { OpenedSession, OpenRequest } from '../../serve/api.js';
import { DURABILITIES, type Durability } from '../../serve/durable/session/keeper.js';
import { serveStdio } from '../../serve/mcp/stdio.js';
import { type MegaMcp, serveMegaMcp } from '../../serve/megamcp.js';
import { agentView } from '../../serve/sessions/server/agent-view.js';
import { IDLE_TIMES } from '../../serve/sessions/server/residence.js';
import { risingSeconds, wholeNumber } from '../arguments.js';
import { chosenWorlds, DEFAULT_OUT, faultOption, jsonOption, worldOption } from '../options.js';
import { clientLines, sayHowToConnect } from '../serving/connect.js';
import { faultsOf } from '../serving/faults.js';
import { boundHeap } from '../serving/heap.js';
import { type House, openHouse } from '../serving/house.js';
import { countOutcomes, takenLine } from '../serving/taken.js';
import { warmUp } from '../serving/warm-up.js';
import { makeUi, type Ui, warn } from '../ui.js';

interface Options {
  world?: string;
  task?: string;
  scenario?: string;
  stdio?: boolean;
  host: string;
  port: number;
  adminPort: number;
  openenvPort?: number;
  gymPort?: number;
  gymToken?: string;
  sessions: number;
  capacity: number;
  idle: number;
  rest: number[];
  data?: string;
  durable: Durability;
  blobs?: string;
  diskReserve: number;
  server: string[];
  allowHost: string[];
  warm: boolean;
  lean?: boolean;
  fault: string[];
  faultSeed: string;
  json?: boolean;
}

const port = (flag: string, what: string): Option =>
  new Option(flag, what).argParser(wholeNumber(flag.split(' ')[0] as string, 65_535, 0));
const listed = (value: string, before: string[]): string[] => [...before, value];

/** What the sessions opened at the start are of. */
const requestOf = ({ world, task, scenario }: Options, first: string): OpenRequest => {
  if (task === undefined && scenario === undefined) return { world: world ?? first };
  const named = (id: string): string => (world === undefined || id.includes('/') ? id : `${world}/${id}`);
  return {
    ...(task === undefined ? {} : { task: named(task) }),
    ...(scenario === undefined ? {} : { scenario: named(scenario) }),
    ...(world ? { world } : {}),
  };
};

/** Nothing can be kept in a folder that goes with the server. */
const checkKeeping = ({ data, durable, blobs }: Options): void => {
  if (data !== undefined || (durable === 'none' && blobs === undefined)) return;
  throw new TreadleError({
    code: 'no_data_folder',
    message: 'Sessions are kept only where the server has a data folder',
    value: blobs === undefined ? `--durable ${durable}` : '--blobs',
    next: 'Say where: --data DIR.',
  });
};

/** What became of the sessions of servers before. */
const sayTaken = (ui: Ui, { taken }: House): void => {
  if (!taken) return;
  const said = takenLine(countOutcomes(taken.sessions));
  if (said) ui.say(said);
  for (const { folder, segment, offset, why } of taken.damage)
    warn(`log ${folder}/${segment}, byte ${offset}: ${why}; sessions that it was needed for are told what they lost`);
};

const overStdio = async (house: House, request: OpenRequest): Promise<void> => {
  const { id } = await house.server.open(request);
  const host = agentView(house.server.live(id));
  await serveStdio({ host, input: process.stdin, output: process.stdout });
};

const doorsOf = (options: Options): Pick<Parameters<typeof serveMegaMcp>[0], 'openEnv' | 'nemoGym'> => {
  const { host, openenvPort, gymPort, gymToken } = options;
  const token = gymToken === undefined ? {} : { token: gymToken };
  return {
    ...(openenvPort === undefined ? {} : { openEnv: { host, port: openenvPort, ...token } }),
    ...(gymPort === undefined ? {} : { nemoGym: { host, port: gymPort, ...token } }),
  };
};

const overHttp = async (house: House, options: Options, first: string, ui: Ui): Promise<void> => {
  const { host, sessions: count } = options;
  // Heard from before anyone can know the address, so that a stop is never lost.
  let isOver = false;
  const stopped = new Promise<void>((resolve) => {
    const stop = (): void => {
      isOver = true;
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
  const served: MegaMcp = await serveMegaMcp({
    server: house.server,
    agents: { host, port: options.port },
    trainers: {
      port: options.adminPort,
      ...(process.env.TREADLE_ADMIN_TOKEN ? { token: process.env.TREADLE_ADMIN_TOKEN } : {}),
    },
    ...doorsOf(options),
    allowed: { hosts: options.allowHost },
  });
  const sessions: OpenedSession[] = [];
  const request = requestOf(options, first);
  for (let n = 0; n < count; n++) sessions.push(await house.server.open(request));
  sayTaken(ui, house);
  const { worlds, tasks, scenarios } = house.published;
  const name = sessions[0]?.pins.world.name ?? first;
  ui.give({
    url: served.url,
    adminUrl: served.trainers.url,
    adminToken: served.trainers.token,
    ...(served.openEnv ? { openEnvUrl: served.openEnv } : {}),
    ...(served.nemoGym ? { gymUrl: served.nemoGym } : {}),
    worlds,
    tasks,
    scenarios,
    ...(house.taken ? { recovered: countOutcomes(house.taken.sessions) } : {}),
    sessions,
    ...(sessions[0] ? { clients: clientLines(name, sessions[0]) } : {}),
  });
  const title = options.scenario ?? options.task ?? name;
  sayHowToConnect(ui, { title, name, counts: { worlds, tasks, scenarios }, served, sessions });
  if (options.warm) await Promise.race([stopped, warmUp(house, { isOver: () => isOver, isBusy: served.isBusy })]);
  await stopped;
  await served.close();
};

export const serveCommand = (): Command =>
  new Command('serve')
    .description('serve a corpus to agents (MCP) and trainers (REST, OpenEnv, NeMo Gym)')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption().default(undefined))
    .option('--task <id>', 'the sessions opened at the start are of this task')
    .option('--scenario <id>', 'the sessions opened at the start are of this scenario: a task with events')
    .option('--stdio', 'one session on stdin and stdout, and nothing else')
    .option('--host <address>', "address of the agents' and the gyms' doors", '127.0.0.1')
    .addOption(port('--port <n>', "port of the agents' door; 0 takes a free one").default(0))
    .addOption(port('--admin-port <n>', "port of the trainers' door, always on 127.0.0.1").default(0))
    .addOption(port('--openenv-port <n>', 'serve OpenEnv there too; 0 takes a free one'))
    .addOption(port('--gym-port <n>', "serve NeMo Gym's protocol there too; 0 takes a free one"))
    .option('--gym-token <token>', "bearer token of both gyms' doors; needed where --host is not loopback")
    .addOption(
      new Option('--sessions <n>', 'sessions opened at the start, each with its token')
        .default(1)
        .argParser(wholeNumber('--sessions', 10_000, 0)),
    )
    .addOption(
      new Option('--capacity <n>', 'sessions open at once; beyond it 503')
        .default(10_000)
        .argParser(wholeNumber('--capacity', 1_000_000)),
    )
    .addOption(
      new Option('--idle <seconds>', 'a session that nobody used for so long is closed')
        .default(3_600)
        .argParser(wholeNumber('--idle', 604_800)),
    )
    .addOption(
      new Option('--rest <seconds,...>', 'when an idle session is compressed, goes to disk, and to the blob store')
        .default([IDLE_TIMES.park, IDLE_TIMES.disk, IDLE_TIMES.store])
        .argParser(risingSeconds('--rest', 3, '30,300,1800')),
    )
    .option('--data <dir>', 'where registry, sessions and ledgers are kept; sessions end with the server when absent')
    .addOption(
      new Option(
        '--durable <what>',
        'what survives the death of the server: savepoints, every call, or that and the power',
      )
        .choices(DURABILITIES)
        .default('none'),
    )
    .option(
      '--blobs <where>',
      'savepoints: s3://BUCKET/PREFIX?endpoint=URL or a folder; in the data folder when absent',
    )
    .addOption(
      new Option('--disk-reserve <MiB>', 'free room of the disk below which nothing more is taken')
        .default(64)
        .argParser(wholeNumber('--disk-reserve', 1_048_576, 0)),
    )
    .option('--server <file>', 'an outside MCP server that sessions may ask for (YAML or JSON); repeatable', listed, [])
    .option('--allow-host <name>', 'what the server is called beside its address; repeatable', listed, [])
    .addOption(faultOption())
    .option('--fault-seed <text>', 'which calls are struck: same seed, same faults', '0')
    .option('--lean', 'less memory for slower calls: small young generation')
    .option('--no-warm', 'load worlds when they are first asked for, not ahead')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  treadle serve treadle-out                            a session to paste into Claude Code, OpenClaw or Inspector
  treadle serve treadle-out --task invoice-void-1      the same, with the tools of one task
  treadle serve treadle-out --scenario invoice-void-1-e1   the same, with the events of one scenario of it
  treadle serve treadle-out --stdio                    one session for a client that starts servers itself
  treadle serve corpus --port 8931 --admin-port 8932 --sessions 0 --json
  treadle serve corpus --openenv-port 8000 --gym-port 8001
  treadle serve corpus --fault 'get_*=P1@5%' --fault 'billing_list_invoices=P4'

Trainers open, fork, verify and close sessions at the admin door (POST /v1/sessions, GET /openapi.json, GET /metrics) with
the token printed at the start, or with yours: TREADLE_ADMIN_TOKEN.`,
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      checkKeeping(options);
      boundHeap(options.lean === true);
      const [park, disk, store] = options.rest as [number, number, number];
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const first = worlds[0] as string;
      const house = await openHouse({
        dir,
        data: options.data,
        durability: options.durable,
        blobs: options.blobs,
        diskReserve: options.diskReserve * 1_048_576,
        servers: options.server,
        faults: faultsOf(options.fault, options.faultSeed, corpus, worlds),
        limits: {
          capacity: Math.max(options.capacity, options.sessions),
          idleSeconds: options.idle,
          idle: { ...IDLE_TIMES, park, disk, store },
        },
        onDefect: (error) => warn(`server: ${error.line()}`),
      });
      try {
        if (options.stdio) await overStdio(house, requestOf(options, first));
        else await overHttp(house, options, first, ui);
      } finally {
        await house.close();
      }
    });
