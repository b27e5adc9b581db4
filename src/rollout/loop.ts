/** The loop of a rollout: turns of the policy on a run, from wherever it stands, to the end or to where it is to stop. */
import type { Message, ToolCall, Trace } from '../artifacts/trace.js';
import { asTreadleError } from '../errors.js';
import type { SessionTool } from '../serve/tool-host.js';
import { budgetEnd } from './budget.js';
import { performCall } from './calls.js';
import { type Deadline, deadlineOf } from './deadline.js';
import { historyOf } from './history.js';
import { DEFAULT_LIMITS } from './limits.js';
import { hearOutside } from './outside.js';
import type { Action, View } from './policy.js';
import type { Rollout } from './rollout.js';
import { countTurn, type Run } from './run.js';
import { SUBMIT_ANSWER } from './submit.js';
import type { EndedStage } from './users/conversation.js';

/** How a rollout ended, as its trace keeps it. */
export type End = Pick<Trace, 'finish' | 'answer' | 'problem'>;

/** Where to stop before the end: as a stage of the user's ends, or once so many calls were made and their turn is over. */
export type Stop = 'stage' | { calls: number };

/** What the loop came to: the end, or the place where it was to stop. `end` is absent there. */
export interface Halt {
  end?: End;
  /** With `stop: stage`: the stage that ended. */
  stage?: EndedStage;
}

/** What a loop acts in. */
export type Place = Pick<Rollout, 'host' | 'task' | 'policy' | 'limits' | 'signal' | 'onStage' | 'outside'> & {
  tools: readonly SessionTool[];
  /** Without a user: the stage that is asked for all the same. */
  stage?: number;
};

/** The tools of a host as a policy is offered them. */
export const offeredTools = ({ host, prompt }: Pick<Rollout, 'host' | 'prompt'>): readonly SessionTool[] =>
  prompt?.submitTool ? [...host.tools(), SUBMIT_ANSWER] : host.tools();

const assistantMessage = (action: Action, calls: ToolCall[]): Message => ({
  role: 'assistant',
  content: action.text,
  ...(action.reasoning === undefined ? {} : { reasoning: action.reasoning }),
  ...(calls.length > 0 ? { toolCalls: calls } : {}),
});

/** Ids as the policy gave them, made unique over the conversation: some servers begin at call_0 in every turn. */
const namedCalls = (action: Action, messages: readonly Message[]): ToolCall[] => {
  const { made } = historyOf(messages);
  const own = new Set<string>();
  return action.calls.map((call, n) => {
    const taken = made.size + own.size;
    let id = call.id || `call_${taken}`;
    for (let more = taken + n; made.has(id) || own.has(id); more++) id = `${call.id || 'call'}_${more}`;
    own.add(id);
    return {
      id,
      name: call.name,
      arguments: call.args.ok ? call.args.args : {},
      ...(call.args.ok ? {} : { malformed: call.args.raw }),
    };
  });
};

/** Budgets that ran out, whoever keeps them. */
const SPENT = /^(?:turn|call|token|cost)_budget$/;

const finishOf = (code: string): End['finish'] => {
  if (code === 'deadline' || code === 'cut') return 'cut';
  if (SPENT.test(code)) return 'budget';
  return code === 'context_exceeded' ? 'length' : 'error';
};

const ended = (thrown: unknown): End => {
  const error = asTreadleError(thrown, 'infrastructure', 'rollout_failed');
  const problem = { code: error.code, message: error.line(), fault: error.fault };
  return { finish: finishOf(error.code), answer: '', problem };
};

/** Tool-call markup of the usual chat templates, which an endpoint without the right parser leaves in the text. */
const MARKUP = /<tool_call>|<function=\w|\[TOOL_CALLS\]|<\|python_tag\|>/;

