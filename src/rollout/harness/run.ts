/** A task rolled out by a harness: an outside agent program, run whole (rollout.md, "Harnesses, as they are run headless"). */
import type { Task } from '../../artifacts/task.js';
import type { Message, Producer, Trace } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import { addressOf } from '../../kit/hash.js';
import { tellingHost } from '../../serve/sessions/notices.js';
import type { ToolHost } from '../../serve/tool-host.js';
import type { Backend, Budget, Gateway, GatewayRollout, Recording } from '../gateway/types.js';
import type { Outside } from '../outside.js';
import { openingMessages, type Prompt, requestText, systemText } from '../prompt.js';
import { traceId } from '../rollout.js';
import { complaintOf, endOf } from './ending.js';
import type { Jail } from './jail.js';
import { ourNames, withOurNames } from './names.js';
import { runProgram } from './program.js';
import { seenFromTools } from './seen.js';
import { MOST_CALLS, type ToolDoor, written } from './tools-door.js';
import type { Harness, HarnessPlace } from './types.js';

/** What harness rollouts share: opened once, used by many at a time. */
export interface HarnessHouse {
  /** Absent: only harnesses that bring their own model. */
  gateway?: Gateway | undefined;
  tools: ToolDoor;
  /** Absent: harnesses may write wherever this user may. */
  jail?: Jail | undefined;
  /** Folder in which each gets one of its own. */
  root: string;
}

export interface HarnessLimits extends Budget {
  /** Milliseconds for the whole rollout. */
  deadlineMs: number;
  /** Bytes that the harness may print. */
  outputBytes: number;
  /** Of tools. */
  calls: number;
}

/** Ten minutes, 64 MiB of output, 10,000 calls. */
export const HARNESS_LIMITS: HarnessLimits = {
  deadlineMs: 600_000,
  outputBytes: 64 * 1_048_576,
  calls: MOST_CALLS,
};

/** Characters of an answer that are kept, from its end: what a program prints may be anything. */
const ANSWER_CHARS = 65_536;

export interface HarnessRollout {
  harness: Harness;
  /** Made by `harnessProducer`. */
  producer: Producer;
  /** What a scenario in it has to tell comes with the answers of its tools: a harness is spoken to once. */
  host: ToolHost;
  task: Task;
  /** Absent: the harness brings its own model, which nobody records. */
  backend?: Backend | undefined;
  limits?: Partial<HarnessLimits>;
  /** `hasUser` is refused: a harness is told the whole task at once. */
  prompt?: Prompt;
  sample?: { seed: string; index: number };
  /** What happens outside, where the task does not stand still. */
  outside?: Outside | undefined;
  signal?: AbortSignal;
}

/** `version`: of the program, as it tells it; `seed`: of this sample. */
export const harnessProducer = (
  harness: Pick<Harness, 'id'>,
  { version, backend, seed }: { version?: string | undefined; backend?: Backend | undefined; seed?: string },
): Producer => ({
  policy: 'harness',
  name: harness.id,
  ...(backend ? { model: backend.model } : {}),
  ...(version === undefined ? {} : { version }),
  ...(seed === undefined ? {} : { seed }),
  ...(backend?.sampling ? { sampling: backend.sampling } : {}),
});

/** The answer in words: the last thing that the model said without calling a tool. */
const lastSaid = (messages: readonly Message[]): string | undefined => {
  const last = messages.at(-1);
  return last?.role === 'assistant' && !last.toolCalls?.length && last.content !== '' ? last.content : undefined;
};

/** A promise that is told from outside, and whether it was. */
const signalled = <T>() => {
  let value: T | undefined;
  let tell: (told: T) => void = () => undefined;
  const told = new Promise<T>((resolve) => {
    tell = (one) => {
      value = one;
      resolve(one);
    };
  });
  return { told, tell, value: () => value };
};

const isWithoutTools = ({ tools }: Recording, ours: (shown: string) => string, host: ToolHost): boolean => {
  const offered = new Set(host.tools().map(({ name }) => name));
  return tools.length > 0 && offered.size > 0 && !tools.some(({ name }) => offered.has(ours(name)));
};

/** Of a harness whose model speaks to nobody of ours. */
const unheard = (): GatewayRollout => {
  const recording: Recording = {
    messages: [],
    tools: [],
    usage: { turns: 0 },
    facts: { dialect: 'openai', exchanges: 0, retried: 0, rewritten: false },
  };
  const spent = new Promise<TreadleError>(() => undefined);
  return { token: '', openaiBaseUrl: '', anthropicBaseUrl: '', spent, close: () => recording };
};

