/**
 * Task rows against a real `treadle serve`: each row opens its task, the reference earns 1 and doing nothing 0. The clients are
 * written from serving.md; the Python that goes beside the rows is run where there is a python3.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Task } from '../../src/artifacts/task.js';
import { Corpus } from '../../src/corpus/corpus.js';
import { addressOf } from '../../src/kit/hash.js';
import { request } from '../gym/wire.fixture.js';
import { errorLine, MAIN, scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
let server: ChildProcess;
let gymUrl = '';
let openEnvUrl = '';
let tasks: Map<string, Task>;

const done = ({ status, stderr }: { status: number; stderr: string }): void => expect(status, stderr).toBe(0);
const linesOf = (folder: string): Record<string, unknown>[] =>
  ['train', 'validation'].flatMap((split) =>
    readFileSync(join(dir, folder, 'data', `${split}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  );

beforeAll(async () => {
  done(warm(['build', 'a kitchen supplies wholesaler in Leeds', '--tasks', '4', '--out', corpus, '--json']));
  done(warm(['tasks', corpus, '--composed', '1', '--mix', 'simple=1', '--json']));
  const opened = Corpus.open(corpus);
  tasks = new Map(
    opened.worlds().flatMap((id) => opened.readTasks(id).tasks.map((task) => [`${task.worldId}/${task.id}`, task])),
  );
  server = spawn(process.execPath, [
    ...[MAIN, 'serve', corpus, '--sessions', '0', '--openenv-port', '0', '--gym-port', '0', '--no-warm', '--json'],
  ]);
  const [text] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  ({ gymUrl, openEnvUrl } = JSON.parse(String(text)) as { gymUrl: string; openEnvUrl: string });
});
afterAll(async () => {
  server.kill('SIGTERM');
  expect((await once(server, 'exit'))[0]).toBe(0);
  rmSync(dir, { recursive: true, force: true });
});

const taskOf = (name: unknown): Task => {
  const found = tasks.get(String(name)) ?? [...tasks.values()].find((task) => addressOf(task) === name);
  if (found === undefined) throw new Error(`no task ${String(name)}`);
  return found;
};

/** An agent server: the cookie of the last answer, raw bodies as tool output. */
const nemoReward = async (row: Record<string, unknown>, task?: Task): Promise<unknown> => {
  let cookie = '';
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await request(`${gymUrl}${path}`, 'POST', body, cookie === '' ? {} : { cookie });
    expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).toBe(200);
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return answer.body;
  };
  await post('/seed_session', row);
  const output: object[] = [];
  for (const { tool, args } of task?.reference.calls ?? []) {
    output.push({ type: 'function_call', name: tool, arguments: JSON.stringify(args) });
    output.push({ type: 'function_call_output', output: JSON.stringify(await post(`/${tool}`, args)) });
  }
  const text = task?.reference.answer ?? '';
  output.push({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] });
  return (await post('/verify', { ...row, response: { id: 'r', object: 'response', output } })).reward;
};

it('NeMo Gym: the reference earns 1, doing nothing 0', async () => {
  done(warm(['export', 'rl', corpus, '--for', 'nemo', '--server', gymUrl, '--out', join(dir, 'nemo')]));
  const rows = linesOf('nemo');
  expect(rows).toHaveLength(tasks.size);
  const rewards = [];
  for (const row of rows) {
    const task = taskOf((row.verifier_metadata as { task: string }).task);
    rewards.push([await nemoReward(row, task), await nemoReward(row)]);
  }
  expect(rewards).toEqual(rows.map(() => [1, 0]));
});

it('NeMo Gym: the row offers the tools that its session has', async () => {
  for (const row of linesOf('nemo')) {
    const { tools } = row.responses_create_params as { tools: { name: string; parameters: object }[] };
    const reset = await request(`${openEnvUrl}/reset`, 'POST', {
      task: (row.verifier_metadata as { task: string }).task,
    });
    const { session_id: id } = reset.body.metadata as { session_id: string };
    const step = await request(`${openEnvUrl}/step`, 'POST', { session_id: id, action: { type: 'list_tools' } });
    const listed = (step.body.observation as { tools: { name: string; input_schema: object }[] }).tools;
    expect(tools.map(({ name, parameters }) => [name, parameters])).toEqual(
      listed.filter(({ name }) => name !== 'finish').map(({ name, input_schema }) => [name, input_schema]),
    );
  }
});