const CUT: End = {
  finish: 'length',
  answer: '',
  problem: { code: 'turn_cut', message: 'A token limit cut the message', fault: 'policy' },
};

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
  place: Place,
): Promise<string | undefined> => {
  let answer: string | undefined;
  for (const [n, call] of calls.entries()) {
    const done = await performCall(call, action.calls[n]?.args, {
      host: place.host,
      tools: place.tools,
      isOver: answer !== undefined,
      at: run.ledger.at(-1)?.at ?? place.task.clock,
      limit: (place.limits ?? DEFAULT_LIMITS).maxObservationChars,
    });
    run.calls++;
    if (done.entry) run.ledger.push({ ...done.entry, index: run.ledger.length });
    run.messages.push({ role: 'tool', content: done.text, toolCallId: call.id, name: call.name });
    answer ??= done.answer;
  }
  return answer;
};

/** What the user makes of a reply: where the loop ends or stops, or nothing where it goes on. */
const heardBy = async (
  run: Run,
  reply: { text: string; isAnswer: boolean },
  place: Place,
  deadline: Deadline,
  stop: Stop | undefined,
): Promise<Halt | undefined> => {
  const end: End = reply.isAnswer ? { finish: 'answered', answer: reply.text } : answeredBy(reply.text);
  const { conversation } = run;
  if (!conversation) return { end };
  const hearing = { signal: deadline.signal, onEnd: place.onStage, holds: stop === 'stage' };
  const { over, ended: stage } = await deadline.within(() =>
    conversation.hear(reply, run.messages, run.ledger.length, hearing),
  );
  if (over === 'leaves') return { end: { finish: 'user_left', answer: '' } };
  const told = stage && stop === 'stage' ? { stage } : {};
  if (over) return { end, ...told };
  return 'stage' in told ? told : undefined;
};

const viewOf = (run: Run, place: Place, signal: AbortSignal): View => {
  const { id, actor, clock, services } = place.task;
  const stage = run.conversation?.stage() ?? place.stage;
  const task = { id, actor, clock, services };
  const { messages, turns: turn } = run;
  const budget = place.limits?.tokens;
  const left = budget === undefined ? {} : { tokensLeft: budget - run.spentTokens };
  return { messages, tools: place.tools, task, turn, ...(stage === undefined ? {} : { stage }), ...left, signal };
};

const turns = async (run: Run, place: Place, deadline: Deadline, stop: Stop | undefined): Promise<Halt> => {
  const { policy, limits = DEFAULT_LIMITS } = place;
  const { conversation } = run;
  if (conversation) await deadline.within(() => conversation.begin(run.messages, run.ledger.length, deadline.signal));
  while (run.turns < limits.turns) {
    const spent = budgetEnd(run, limits);
    if (spent) return { end: spent };
    const action = await deadline.within(() => policy.next(viewOf(run, place, deadline.signal)));
    countTurn(run, action, limits);
    const calls = namedCalls(action, run.messages);
    run.messages.push(assistantMessage(action, calls));
    if (action.isCut) return { end: CUT };
    const answer = await performAll(run, action, calls, place);
    if (calls.length > 0 && answer === undefined) {
      hearOutside(run, place.outside);
      if (typeof stop === 'object' && run.calls >= stop.calls) return {};
      continue;
    }
    const reply = { text: answer ?? action.text, isAnswer: answer !== undefined };
    const halt = await heardBy(run, reply, place, deadline, stop);
    if (halt) return halt;
  }
  return { end: { finish: 'turn_limit', answer: '' } };
};

/** Has the user of a run make the request that is due, where one is. How the rollout ended, where the user broke. */
export const ask = async (run: Run, { limits, signal }: Pick<Place, 'limits' | 'signal'>): Promise<End | undefined> => {
  const { conversation } = run;
  if (!conversation) return undefined;
  const deadline = deadlineOf(limits?.deadlineMs, signal);
  try {
    await deadline.within(() => conversation.begin(run.messages, run.ledger.length, deadline.signal));
    return undefined;
  } catch (thrown) {
    return ended(thrown);
  } finally {
    deadline.clear();
  }
};

/** Goes on with `run` in its place. Never throws for what a policy, a model or an endpoint does wrong: that is how it ended. */
export const act = async (run: Run, place: Place, stop?: Stop): Promise<Halt> => {
  const deadline = deadlineOf(place.limits?.deadlineMs, place.signal);
  try {
    return await turns(run, place, deadline, stop);
  } catch (thrown) {
    return { end: ended(thrown) };
  } finally {
    deadline.clear();
  }
};
