import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Task } from '../../src/artifacts/task.js';
import { buildCommand } from '../../src/cli/commands/build.js';
import { harnessCommand } from '../../src/cli/commands/harness.js';
import { rolloutCommand } from '../../src/cli/commands/rollout.js';
import { readTraces } from '../../src/cli/pipeline/rollouts.js';
import { Corpus } from '../../src/corpus/corpus.js';
import { HARNESS_KINDS } from '../../src/rollout/harness/registry.js';
import { type FakeModel, fakeModel, replaying, type Script } from './fake-model.js';
import { AGENT } from './place.js';

let dir: string;
let model: FakeModel;
let script: Script = () => ({ content: 'ok' });

const ran = async (command: Command, ...args: string[]): Promise<{ json: Record<string, unknown>; code?: string }> => {
  let text = '';
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  let code: string | undefined;
  try {
    const program = new Command('treadle').exitOverride().addCommand(command.exitOverride());
    await program.parseAsync([command.name(), ...args, '--json'], { from: 'user' });
  } catch (thrown) {
    code = (thrown as { code?: string }).code;
  }
  out.mockRestore();
  return { json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>), ...(code ? { code } : {}) };
};
const rollout = (...args: string[]) => ran(rolloutCommand(), dir, '--policy', 'harness', ...args);
const corpus = (): Corpus => Corpus.open(dir);
const tasks = (): Task[] => [...corpus().readTasks(corpus().worlds()[0] as string).tasks];

beforeAll(async () => {
  dir = join(mkdtempSync(join(tmpdir(), 'treadle-harness-cli-')), 'c');
  await ran(buildCommand(), 'a family bakery with 3 shops in Lyon', '--out', dir, '--tasks', '3');
  model = await fakeModel((request) => script(request));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});
afterAll(async () => {
  await model.close();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

it('a command rolls tasks out, is judged as others are, and goes on where it stopped', async () => {
  const { Session } = await import('../../src/serve/sessions/session.js');
  const { callerOf } = await import('../../src/serve/sessions/caller.js');
  const { Engine } = await import('../../src/world/state/engine.js');
  const { loadWorld } = await import('../../src/world/loaded.js');
  const task = tasks().find(({ grounding }) => grounding === undefined) as Task;
  const engine = await Engine.start();
  const world = loadWorld(engine, corpus().readWorld(task.worldId));
  const session = Session.open(world, { id: 's', services: task.services, me: callerOf(task.actor) });
  script = replaying(task, session.tools());
  engine.close();
  const line = `'${process.execPath}' '${AGENT}' react {task}`;
  const args = ['--harness-command', line, '--harness-name', 'mini', '--model', 'm1', '--base-url', model.baseUrl];
  const first = await rollout('--task', task.id, ...args);
  expect(first.json).toMatchObject({ planned: 1, rollouts: 1, passed: 1, unfinished: 0 });
  const again = await rollout('--task', task.id, ...args);
  expect(again.json).toMatchObject({ skipped: 1, passed: 1 });
  const kept = readTraces(corpus(), task.worldId).filter(({ trace }) => trace.producer.policy === 'harness');
  expect(kept.map(({ trace }) => trace.producer)).toMatchObject([{ name: 'mini', model: 'm1' }]);
  // Another command line is another agent.
  const other = await rollout('--task', task.id, ...args.map((arg) => (arg === line ? `${line} --twice` : arg)));
  expect(other.json).toMatchObject({ skipped: 0, rollouts: 1 });
});

it('a harness that breaks at its start is tried twice and not counted', async () => {
  const line = `'${process.execPath}' '${AGENT}' crashes`;
  const { json } = await rollout(
    '--limit',
    '1',
    '--harness-command',
    line,
    '--model',
    'm1',
    '--base-url',
    model.baseUrl,
  );
  expect(json).toMatchObject({ rollouts: 1, unfinished: 1, retried: 1, faults: { infrastructure: 1 } });
});

it.each([
  ['no harness', [], 'bad_option'],
  ['a simulated user', ['--harness', 'command', '--harness-command', 'true', '--user', 'simulated'], 'bad_option'],
  ['no command', ['--harness', 'command'], 'bad_option'],
  ['a program that is not there', ['--harness-command', 'no-such-agent {task}'], 'harness_not_found'],
  ['an unknown place', ['--harness-command', 'true {tusk}'], 'bad_command'],
  ['an open quote', ['--harness-command', "true '"], 'bad_command'],
  ['a model without an endpoint', ['--harness-command', 'true', '--model', 'm1'], 'no_model'],
])('%s is refused before anything runs', async (_, args, code) => {
  expect((await rollout(...args)).code).toBe(code);
});

it('a harness beside another policy is refused', async () => {
  expect((await ran(rolloutCommand(), dir, '--harness', 'openclaw')).code).toBe('bad_option');
});

it('harnesses are listed as they are found, and only known ones are installed', async () => {
  const empty = join(dir, '..', 'none');
  const path = process.env.PATH;
  process.env.PATH = '/usr/bin:/bin';
  try {
    const { json } = await ran(harnessCommand(), '--dir', empty);
    expect(json).toMatchObject({ harnesses: HARNESS_KINDS.map(({ id }) => ({ id, found: false })), dir: empty });
    process.env.TREADLE_HARNESS_DIR = empty;
    const asked = await rollout('--harness', 'openclaw', '--model', 'm1', '--base-url', model.baseUrl);
    expect(asked.code).toBe('harness_not_found');
  } finally {
    process.env.PATH = path;
    delete process.env.TREADLE_HARNESS_DIR;
  }
  expect((await ran(harnessCommand(), 'install', 'nope', '--dir', empty)).code).toBe('unknown_harness');
});
