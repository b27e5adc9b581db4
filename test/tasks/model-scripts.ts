/** Scripted models for the tests of tasks: clients without a network, and the embedded author's tasks as a good model would write them. */
import type { Task } from '../../src/artifacts/task.js';
import { type Budget, meterOf } from '../../src/author/model/budget.js';
import { openConversation } from '../../src/author/model/conversation.js';
import { type Desk, deskOf } from '../../src/author/model/desk.js';
import { isoDate } from '../../src/kit/calendar.js';
import type { Json } from '../../src/kit/hash.js';
import type { ModelClient } from '../../src/models/types.js';
import { sayMoney } from '../../src/tasks/ground/say.js';
import type { Written } from '../../src/tasks/model/form.js';

export interface Asked {
  /** `tasks of billing`, `verdict on ID`, `words of ID`, `coherence of services`. */
  part: string;
  prompt: string;
  system: string;
  /** The last message: the prompt, or what is wrong with the answer. */
  last: string;
  /** Requests before this one. */
  nth: number;
}
export type Script = (asked: Asked) => unknown;

export interface ScriptedModel extends ModelClient {
  asked: Asked[];
}

/** What the script says, as JSON unless it is text already. */
export const scripted = (script: Script): ScriptedModel => {
  const asked: Asked[] = [];
  return {
    model: 'scripted',
    asked,
    chat: ({ messages }) => {
      const [system = '', prompt = ''] = messages.map(({ content }) => content);
      const one = {
        part: /^Part: (.*)$/m.exec(prompt)?.[1] ?? '',
        prompt,
        system,
        last: messages.at(-1)?.content ?? '',
        nth: asked.length,
      };
      asked.push(one);
      const said = script(one);
      const content = typeof said === 'string' ? said : JSON.stringify(said);
      return Promise.resolve({ content, calls: [], finish: 'stop' as const });
    },
  };
};

export const deskFor = (model: ModelClient, budget: Budget = {}): Desk =>
  deskOf(model, meterOf(budget), openConversation(undefined, { model: model.model, request: '' }), () => undefined);

const put = (args: Json, path: readonly string[], value: Json): Json => {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const own = args as Record<string, Json>;
  return { ...own, [key]: put(own[key] ?? null, rest, value) };
};

/** The task as a good model would write it; undefined where that form cannot say it. */
export const writtenOf = ({ brief, reference, answer }: Task): Written | undefined => {
  const calls = reference.calls.map(({ tool, args }) => ({ tool, args: args as Json }));
  for (const { call, arg, from } of reference.sources) {
    const one = calls[call];
    const value = arg
      .split('.')
      .reduce<Json | undefined>((at, key) => (at as Record<string, Json> | undefined)?.[key], one?.args);
    if (!one || !('observed' in from)) continue;
    if (typeof value === 'object') return undefined;
    one.args = put(one.args, arg.split('.'), `\${${from.observed + 1}.${from.path}}`);
  }
  const written = { brief, calls: calls.map(({ tool, args }) => ({ tool, args: args as Record<string, Json> })) };
  if (!answer) return { ...written, answer: null };
  const { kind, asks, expected } = answer;
  if (kind === 'text' || typeof expected === 'boolean' || expected === null) return undefined;
  const said =
    kind === 'amount'
      ? sayMoney(Number(expected), answer.currency ?? 'EUR')
      : kind === 'date' && typeof expected === 'number'
        ? isoDate(expected)
        : (expected as string | number);
  return { ...written, answer: { asks, kind, expected: said } };
};
