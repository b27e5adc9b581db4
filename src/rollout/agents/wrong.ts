/** Arguments for the wrong thing: another entity the agent has seen, or one that is nearly the right one. */

import type { Task } from '../../artifacts/task.js';
import type { Message } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import type { SessionTool } from '../../serve/tool-host.js';
import { resultOf, withArgument } from './replay.js';

type Scalar = string | number;

/** All scalars that any result holds under a field of this name, in order of appearance. */
const seenUnder = (value: Json, field: string, into: Scalar[]): void => {
  if (Array.isArray(value)) {
    for (const item of value) seenUnder(item, field, into);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value)) {
    if (key === field && (typeof item === 'string' || typeof item === 'number')) into.push(item);
    else seenUnder(item, field, into);
  }
};

const results = (messages: readonly Message[]): Json[] =>
  messages.flatMap(({ role, toolCallId }) => {
    const result = role === 'tool' && toolCallId !== undefined ? resultOf(messages, toolCallId) : undefined;
    return result === undefined ? [] : [result];
  });

/** A value that looks like `value` and is another: a digit or letter at its end is changed. */
const nearMiss = (value: Scalar): Scalar => {
  if (typeof value === 'number') return value + 1;
  const last = value.at(-1) ?? '';
  return (
    value.slice(0, -1) + (/[0-8]/.test(last) ? String(Number(last) + 1) : last === '9' ? '0' : last === 'a' ? 'b' : 'a')
  );
};

/** The call's arguments with one entity exchanged for another one. */
export const wrongArguments = (
  task: Task,
  n: number,
  args: Record<string, Json>,
  messages: readonly Message[],
  random: Rng,
): Record<string, Json> => {
  const pointing = task.reference.sources.filter(({ call, from }) => call === n && 'observed' in from);
  const source = pointing.length > 0 ? random.pick(pointing) : undefined;
  if (!source || !('observed' in source.from)) return args;
  const right = source.arg
    .split('.')
    .reduce<Json | undefined>(
      (at, key) => (at !== null && typeof at === 'object' && !Array.isArray(at) ? at[key] : undefined),
      args,
    );
  if (typeof right !== 'string' && typeof right !== 'number') return args;
  const field = source.from.path.split('.').at(-1) ?? '';
  const seen: Scalar[] = [];
  for (const result of results(messages)) seenUnder(result, field, seen);
  const others = [...new Set(seen)].filter((value) => value !== right && typeof value === typeof right);
  return withArgument(args, source.arg, others.length > 0 ? random.pick(others) : nearMiss(right));
};

interface Schema {
  type?: string | string[];
  enum?: Json[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
  minimum?: number;
  minLength?: number;
  default?: Json;
}

const SAMPLES: Record<string, Json> = {
  date: '2024-01-15',
  'date-time': '2024-01-15T09:00:00Z',
  email: 'someone@mail.example',
  uri: 'https://www.example/',
};

/** A plausible value for a schema; fields of the same name seen in results go first. */
const sampleOf = (schema: Schema, field: string, seen: readonly Json[], random: Rng): Json => {
  if (schema.enum?.length) return random.pick(schema.enum);
  const known: Scalar[] = [];
  for (const result of seen) seenUnder(result, field, known);
  const type = Array.isArray(schema.type) ? schema.type.find((name) => name !== 'null') : schema.type;
  if (type === 'object' || schema.properties) return sampleArguments(schema, seen, random);
  if (type === 'array') return schema.items ? [sampleOf(schema.items, field, seen, random)] : [];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1);
  if (known.length > 0) return String(random.pick(known));
  return SAMPLES[schema.format ?? ''] ?? 'Not asked for'.padEnd(schema.minLength ?? 0, '.');
};

const sampleArguments = (schema: Schema, seen: readonly Json[], random: Rng): Record<string, Json> =>
  Object.fromEntries(
    (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {}, name, seen, random)]),
  );

/** A write nobody asked for: the tool and arguments, or undefined where only reading is offered. */
export const strayWrite = (
  tools: readonly SessionTool[],
  messages: readonly Message[],
  random: Rng,
): { name: string; args: Record<string, Json> } | undefined => {
  const writing = tools.filter((tool) => !tool.readOnly && tool.service !== '');
  // Fewer required arguments, fewer ways to be refused: the write should happen.
  const needs = (tool: SessionTool): number => (tool.inputSchema as Schema).required?.length ?? 0;
  const easiest = [...writing].sort((a, b) => needs(a) - needs(b) || (a.name < b.name ? -1 : 1)).slice(0, 4);
  if (easiest.length === 0) return undefined;
  const tool = random.pick(easiest);
  return { name: tool.name, args: sampleArguments(tool.inputSchema as Schema, results(messages), random) };
};