/** A client of the OpenEnv door, over HTTP. */
const openEnvReward = async (url: string, ref: unknown, task?: Task): Promise<unknown> => {
  const { body } = await request(`${url}/reset`, 'POST', { task: ref });
  const { session_id: id } = body.metadata as { session_id: string };
  const step = async (action: object): Promise<Record<string, unknown>> =>
    (await request(`${url}/step`, 'POST', { session_id: id, action })).body;
  for (const { tool, args } of task?.reference.calls ?? [])
    await step({ type: 'call_tool', tool_name: tool, arguments: args });
  const { reward, done: isDone } = await step({ type: 'finish', answer: task?.reference.answer ?? '' });
  expect(isDone).toBe(true);
  return reward;
};

it('TRL: a row’s columns are all that an environment needs', async () => {
  done(warm(['export', 'rl', corpus, '--for', 'trl', '--server', openEnvUrl, '--pin', '--out', join(dir, 'trl')]));
  for (const { server: url, task: ref } of linesOf('trl')) {
    expect(await openEnvReward(String(url), ref, taskOf(ref))).toBe(1);
    expect(await openEnvReward(String(url), ref)).toBe(0);
  }
});

it('verl: the Parquet rows name tasks that the server knows, and the pinned ones of another corpus are refused', async () => {
  done(warm(['export', 'rl', corpus, '--for', 'verl', '--server', openEnvUrl, '--out', join(dir, 'verl')]));
  const file = await asyncBufferFromFile(join(dir, 'verl', 'data', 'train-00000-of-00001.parquet'));
  const rows = (await parquetReadObjects({ file })) as {
    reward_model: { ground_truth: string };
    extra_info: { index: bigint; tools_kwargs: { treadle: { create_kwargs: { server: string; task: string } } } };
  }[];
  expect(rows.map(({ extra_info }) => Number(extra_info.index))).toEqual(rows.map((_, n) => n));
  const { server: url, task: ref } = rows[0]!.extra_info.tools_kwargs.treadle.create_kwargs;
  expect(ref).toBe(rows[0]!.reward_model.ground_truth);
  expect(await openEnvReward(url, ref, taskOf(ref))).toBe(1);
  expect((await request(`${url}/reset`, 'POST', { task: 'f'.repeat(64) })).status).toBe(404);
});

/** Texts that only the verifier knows: arguments that the brief does not say, answers, names of rows. */
const secretsOf = (task: Task): string[] => {
  const told = JSON.stringify([task.brief, task.disclosure, task.actor]);
  const values = (value: unknown): string[] =>
    typeof value === 'string' && value.length >= 6
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(values)
        : [];
  const checks = task.milestones.flatMap((milestone) => milestone.checks);
  const all = [
    ...values(task.reference.calls.map(({ args }) => args)),
    ...values(task.answer?.expected),
    ...values(checks),
  ];
  return [...new Set(all)].filter((text) => !told.includes(JSON.stringify(text).slice(1, -1)) && / |\d/.test(text));
};

describe.each(['nemo', 'trl'])('secrets of the verifier (%s)', (format) => {
  it('are in no row', () => {
    let looked = 0;
    for (const row of linesOf(format)) {
      const about = (row.verifier_metadata ?? row) as { task: string };
      const text = JSON.stringify(row);
      const secrets = secretsOf(taskOf(about.task));
      looked += secrets.length;
      expect(secrets.filter((secret) => text.includes(JSON.stringify(secret).slice(1, -1)))).toEqual([]);
      expect(
        Object.keys(about).filter((key) => /reference|check|milestone|answer|expected|solution/i.test(key)),
      ).toEqual([]);
    }
    expect(looked).toBeGreaterThan(5);
  });
});

const python = spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 9))'], { encoding: 'utf8' });
const hasPython = python.status === 0 && python.stdout.trim() === 'True';
if (!hasPython) console.error('SKIPPED: the Python beside the rows is not run, there is no python3 (3.9 or newer)');

const py = async (folder: string, code: string): Promise<string> => {
  writeFileSync(join(dir, folder, 'probe.py'), code);
  const child = spawn('python3', ['-B', 'probe.py'], { cwd: join(dir, folder) });
  let [said, wrong] = ['', ''];
  child.stdout.on('data', (data) => {
    said += data;
  });
  child.stderr.on('data', (data) => {
    wrong += data;
  });
  await once(child, 'close');
  expect(wrong).toBe('');
  return said.trim();
};

