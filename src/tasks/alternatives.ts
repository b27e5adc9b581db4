/** Other right solutions. Each must pass (certify.md, "right alternatives pass"). */
import type { Call, Task } from '../artifacts/task.js';
import type { Json } from '../kit/hash.js';
import type { Ground } from './ground/ground.js';
import type { Plan } from './ground/plan.js';
import { toolsOf } from './ground/reveal.js';
import type { Attempt } from './replay.js';

export interface Alternative extends Attempt {
  kind: string;
}

/** A read that needs no argument, of any service the agent has. */
const idleReads = (ground: Ground, task: Task): Call[] =>
  task.services.flatMap((service) =>
    toolsOf(ground.world, service)
      .filter(
        ({ tool }) =>
          tool.tool.op === 'list' &&
          tool.tool.writes.length === 0 &&
          Object.values(tool.tool.args).every((arg) => !arg.required),
      )
      .slice(0, 1)
      .map(({ name }): Call => ({ service, tool: name, args: {} })),
  );

const extraReads = (ground: Ground, task: Task): Alternative[] => {
  const reads = idleReads(ground, task);
  if (reads.length === 0) return [];
  const calls = task.reference.calls.flatMap((call, i) => [reads[i % reads.length] as Call, call]);
  return [{ kind: 'extra_reads', calls: [...calls, reads[0] as Call], answer: task.reference.answer }];
};

/** An agent that knows the key from elsewhere needs no look-up. */
const direct = (task: Task, write: number | undefined): Alternative[] =>
  write === undefined || task.reference.calls.length < 2
    ? []
    : [{ kind: 'without_lookups', calls: [task.reference.calls[write] as Call], answer: task.reference.answer }];

const dependsOn = (task: Task, later: number, earlier: number): boolean =>
  task.reference.sources.some(({ call, from }) => call === later && 'observed' in from && from.observed === earlier);

const reordered = (task: Task, write: number | undefined): Alternative[] => {
  const { calls, answer } = task.reference;
  for (let i = 0; i + 1 < calls.length; i++) {
    if (i + 1 === write || i === write || dependsOn(task, i + 1, i)) continue;
    const swapped = [...calls];
    [swapped[i], swapped[i + 1]] = [calls[i + 1] as Call, calls[i] as Call];
    return [{ kind: 'reordered', calls: swapped, answer }];
  }
  return [];
};

const spelled = (args: Json): Json => {
  if (typeof args === 'string') return args;
  if (Array.isArray(args)) return args.map(spelled);
  if (args === null || typeof args !== 'object') return args;
  return Object.fromEntries(
    Object.entries(args)
      .reverse()
      .map(([key, value]) => [key, spelled(value)]),
  );
};

/** The same arguments in another order of keys. */
const respelled = (task: Task): Alternative[] => [
  {
    kind: 'respelled',
    calls: task.reference.calls.map((call) => ({ ...call, args: spelled(call.args as Json) as Call['args'] })),
    answer: task.reference.answer,
  },
];

const sentence = (task: Task): Alternative[] =>
  task.answer
    ? [
        {
          kind: 'answer_in_a_sentence',
          calls: task.reference.calls,
          answer: `I looked it up: ${task.reference.answer}.`,
        },
      ]
    : [{ kind: 'other_closing_words', calls: task.reference.calls, answer: 'All done. Anything else?' }];

const otherPath = (task: Task, plan: Plan | undefined, write: number | undefined): Alternative[] => {
  if (!plan) return [];
  const rest = write === undefined ? [] : [task.reference.calls[write] as Call];
  return [{ kind: 'other_lookup', calls: [...plan.calls, ...rest], answer: task.reference.answer }];
};

export const alternativesOf = (
  ground: Ground,
  task: Task,
  write: number | undefined,
  other: Plan | undefined,
): Alternative[] => [
  ...extraReads(ground, task),
  ...direct(task, write),
  ...reordered(task, write),
  ...respelled(task),
  ...sentence(task),
  ...otherPath(task, other, write),
];
