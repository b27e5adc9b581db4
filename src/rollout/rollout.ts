/** One rollout: a policy acts on a tool host until it answers or runs out of turns. A failed rollout is a Trace, not a throw. */
import type { Task } from '../artifacts/task.js';
import type { LedgerEntry, Message, ToolCall, Trace } from '../artifacts/trace.js';
import { asTreadleError, TreadleError } from '../errors.js';
import { addressOf } from '../kit/hash.js';
import type { SessionTool, ToolHost } from '../serve/tool-host.js';
import { performCall } from './calls.js';
import { deadlineOf } from './deadline.js';
import type { Action, Policy, View } from './policy.js';
import { openingMessages, type Prompt, systemMessage } from './prompt.js';
import { SUBMIT_ANSWER } from './submit.js';
import { tokenTrack } from './token-track.js';
import { type Conversation, conversationWith, type EndedStage } from './users/conversation.js';
import type { SimulatedUser } from './users/user.js';

export interface Limits {
  /** Assistant messages. */
  turns: number;
  /** Characters of one tool result that the policy sees. */
  maxObservationChars: number;
  /** Milliseconds for the whole rollout; none when absent. */
  deadlineMs?: number;
}

export const DEFAULT_LIMITS: Limits = { turns: 30, maxObservationChars: 16_000 };

export interface Rollout {
  host: ToolHost;
  task: Task;
  policy: Policy;
  limits?: Limits;
  prompt?: Prompt;
  /** Asks for one stage after the other; absent: the whole brief is given at once. One of its own for each rollout. */
  user?: SimulatedUser;
  /** Called as each stage of a simulated user ends, before the next is asked for; the host stands as the stage left it. */
  onStage?: (stage: EndedStage) => void;
  /** Which of several rollouts of this task: it goes into the trace's id. */
  sample?: { seed: string; index: number };
  /** Calls the rollout off. */
  signal?: AbortSignal;
}

interface Run {
  messages: Message[];
  ledger: LedgerEntry[];
  turns: number;
  calls: number;
  promptTokens: number | undefined;
  completionTokens: number | undefined;
}
type End = Pick<Trace, 'finish' | 'answer' | 'problem'>;

const assistantMessage = (action: Action, calls: ToolCall[]): Message => ({
  role: 'assistant',
  content: action.text,
  ...(action.reasoning === undefined ? {} : { reasoning: action.reasoning }),
  ...(calls.length > 0 ? { toolCalls: calls } : {}),
});

/** Ids as the policy gave them, made unique over the conversation: some servers begin at call_0 in every turn. */
const namedCalls = (action: Action, messages: readonly Message[]): ToolCall[] => {
  const taken = new Set(messages.flatMap((message) => message.toolCalls?.map((call) => call.id) ?? []));
  return action.calls.map((call, n) => {
    let id = call.id || `call_${taken.size}`;
    while (taken.has(id)) id = `${call.id || 'call'}_${taken.size + n}`;
    taken.add(id);
    return {
      id,
      name: call.name,
      arguments: call.args.ok ? call.args.args : {},
      ...(call.args.ok ? {} : { malformed: call.args.raw }),
    };
  });
};

const count = (run: Run, { usage }: Action): void => {
  if (!usage) return;
  run.promptTokens = (run.promptTokens ?? 0) + usage.promptTokens;
  run.completionTokens = (run.completionTokens ?? 0) + usage.completionTokens;
};

const ended = (thrown: unknown): End => {
  const error = asTreadleError(thrown, 'infrastructure', 'rollout_failed');
  const problem = { code: error.code, message: error.line(), fault: error.fault };
  const finish =
    error.code === 'deadline' || error.code === 'cut' ? 'cut' : error.code === 'context_exceeded' ? 'length' : 'error';
  return { finish, answer: '', problem };
};

/** Tool-call markup of the usual chat templates, which an endpoint without the right parser leaves in the text. */
const MARKUP = /<tool_call>|<function=\w|\[TOOL_CALLS\]|<\|python_tag\|>/;

const answeredBy = (text: string): End => ({
  finish: 'answered',
  answer: text,
  ...(MARKUP.test(text)
    ? {
        problem: {
          code: 'unparsed_tool_call',
          message:
            'The last message holds a tool call as text: look whether the server runs with the tool-call parser of this model',
          fault: 'policy',
        },
      }
    : {}),
});

const performAll = async (
  run: Run,
  action: Action,
  calls: readonly ToolCall[],
  rollout: Rollout,
  tools: readonly SessionTool[],
): Promise<string | undefined> => {
  let answer: string | undefined;
  for (const [n, call] of calls.entries()) {
    const done = await performCall(call, action.calls[n]?.args, {
      host: rollout.host,
      tools,
      isOver: answer !== undefined,
      at: run.ledger.at(-1)?.at ?? rollout.task.clock,
      limit: (rollout.limits ?? DEFAULT_LIMITS).maxObservationChars,
    });
    run.calls++;
    if (done.entry) run.ledger.push({ ...done.entry, index: run.ledger.length });
    run.messages.push({ role: 'tool', content: done.text, toolCallId: call.id, name: call.name });
    answer ??= done.answer;
  }
  return answer;
};