describe.skipIf(!hasPython)('the Python beside the rows', () => {
  beforeAll(() => {
    // What a policy that knows the solutions would do, by task.
    const plays = Object.fromEntries(
      [...tasks].flatMap(([name, task]) => [name, addressOf(task)].map((key) => [key, task.reference] as const)),
    );
    for (const folder of ['trl', 'verl']) writeFileSync(join(dir, folder, 'plays.json'), JSON.stringify(plays));
  });

  it('TRL: environments have a method a tool, and the reward function asks the server', async () => {
    const said = await py(
      'trl',
      `
import inspect, json, typing
from treadle_trl import environment_class, reward
rows = [json.loads(line) for split in ("train", "validation") for line in open(f"data/{split}.jsonl", encoding="utf-8")]
plays = json.load(open("plays.json"))
kind = environment_class(rows)
tools = {name: each for name, each in inspect.getmembers(kind(), predicate=inspect.ismethod) if not name.startswith("_")}
assert "reset" in tools
for name, each in tools.items():
    if name == "reset": continue
    hints = typing.get_type_hints(each)
    assert all(key in hints for key in inspect.signature(each).parameters), name
    assert each.__doc__ and all(f"{key}: " in each.__doc__ for key in inspect.signature(each).parameters), name
out = []
for row in rows:
    solved, idle = kind(), kind()
    for environment in (solved, idle):
        assert environment.reset(**row) is None
    for call in plays[row["task"]]["calls"]:
        # As the trainer's own loop: an exception is told to the policy.
        getattr(solved, call["tool"])(**call["args"])
    said = [[{"role": "assistant", "content": plays[row["task"]]["answer"]}], [{"role": "assistant", "content": ""}]]
    out.append(reward(environments=[solved, idle], completions=said, prompts=[]))
    other = next((name for name in tools if name != "reset" and name not in row["tools"]), None)
    if other:
        try: getattr(idle, other)(); raise SystemExit("a tool of another task ran")
        except (ValueError, TypeError): pass
print(json.dumps(out))
`,
    );
    expect(JSON.parse(said)).toEqual([...tasks].map(() => [1, 0]));
  });

  it('verl: the loop offers the row’s tools and takes the server’s reward (verl’s own classes are stood in for)', async () => {
    const rows = linesOf('trl');
    writeFileSync(join(dir, 'verl', 'rows.json'), JSON.stringify(rows));
    const stand = (path: string, code: string): void => {
      mkdirSync(join(dir, 'verl', 'verl', path, '..'), { recursive: true });
      writeFileSync(join(dir, 'verl', 'verl', path), code);
    };
    stand('experimental/agent_loop/agent_loop.py', 'def register(name):\n    return lambda kind: kind\n');
    stand(
      'tools/schemas.py',
      `
class ToolResponse:
    def __init__(self, text=None): self.text = text
class OpenAIFunctionToolSchema:
    @classmethod
    def model_validate(cls, value): return value
`,
    );
    stand(
      'experimental/agent_loop/tool_agent_loop.py',
      `
from enum import Enum
from types import SimpleNamespace
AgentState = Enum("AgentState", "GENERATING PROCESSING_TOOLS TERMINATED")
class ToolAgentLoop:
    """Generates what the play says: its calls one a turn, then its answer."""
    response_length = 10**6
    tokenizer = SimpleNamespace(decode=lambda ids, skip_special_tokens: "".join(map(chr, ids)))
    async def _handle_generating_state(self, data, sampling_params, ignore_termination=False):
        data.response_mask += [1]
        data.tool_calls = [self.play["calls"][data.turn]] if data.turn < len(self.play["calls"]) else []
        data.response_ids = [] if data.tool_calls else [ord(each) for each in self.play["answer"]]
        data.turn += 1
        return AgentState.PROCESSING_TOOLS if data.tool_calls else AgentState.TERMINATED
    async def run(self, sampling_params, **row):
        data = SimpleNamespace(response_mask=[], tool_calls=[], response_ids=[], turn=0)
        while await self._handle_generating_state(data, sampling_params) == AgentState.PROCESSING_TOOLS:
            for call in data.tool_calls:
                tool = self.tools[call["tool"]]
                instance, _ = await tool.create(create_kwargs={})
                response, _, _ = await tool.execute(instance, call["args"], agent_data=data)
                assert isinstance(response.text, str)
                await tool.release(instance)
        return SimpleNamespace(extra_fields={}, reward_score=None)
`,
    );
    const said = await py(
      'verl',
      `
import asyncio, json
from treadle_verl import TreadleAgentLoop
plays = json.load(open("plays.json"))
out = []
for row in json.load(open("rows.json")):
    about = {"tools_kwargs": {"treadle": {"create_kwargs": {"server": row["server"], "task": row["task"]}}}}
    for play in (plays[row["task"]], {"calls": [], "answer": ""}):
        loop = TreadleAgentLoop()
        loop.play = play
        output = asyncio.run(loop.run({}, tools=row["tools"], extra_info=about))
        out.append([output.reward_score, output.extra_fields["milestones"]])
print(json.dumps(out))
`,
    );
    expect(JSON.parse(said)).toEqual(
      [...tasks].flatMap(() => [
        [1, 1],
        [0, expect.any(Number)],
      ]),
    );
  });

  it('a server that is not there, a task that is not there, and one user by script', async () => {
    const said = await py(
      'trl',
      `
from treadle_client import ScriptedUser, ServerError, Session
import treadle_client
treadle_client.TRIES = 1
for server, task in ((${JSON.stringify(openEnvUrl)}, "no/such-task"), ("http://127.0.0.1:9", "a/b")):
    try: Session(server, task, timeout=5); print("opened")
    except ServerError as error: print(type(error).__name__, error.status)
user = ScriptedUser({"stages": [
    {"request": "a", "facts": [{"asked": ["due date"], "says": "It is due in May."}], "unknown": ["id"]},
    {"request": "b", "facts": [], "unknown": []}]})
print([user.reply("What is the due date?"), user.reply("And its id?"), user.reply("Done."), user.reply("4"), user.replies])
`,
    );
    expect(said.split('\n')).toEqual([
      'ServerError 404',
      'ServerError None',
      "['It is due in May.', 'I do not know that; please look it up.', 'b', None, ['Done.', '4']]",
    ]);
  });
});

