/** treadle serve: a world as an MCP server, over stdio for one agent or over HTTP with a token a session. */
import { Command, Option } from 'commander';
import type { Task } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';
import { wallSeconds } from '../../kit/clock.js';
import { sessionDirectory } from '../../serve/http/directory.js';
import { type Serving, serveHttp } from '../../serve/http/serve.js';
import { serveStdio } from '../../serve/mcp/stdio.js';
import { actorOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import { type LoadedWorld, loadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { wholeNumber } from '../arguments.js';
import { chosenWorlds, DEFAULT_OUT, jsonOption, worldOption } from '../options.js';
import { sessionFor } from '../pipeline/rollouts.js';
import { makeUi, type Ui } from '../ui.js';

interface Options {
  world?: string;
  task?: string;
  stdio?: boolean;
  port: number;
  sessions: number;
  json?: boolean;
}

const opener = (world: LoadedWorld, tasks: readonly Task[]): ((taskId: string | undefined) => Session) => {
  let opened = 0;
  return (taskId) => {
    const id = `s${++opened}`;
    if (taskId === undefined) return Session.open(world, { id, me: actorOf(world) });
    const task = tasks.find((candidate) => candidate.id === taskId);
    if (!task)
      throw new TreadleError({
        code: 'no_task',
        message: 'The world has no such task',
        value: taskId,
        next: tasks[0] ? `For example ${tasks[0].id}.` : 'Make some with treadle tasks.',
      });
    return sessionFor(world, task, id);
  };
};

/** What a person needs to point a client at the server. */
const howToConnect = (ui: Ui, world: LoadedWorld, server: Serving, sessions: readonly { token: string }[]): void => {
  const { url } = server;
  const [first] = sessions;
  ui.say(`world    ${world.spec.id} (${world.spec.company.name}), ${world.tools.size} tools`);
  ui.say(`agents   ${server.url}`);
  for (const { token } of sessions) ui.say(`token    ${token}`);
  ui.say(`admin    ${server.adminUrl} token ${server.adminToken}`);
  ui.say('');
  ui.say('Any MCP client over Streamable HTTP; in the configuration file that most of them read:');
  const entry = { type: 'http', url, headers: { Authorization: `Bearer ${first?.token ?? ''}` } };
  ui.say(ui.style('dim', JSON.stringify({ mcpServers: { [world.spec.id]: entry } })));
  ui.say('Or by hand:');
  ui.say(
    ui.style(
      'dim',
      `curl ${url} -H 'authorization: Bearer ${first?.token ?? ''}' -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
    ),
  );
  ui.say('Stop with Ctrl-C.');
};

const taskIn = (request: unknown): string | undefined => {
  const task = (request as { task?: unknown } | null)?.task;
  if (task === undefined || typeof task === 'string') return task;
  throw new TreadleError({
    code: 'bad_request',
    message: 'task must be the id of a task',
    value: task,
    next: 'Send {"task": "<id>"} or {}.',
  });
};

export const serveCommand = (): Command =>
  new Command('serve')
    .description('serve a world over MCP')
    .argument('[corpus]', 'corpus folder', DEFAULT_OUT)
    .addOption(worldOption())
    .option('--task <id>', 'give the session the tools of this task')
    .option('--stdio', 'one session on stdin and stdout')
    .addOption(
      new Option('--port <n>', "port of the agents' door on 127.0.0.1; 0 takes a free one")
        .default(0)
        .argParser(wholeNumber('--port', 65_535, 0)),
    )
    .addOption(
      new Option('--sessions <n>', 'sessions opened at the start, each with its token')
        .default(1)
        .argParser(wholeNumber('--sessions', 10_000)),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  treadle serve treadle-out --stdio\n  treadle serve treadle-out --port 8931 --sessions 4 --json\n\nMore sessions are opened through the admin door that is printed at the start: POST /sessions {"task": "<id>"}.',
    )
    .action(async (dir: string, options: Options) => {
      const ui = makeUi(options.json === true);
      const { corpus, worlds } = chosenWorlds(dir, options.world);
      const id = worlds[0] as string;
      const engine = await Engine.start();
      const world = loadWorld(engine, corpus.readWorld(id));
      const open = opener(world, corpus.readTasks(id).tasks);
      if (options.stdio) {
        await serveStdio({ host: open(options.task), input: process.stdin, output: process.stdout });
        engine.close();
        return;
      }
      const directory = sessionDirectory({
        capacity: Math.max(10_000, options.sessions),
        idleSeconds: 3600,
        lifetimeSeconds: 86_400,
        now: wallSeconds,
      });
      // Heard from before anyone can know the address, so that a stop is never lost.
      const stopped = new Promise<void>((resolve) => {
        process.once('SIGINT', resolve);
        process.once('SIGTERM', resolve);
      });
      const lease = (session: Session): { host: Session; drop: () => void } => ({
        host: session,
        drop: () => session.drop(),
      });
      // Before anything listens: what is asked for may not be there.
      const sessions = Array.from({ length: options.sessions }, () => directory.open(lease(open(options.task))));
      const admin = { open: (request: unknown) => lease(open(taskIn(request))) };
      const server = await serveHttp({ directory, port: options.port, admin });
      ui.give({
        world: id,
        url: server.url,
        adminUrl: server.adminUrl,
        adminToken: server.adminToken,
        sessions,
      });
      howToConnect(ui, world, server, sessions);
      await stopped;
      await server.close();
      directory.closeAll();
      engine.close();
    });