/** What the user makes of a reply: the end of the rollout, or nothing where it goes on. */
const heardBy = async (
  conversation: Conversation | undefined,
  run: Run,
  reply: { text: string; isAnswer: boolean },
  deadline: ReturnType<typeof deadlineOf>,
): Promise<End | undefined> => {
  const end: End = reply.isAnswer ? { finish: 'answered', answer: reply.text } : answeredBy(reply.text);
  if (!conversation) return end;
  const over = await deadline.within(() => conversation.hear(reply, run.messages, run.ledger.length, deadline.signal));
  if (over === 'leaves') return { finish: 'user_left', answer: '' };
  return over && end;
};

const act = async (
  run: Run,
  rollout: Rollout,
  tools: readonly SessionTool[],
  track: ReturnType<typeof tokenTrack>,
  conversation: Conversation | undefined,
): Promise<End> => {
  const { task, policy, limits = DEFAULT_LIMITS } = rollout;
  const { id, actor, clock, services } = task;
  const deadline = deadlineOf(limits.deadlineMs, rollout.signal);
  try {
    await deadline.within(() => conversation?.begin(run.messages, deadline.signal));
    while (run.turns < limits.turns) {
      const view: View = {
        messages: run.messages,
        tools,
        task: { id, actor, clock, services },
        turn: run.turns,
        ...(conversation ? { stage: conversation.stage() } : {}),
        signal: deadline.signal,
      };
      const action = await deadline.within(() => policy.next(view));
      run.turns++;
      count(run, action);
      track.add(action.tokens);
      const calls = namedCalls(action, run.messages);
      run.messages.push(assistantMessage(action, calls));
      if (action.isCut)
        return {
          finish: 'length',
          answer: '',
          problem: { code: 'turn_cut', message: 'A token limit cut the message', fault: 'policy' },
        };
      const answer = await performAll(run, action, calls, rollout, tools);
      if (calls.length > 0 && answer === undefined) continue;
      const end = await heardBy(
        conversation,
        run,
        { text: answer ?? action.text, isAnswer: answer !== undefined },
        deadline,
      );
      if (end) return end;
    }
    return { finish: 'turn_limit', answer: '' };
  } catch (thrown) {
    return ended(thrown);
  } finally {
    deadline.clear();
  }
};

/** How the task was disclosed, where that is not the whole brief at once. */
export type Disclosed = Partial<Pick<Trace, 'user' | 'detail'>>;

/** The id of the `index`-th rollout of a task by a producer; `disclosed` tells the task's views apart. */
export const traceId = (
  task: string,
  producer: Trace['producer'],
  seed: string,
  index: number,
  { user = 'none', detail = 'full' }: Disclosed = {},
): string =>
  addressOf({ task, producer, seed, index, ...(user === 'none' && detail === 'full' ? {} : { user, detail }) });

/**
 * Rolls a task out. Never throws for what a policy, a model or an endpoint does wrong: that is the trace's `finish` and `problem`.
 * `taskHash` spares hashing the task again. Throws `bad_limits` for limits that allow nothing.
 */
export const rolloutTask = async (rollout: Rollout, taskHash = addressOf(rollout.task)): Promise<Trace> => {
  const { task, host, policy, prompt = {}, sample = { seed: '0', index: 0 }, limits = DEFAULT_LIMITS } = rollout;
  if (!(limits.turns >= 1) || !(limits.maxObservationChars >= 1)) {
    throw new TreadleError({
      code: 'bad_limits',
      message: 'A rollout needs at least one turn and one character of observation',
      value: limits,
      next: 'Raise the limits.',
    });
  }
  const { detail = 'full' } = prompt;
  const user = rollout.user ? 'simulated' : 'none';
  const conversation = rollout.user ? conversationWith(rollout.user, rollout.onStage) : undefined;
  const run: Run = {
    messages: conversation ? [systemMessage(task, prompt)] : openingMessages(task, prompt),
    ledger: [],
    turns: 0,
    calls: 0,
    promptTokens: undefined,
    completionTokens: undefined,
  };
  const track = tokenTrack();
  const tools = prompt.submitTool ? [...host.tools(), SUBMIT_ANSWER] : host.tools();
  const end = await act(run, rollout, tools, track, conversation);
  const tokens = track.tokens();
  return {
    treadle: 'trace/1',
    id: traceId(taskHash, policy.producer, sample.seed, sample.index, { user, detail }),
    task: taskHash,
    taskId: task.id,
    world: task.world,
    snapshot: task.snapshot,
    producer: policy.producer,
    user,
    detail,
    ...(conversation ? { dialogue: conversation.dialogue(run.ledger.length) } : {}),
    messages: run.messages,
    ledger: run.ledger,
    events: [],
    ...end,
    usage: {
      turns: run.turns,
      calls: run.calls,
      ...(run.promptTokens === undefined ? {} : { promptTokens: run.promptTokens }),
      ...(run.completionTokens === undefined ? {} : { completionTokens: run.completionTokens }),
    },
    ...(tokens ? { tokens } : {}),
  };
};
