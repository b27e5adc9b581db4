/** Other right solutions. Each must pass (certify.md, "right alternatives pass"). */
import type { Call, Task } from '../artifacts/task.js';
import type { Arg } from '../artifacts/tool.js';
import { canonicalJson, type Json } from '../kit/hash.js';
import { argPath, argSpecs, encodeArg } from '../world/surface/args.js';
import { formsOf } from './forms.js';
import type { Ground } from './ground/ground.js';
import type { Plan } from './ground/plan.js';
import { toolsOf } from './ground/reveal.js';
import { subjectOf, withArg } from './mutants/mutant.js';
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
          (tool.tool.op === 'list' || tool.tool.op === 'action') &&
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
const direct = (task: Task, writes: readonly number[]): Alternative[] =>
  writes.length === 0 || task.reference.calls.length === writes.length
    ? []
    : [
        {
          kind: 'without_lookups',
          calls: writes.map((write) => task.reference.calls[write] as Call),
          answer: task.reference.answer,
        },
      ];

const dependsOn = (task: Task, later: number, earlier: number): boolean =>
  task.reference.sources.some(({ call, from }) => call === later && 'observed' in from && from.observed === earlier);

/** Neighbours that need nothing of one another change places; a change and a read of one service do not. */
const reordered = (task: Task, writes: readonly number[]): Alternative[] => {
  const { calls, answer } = task.reference;
  for (let i = 0; i + 1 < calls.length; i++) {
    const isWritten = writes.includes(i) || writes.includes(i + 1);
    if (dependsOn(task, i + 1, i) || (isWritten && calls[i]?.service === calls[i + 1]?.service)) continue;
    const swapped = [...calls];
    [swapped[i], swapped[i + 1]] = [calls[i + 1] as Call, calls[i] as Call];
    return [{ kind: 'reordered', calls: swapped, answer }];
  }
  return [];
};

/** The same text another way: `60.00` and `60`, a moment in another zone, letters in the other case. */
const spellings = (text: string): string[] => [
  ...(/^-?\d+\.\d*0+$/.test(text) ? [text.replace(/\.?0+$/, '')] : []),
  ...(/^-?\d+$/.test(text) ? [`${text}.0`] : []),
  ...(text.endsWith('Z') ? [text.replace(/Z$/, '+00:00'), text.replace(/Z$/, '.000Z')] : []),
  ...(text.endsWith('+00:00') ? [text.replace('+00:00', 'Z')] : []),
  text.toUpperCase(),
  text.toLowerCase(),
];

/** Equal values in another form, where the service reads both as one; keys of an object in another order. */
const respelled = (ground: Ground, task: Task): Alternative[] => {
  let changed = false;
  const calls = task.reference.calls.map((call) => {
    const found = ground.world.tools.get(call.tool);
    if (!found) return call;
    let other: Call = { ...call, args: Object.fromEntries(Object.entries(call.args).reverse()) as Call['args'] };
    for (const [, { path, codec, list }] of argSpecs(found.service.spec, found.tool.tool)) {
      const written = path.reduce<Json | undefined>(
        (at, key) => (at as Record<string, Json> | undefined)?.[key],
        call.args,
      );
      if (typeof written !== 'string' || list) continue;
      const own = decodes(() => codec.decode(written));
      const form = spellings(written).find(
        (text) => text !== written && own !== undefined && decodes(() => codec.decode(text)) === own,
      );
      if (form === undefined) continue;
      other = withArg(other, path, form);
      changed = true;
    }
    return other;
  });
  const answer = task.reference.answer;
  return [{ kind: changed ? 'equal_values_respelled' : 'respelled', calls, answer }];
};

const decodes = (read: () => unknown): string | undefined => {
  try {
    return canonicalJson(read() as Json);
  } catch {
    return undefined;
  }
};

/** An update that also says again what is so already. */
const restated = (ground: Ground, task: Task, writes: readonly number[]): Alternative[] => {
  const call = writes
    .map((write) => task.reference.calls[write] as Call)
    .find(({ tool }) => ground.world.tools.get(tool)?.tool.tool.op === 'update');
  const found = call ? ground.world.tools.get(call.tool) : undefined;
  const subject = found ? subjectOf(task, found) : undefined;
  if (!call || !found || !subject) return [];
  const { service, tool } = found;
  const key = service.keys[subject.table] as string;
  const row = ground
    .rows(service)(subject.table)
    .find((one) => one[key] === subject.key);
  const open = Object.entries(tool.tool.args).find(([name, arg]: [string, Arg]) => {
    const value = row?.[arg.col ?? name];
    const path = argPath(service.spec, name, arg);
    const given = path.reduce<Json | undefined>(
      (at, part) => (at as Record<string, Json> | undefined)?.[part],
      call.args,
    );
    return (
      arg.role === 'set' &&
      given === undefined &&
      value !== null &&
      value !== undefined &&
      arg.type !== 'json' &&
      arg.type !== 'list'
    );
  });
  if (!row || !open) return [];
  const [name, arg] = open;
  const value = encodeArg(service.spec, tool.tool, name, row[arg.col ?? name] ?? null);
  const calls = task.reference.calls.map((one) =>
    one === call ? withArg(call, argPath(service.spec, name, arg), value) : one,
  );
  return [{ kind: 'restated', calls, answer: task.reference.answer }];
};

const wordings = (task: Task): Alternative[] => {
  const { calls, answer } = task.reference;
  return task.answer
    ? formsOf(task.answer, answer).map((form) => ({
        kind: `answer “${form.length > 40 ? `${form.slice(0, 37)}...` : form}”`,
        calls,
        answer: form,
      }))
    : [{ kind: 'other_closing_words', calls, answer: 'All done. Anything else?' }];
};

const otherPath = (task: Task, plan: Plan | undefined, writes: readonly number[]): Alternative[] => {
  if (!plan) return [];
  const rest = writes.map((write) => task.reference.calls[write] as Call);
  return [{ kind: 'other_lookup', calls: [...plan.calls, ...rest], answer: task.reference.answer }];
};

export const alternativesOf = (
  ground: Ground,
  task: Task,
  writes: readonly number[],
  other: Plan | undefined,
): Alternative[] => [
  ...wordings(task),
  ...respelled(ground, task),
  ...restated(ground, task, writes),
  ...direct(task, writes),
  ...reordered(task, writes),
  ...otherPath(task, other, writes),
  ...extraReads(ground, task),
];