const usageOf = ({ usage }: Recording, calls: number): Trace['usage'] => ({
  turns: usage.turns,
  calls,
  ...(usage.promptTokens === undefined ? {} : { promptTokens: usage.promptTokens }),
  ...(usage.completionTokens === undefined ? {} : { completionTokens: usage.completionTokens }),
  ...(usage.cost === undefined ? {} : { cost: usage.cost }),
});

const refuseUser = (harness: Harness): never => {
  throw new TreadleError({
    code: 'harness_user',
    message: 'A harness is told the whole task at once; a simulated user cannot speak to it',
    value: harness.id,
    next: 'Use --user none with harnesses, or --policy model for a simulated user.',
  });
};

/**
 * Rolls a task out by a harness. As `rolloutTask` it never throws for what a harness, a model or an endpoint does wrong: that is
 * the trace's `finish` and `problem`. Faults: `policy` where the harness broke what it had begun, `infrastructure` where it could
 * not be run or time was up, else as the gateway tells. Throws `harness_user` where a simulated user is asked for.
 */
export const rolloutHarness = async (
  house: HarnessHouse,
  rollout: HarnessRollout,
  taskHash = addressOf(rollout.task),
): Promise<Trace> => {
  const { harness, producer, host, task, backend, prompt = {}, sample = { seed: '0', index: 0 }, signal } = rollout;
  if (prompt.hasUser) refuseUser(harness);
  const { outside } = rollout;
  const { detail = 'full' } = prompt;
  const { deadlineMs, outputBytes, calls, ...budget } = { ...HARNESS_LIMITS, ...rollout.limits };
  const ours = ourNames(harness, host.tools());
  const spent = signalled<TreadleError>();
  const { host: kept, ledger, told } = written(tellingHost(host), ours, { calls, onSpent: spent.tell });
  const { gateway } = house;
  const model = gateway && backend ? gateway.open({ backend, budget, ...(signal ? { signal } : {}) }) : unheard();
  const tools = house.tools.admit(kept);
  const place: Omit<HarnessPlace, 'workdir'> = {
    task: requestText(task, detail),
    system: prompt.system ?? systemText(task, prompt),
    model: backend?.model ?? '',
    openaiBaseUrl: model.openaiBaseUrl,
    anthropicBaseUrl: model.anthropicBaseUrl,
    modelToken: model.token,
    mcpUrl: tools.url,
    mcpToken: tools.token,
    // A little more than it has: it is ended by us, in one way, and not by itself in another.
    timeoutSeconds: Math.ceil(deadlineMs / 1000) + 5,
  };
  let folder = '';
  const { ended, stdout, stderr } = await runProgram({
    jail: house.jail,
    root: house.root,
    command: (workdir) => {
      folder = workdir;
      return harness.command({ ...place, workdir });
    },
    deadlineMs,
    outputBytes,
    spent: Promise.race([model.spent, spent.told]),
    signal,
  });
  tools.end();
  const overCalls = spent.value();
  const recording = model.close();
  const said = withOurNames(recording.messages, ours);
  const secrets = [
    [model.token, '(token)'],
    [tools.token, '(token)'],
    [folder, '.'],
  ] as const;
  const end = endOf({
    ended,
    problem: recording.problem ?? overCalls,
    exchanges: recording.facts.exchanges,
    calls: ledger.length,
    answer: (harness.answer?.(stdout) ?? lastSaid(said))?.slice(-ANSWER_CHARS).replace(/^[\udc00-\udfff]/, ''),
    complaint: complaintOf(
      stderr.trim() || stdout,
      secrets.filter(([secret]) => secret !== ''),
    ),
    isHeard: backend !== undefined,
    isWithoutTools: isWithoutTools(recording, ours, host),
  });
  return {
    treadle: 'trace/1',
    id: traceId(taskHash, producer, sample.seed, sample.index, { detail, scenario: outside?.scenario }),
    task: taskHash,
    taskId: task.id,
    world: task.world,
    snapshot: task.snapshot,
    producer,
    user: 'none',
    detail,
    messages: said.length > 0 ? said : seenFromTools(openingMessages(task, prompt), ledger, end.answer),
    ledger,
    ...(outside ? { scenario: outside.scenario } : {}),
    events: [...(outside?.events() ?? []), ...told],
    ...end,
    usage: usageOf(recording, ledger.length),
    ...(recording.tokens ? { tokens: recording.tokens } : {}),
    ...(backend ? { gateway: recording.facts } : {}),
  };
};
