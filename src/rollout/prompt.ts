/** What an agent is told before its first turn. */
import type { Detail } from '../artifacts/disclosure.js';
import type { Task } from '../artifacts/task.js';
import type { Message } from '../artifacts/trace.js';
import { longDate, weekday } from '../kit/calendar.js';

export interface Prompt {
  /** In place of the whole system message. */
  system?: string;
  /** The company the agent works for. */
  company?: string;
  /** The world's policies, as text. */
  policies?: readonly string[];
  /** How explicit requests are; `full` is the task's brief. */
  detail?: Detail;
  /** Somebody is there to ask: a simulated user. */
  hasUser?: boolean;
  /** Offers the `submit_answer` tool. */
  submitTool?: boolean;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The system message: whom the agent works for, what day it is, the rules, and how to answer. */
export const systemText = (task: Pick<Task, 'actor' | 'clock'>, prompt: Prompt): string => {
  const { actor, clock } = task;
  const at = prompt.company ? ` at ${prompt.company}` : '';
  const policies = prompt.policies ?? [];
  return [
    `You work on behalf of ${actor.name} (${actor.title}, ${actor.email})${at}. Today is ${DAYS[weekday(clock)]}, ${longDate(clock)}.`,
    'Do what is asked with the tools you are given, and change nothing else. Look things up instead of guessing: ids and values come from the tools.',
    ...(policies.length > 0 ? [`Company policies:\n${policies.map((policy) => `- ${policy}`).join('\n')}`] : []),
    ...(prompt.hasUser
      ? [
          'The person you write with may ask for one thing after the other and may not say everything at once. Ask where something is missing that the tools cannot tell you. A reply without a tool call that asks nothing ends what is being asked for.',
        ]
      : []),
    prompt.submitTool
      ? 'When you are done, call submit_answer. Where something is asked, submit just that, without candidates or other values.'
      : 'When you are done, reply without calling a tool. Where something is asked, reply with just that, without candidates or other values.',
  ].join('\n\n');
};

/** The request to an agent that can ask nobody: the brief, or the same brief in less explicit words where the task has them. */
export const requestText = (task: Pick<Task, 'brief' | 'disclosure'>, detail: Detail): string =>
  detail === 'full' ? task.brief : (task.disclosure.briefs?.[detail] ?? task.brief);

export const systemMessage = (task: Task, prompt: Prompt): Message => ({
  role: 'system',
  content: prompt.system ?? systemText(task, prompt),
});

export const openingMessages = (task: Task, prompt: Prompt): Message[] => [
  systemMessage(task, prompt),
  { role: 'user', content: requestText(task, prompt.detail ?? 'full') },
];
