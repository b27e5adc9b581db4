/** treadle serve: a corpus as a MegaMCP server, or one session of it over stdio. */
import { Command, Option } from 'commander';
import { TreadleError } from '../../errors.js';
import { DURABILITIES } from '../../serve/durable/session/durability.js';
import { IDLE_TIMES } from '../../serve/sessions/server/residence.js';
import { risingSeconds, wholeNumber } from '../arguments.js';
import { DEFAULT_OUT, faultOption, jsonOption, seedOption, worldOption } from '../options.js';
import type { RestOptions } from '../serving/fake.js';
import { isDocument } from '../serving/given.js';
import type { ServeOptions } from '../serving/serving.js';
import { makeUi } from '../ui.js';

const port = (flag: string, what: string): Option =>
  new Option(flag, what).argParser(wholeNumber(flag.split(' ')[0] as string, 65_535, 0));
const listed = (value: string, before: string[]): string[] => [...before, value];

interface RawOptions extends Omit<ServeOptions, 'data' | 'faultSeed'>, RestOptions {
  data: string[];
  faultSeed?: string;
}

/** What makes sense for documents only is refused. */
const forCorpus = (given: readonly string[], { data, ...options }: RawOptions): ServeOptions => {
  const refused = (value: string, message: string, next: string): TreadleError =>
    new TreadleError({ code: 'not_for_a_corpus', message, value, next });
  if (given.length > 1) throw refused(given[1] as string, 'One corpus is served at a time', 'Start a server for each.');
  const flag =
    options.overrides !== undefined ? '--overrides' : options.webhook !== undefined ? '--webhook' : undefined;
  if (flag !== undefined)
    throw refused(flag, `${flag} is for a document that is served`, 'Leave it out, or give the API document itself.');
  if (data.length > 1) throw refused(data[1] as string, 'A server has one data folder', 'Give --data once.');
  const { faultSeed = '0' } = options;
  return { ...options, faultSeed, ...(data[0] === undefined ? {} : { data: data[0] }) };
};

export const serveCommand = (): Command =>
  new Command('serve')
    .description('serve a corpus to agents (MCP) and trainers (REST, OpenEnv, NeMo Gym)')
    .argument('[corpus...]', 'corpus folder; or an API document (several of one product), whose fake is served', [
      DEFAULT_OUT,
    ])
    .option(
      '--rest',
      'answer as the HTTP API of the document, on --port; each key is a fork of its own. Of a corpus: sessions of worlds that were built from documents answer as those, on --rest-port, by their tokens',
    )
    .addOption(worldOption().default(undefined))
    .option('--task <id>', 'the sessions opened at the start are of this task')
    .option('--scenario <id>', 'the sessions opened at the start are of this scenario: a task with events')
    .option('--stdio', 'one session on stdin and stdout, and nothing else')
    .option('--host <address>', "address of the agents' and the gyms' doors", '127.0.0.1')
    .addOption(port('--port <n>', "port of the agents' door; 0 takes a free one").default(0))
    .addOption(port('--admin-port <n>', "port of the trainers' door, always on 127.0.0.1").default(0))
    .addOption(port('--rest-port <n>', 'of a corpus: port of --rest; 0 takes a free one').default(0))
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
      new Option('--resting <seconds,...>', 'when an idle session is compressed, goes to disk, and to the blob store')
        .default([IDLE_TIMES.park, IDLE_TIMES.disk, IDLE_TIMES.store])
        .argParser(risingSeconds('--resting', 3, '30,300,1800')),
    )
    .addOption(
      new Option(
        '--data <where>',
        'folder where registry, sessions and ledgers are kept; sessions end with the server when absent. Of a document: rows of yours (JSON, CSV, SQLite; table=FILE), repeatable',
      )
        .default([])
        .argParser(listed),
    )
    .addOption(
      new Option(
        '--durable <what>',
        'what survives the death of the server: savepoints, every call, or that and the power',
      )
        .choices(DURABILITIES)
        .default('none'),
    )
    .addOption(
      new Option('--workers <n>', 'processes that have the sessions, behind one that has the doors; 1: all in one')
        .default(1)
        .argParser(wholeNumber('--workers', 256)),
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
    .option('--fault-seed <text>', 'which calls are struck: same seed, same faults; 0, of a document its --seed')
    .option('--strict', 'with --rest: operations that nothing grounds are refused with 501, not answered by example')
    .option('--needs-key', 'with --rest: requests without a key are refused with 401')
    .option('--tokens-only', 'with --rest, of a corpus: only tokens of sessions are taken, no keys or names of forks')
    .option('--no-control', 'with --rest: do not serve /_treadle (reset, fork, diff, clock, MCP)')
    .option('--overrides <file>', 'of a document: corrections (YAML); else overrides.yaml beside it')
    .option('--webhook <url>', 'of a document: where the webhooks that it declares are sent')
    .option('--webhook-secret <text>', 'signs them, the way the document says; or TREADLE_WEBHOOK_SECRET')
    .option(
      '--webhook-host <name>',
      'a host besides this machine that callbacks and registered addresses may be of; repeatable',
      listed,
      [],
    )
    .addOption(seedOption())
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
  treadle serve corpus --data serving --durable call --workers 4   sessions survive workers, server and Ctrl-C
  treadle serve corpus --fault 'get_*=P1@5%' --fault 'billing_list_invoices=P4'
  treadle serve corpus --rest --rest-port 4010         sessions also as the API that their world was built from
  treadle serve api.yaml --rest --port 4010            a stateful fake of an API, no corpus needed
  treadle serve api.yaml --rest --data customers.csv --strict
  treadle serve api.yaml --rest --fault 'POST /charges=429@10%' --fault 'GET /x=503x2' --webhook http://localhost:3000/hooks

Of a document, --fault is OPERATION=429|503|timeout|reset|latency:200ms[@SHARE%][xTIMES]; OPERATION is POST /charges, GET /x/*,
an operationId, or *.

Trainers open, fork, verify and close sessions at the admin door (POST /v1/sessions, GET /openapi.json, GET /metrics) with
the token printed at the start, or with yours: TREADLE_ADMIN_TOKEN. What --data keeps goes on with the next server on the folder
(treadle sessions lists it). With --workers and --data they can also leave rollouts and gates there, which the workers do
(POST /v1/jobs, GET /v1/jobs/ID/results). SIGHUP restarts the workers one after another, their sessions moved first.`,
    )
    .action(async (given: string[], raw: RawOptions) => {
      const [dir = DEFAULT_OUT] = given;
      if (isDocument(dir)) {
        await (await import('../serving/fake.js')).serveFake(given, raw, makeUi(raw.json === true));
        return;
      }
      const options = forCorpus(given, raw);
      await (await import('../serving/corpus.js')).serveCorpus(dir, options);
    });
