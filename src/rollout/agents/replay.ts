/** Replaying a reference: which call comes when, with the arguments an agent would have by then. */
import type { Call, Task } from '../../artifacts/task.js';
import type { Message } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import { valueAt } from '../../kit/json-path.js';
import type { SessionTool } from '../../serve/tool-host.js';
import { followedArguments } from '../../tasks/follow.js';
import { contentOf, historyOf } from '../history.js';
import type { Action, View } from '../policy.js';

/** The ids of replayed calls tell which reference call they are. */
export const callId = (n: number): string => `ref_${n}`;

/** The parsed result of the call with this id, a text where it is no JSON; undefined when it is not there. */
export const resultOf = (messages: readonly Message[], id: string): Json | undefined => {
  const message = historyOf(messages).answers.get(id);
  return message && (contentOf(message) ?? message.content);
};

/** What to put for an argument whose source is not in the history. */
export type Unseen = (recorded: Json) => Json;

/**
 * The arguments of reference call `n`: those that come from an earlier result are read from what that result was this time, and
 * where it is not there, `unseen` of the recorded value is taken (the recorded value itself when absent).
 */
export const argumentsOf = (
  task: Task,
  n: number,
  messages: readonly Message[],
  unseen?: Unseen,
): Record<string, Json> => {
  const at = (call: number, path: string): Json | undefined => valueAt(resultOf(messages, callId(call)), path);
  return followedArguments(task.reference, n, { at, unseen }) ?? {};
};

/** The name under which a reference's tool is offered; its own when no offered tool fits. */
export const offeredName = (call: Call, tools: readonly SessionTool[]): string => {
  const own = tools.filter(({ service }) => service === call.service);
  return (
    (own.find(({ name }) => name === call.tool) ?? own.find(({ name }) => name.endsWith(`_${call.tool}`)))?.name ??
    call.tool
  );
};

/** The tool call of reference step `n` under `id`. */
export const referenceCall = (task: Task, n: number, view: View, id = callId(n), unseen?: Unseen): Action => {
  const call = task.reference.calls[n] as Call;
  return {
    text: '',
    calls: [
      {
        id,
        name: offeredName(call, view.tools),
        args: { ok: true, args: argumentsOf(task, n, view.messages, unseen) },
      },
    ],
  };
};

/** The final message, by `submit_answer` where it is offered. */
export const answering = (text: string, view: View): Action =>
  view.tools.some(({ name }) => name === 'submit_answer')
    ? { text: '', calls: [{ id: 'answer', name: 'submit_answer', args: { ok: true, args: { answer: text } } }] }
    : { text, calls: [] };

/** Ids of the calls made so far. */
export const madeCalls = (messages: readonly Message[]): ReadonlySet<string> => historyOf(messages).made;