describe('bad input', () => {
  it.each([
    ['no trainer', [], 'bad_usage'],
    ['a trainer that is none', ['--for', 'ppo'], 'bad_usage'],
    ['an address that is none', ['--for', 'trl', '--server', 'localhost:8000'], 'bad_server'],
    ['a window upside down', ['--for', 'trl', '--pilot-pass-rate', '0.9..0.1'], 'bad_option'],
    ['a profile that is none', ['--for', 'trl', '--profiles', 'simple,huge'], 'bad_option'],
    ['a world that is none', ['--for', 'trl', '--world', '../../etc'], 'no_world'],
  ])('%s', (_, args, code) => {
    const ran = warm(['export', 'rl', corpus, ...args]);
    expect([ran.status, errorLine(ran)]).toEqual([2, expect.stringContaining(`error ${code}:`)]);
  });

  it('a corpus whose tasks nobody piloted gives no row, and says why', () => {
    const ran = warm([
      'export',
      'rl',
      corpus,
      '--for',
      'trl',
      '--pilot-pass-rate',
      '0.1..0.9',
      '--out',
      join(dir, 'none'),
      '--json',
    ]);
    expect(ran.status).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 0, leftOut: { too_few_pilots: tasks.size } });
  });

  it('pilots choose: what scripted rollouts sometimes pass', () => {
    done(warm(['rollout', corpus, '--policy', 'scripted', '--samples', '8', '--json']));
    const ran = warm([
      'export',
      'rl',
      corpus,
      '--for',
      'trl',
      '--pilot-spread',
      '--pilot-pass-rate',
      '0.1..0.9',
      '--out',
      join(dir, 'piloted'),
      '--json',
    ]);
    const { rows, leftOut } = JSON.parse(ran.stdout) as { rows: number; leftOut: Record<string, number> };
    expect(rows + Object.values(leftOut).reduce((sum, n) => sum + n, 0)).toBe(tasks.size);
    expect(leftOut.too_few_pilots).toBeUndefined();
  });

  it('a task file edited by hand is told, and nothing is written over', () => {
    const before = readFileSync(join(dir, 'trl', 'README.md'), 'utf8');
    const [first] = [...tasks.values()];
    const file = join(corpus, 'worlds', first!.worldId, 'tasks', `${first!.id}.yaml`);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/^id: .*$/m, 'id: "../../odd id\\u0000"'));
    const ran = warm(['export', 'rl', corpus, '--for', 'trl', '--out', join(dir, 'trl')]);
    writeFileSync(file, text);
    expect([ran.status, errorLine(ran)]).toEqual([2, expect.stringMatching(/^error \w+: /)]);
    expect(readFileSync(join(dir, 'trl', 'README.md'), 'utf8')).toBe(before);
  });
});
