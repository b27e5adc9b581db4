/** A task rolled out by a harness: an outside agent program, run whole (rollout.md, "Harnesses, as they are run headless"). */
import type { Task } from '../../artifacts/task.js';
import type { Message, Producer, Trace } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import { addressOf } from '../../kit/hash.js';
import type { ToolHost } from '../../serve/tool-host.js';
import type { Backend, Budget, Gateway, Recording } from '../gateway/types.js';
import { openingMessages, type Prompt, requestText, systemText } from '../prompt.js';
import { traceId } from '../rollout.js';
import { complaintOf, endOf } from './ending.js';
import type { Jail } from './jail.js';
import { ourNames, withOurNames } from './names.js';
import { runProgram } from './program.js';
import { type ToolDoor, written } from './tools-door.js';
import type { Harness, HarnessPlace } from './types.js';

/** What harness rollouts share: opened once, used by many at a time. */
export interface HarnessHouse {
  gateway: Gateway;
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
}

/** Ten minutes, and 64 MiB of output. */
export const HARNESS_LIMITS: HarnessLimits = { deadlineMs: 600_000, outputBytes: 64 * 1_048_576 };

export interface HarnessRollout {
  harness: Harness;
  /** Of the program, for the producer. */
  version?: string | undefined;
  host: ToolHost;
  task: Task;
  backend: Backend;
  limits?: Partial<HarnessLimits>;
  /** `hasUser` is refused: a harness is told the whole task at once. */
  prompt?: Prompt;
  sample?: { seed: string; index: number };
  signal?: AbortSignal;
}

export const harnessProducer = ({ harness, version, backend, sample }: HarnessRollout): Producer => ({
  policy: 'harness',
  name: harness.id,
  model: backend.model,
  ...(version === undefined ? {} : { version }),
  ...(sample === undefined ? {} : { seed: sample.seed }),
  ...(backend.sampling ? { sampling: backend.sampling } : {}),
});

/** The answer in words: the last thing that the model said without calling a tool. */
const lastSaid = (messages: readonly Message[]): string | undefined => {
  const last = messages.at(-1);
  return last?.role === 'assistant' && !last.toolCalls?.length && last.content !== '' ? last.content : undefined;
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
  const { harness, host, task, backend, prompt = {}, sample = { seed: '0', index: 0 }, signal } = rollout;
  if (prompt.hasUser) refuseUser(harness);
  const { detail = 'full' } = prompt;
  const { deadlineMs, outputBytes, ...budget } = { ...HARNESS_LIMITS, ...rollout.limits };
  const ours = ourNames(harness, host.tools());
  const { host: kept, ledger } = written(host, ours);
  const tools = house.tools.admit(kept);
  const model = house.gateway.open({ backend, budget, ...(signal ? { signal } : {}) });
  const place: Omit<HarnessPlace, 'workdir'> = {
    task: requestText(task, detail),
    system: prompt.system ?? systemText(task, prompt),
    model: backend.model,
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
    spent: model.spent,
    signal,
  });
  tools.end();
  const recording = model.close();
  const messages = withOurNames(recording.messages, ours);
  const secrets = [[model.token, '(token)'], [tools.token, '(token)'], ...(folder === '' ? [] : [[folder, '.']])] as [
    string,
    string,
  ][];
  const end = endOf({
    ended,
    problem: recording.problem,
    exchanges: recording.facts.exchanges,
    calls: ledger.length,
    answer: harness.answer?.(stdout) ?? lastSaid(messages),
    complaint: complaintOf(stderr.trim() || stdout, secrets),
  });
  const producer = harnessProducer({ ...rollout, sample });
  return {
    treadle: 'trace/1',
    id: traceId(taskHash, producer, sample.seed, sample.index, { detail }),
    task: taskHash,
    taskId: task.id,
    world: task.world,
    snapshot: task.snapshot,
    producer,
    user: 'none',
    detail,
    messages: messages.length > 0 ? messages : openingMessages(task, prompt),
    ledger,
    events: [],
    ...end,
    usage: usageOf(recording, ledger.length),
    ...(recording.tokens ? { tokens: recording.tokens } : {}),
    gateway: recording.facts,
  };
};
