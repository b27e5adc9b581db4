/** Writes nobody asked for. */
import type { Message } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import type { SessionTool } from '../../serve/tool-host.js';
import { results, type Scalar, seenUnder } from './wrong.js';

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

/** Arguments that name a row, and the fields under which results show what to put there. */
const KEY = /(?:^|_)(?:id|ids|href|key|ref|uid)$|(?:Id|Href|Key|Ref)$/;
const KEYS = ['id', 'Id', 'ID', 'href', 'Href', 'key', 'uid'];

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
  if (KEY.test(field)) for (const result of seen) for (const key of KEYS) seenUnder(result, key, known);
  if (known.length > 0) return String(random.pick(known));
  return SAMPLES[schema.format ?? ''] ?? 'Not asked for'.padEnd(schema.minLength ?? 0, '.');
};

const sampleArguments = (schema: Schema, seen: readonly Json[], random: Rng): Record<string, Json> =>
  Object.fromEntries(
    (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {}, name, seen, random)]),
  );

/** Names that begin something new: such a write depends on no earlier state, so it is the surest to happen. */
const CREATES =
  /(?:^|[_.])(?:create|add|new|insert|register|post|send|open|log|record)|^(?:Create|Add|New|Register|Send|Open|Log)|(?:Create|Add|New)$/;
/** Tools that are tried before giving up. */
export const STRAY_TRIES = 6;

/** The `nth` write nobody asked for: the tool and its arguments; undefined when there is none left to try. */
export const strayWrite = (
  tools: readonly SessionTool[],
  messages: readonly Message[],
  random: Rng,
  nth: number,
): { name: string; args: Record<string, Json> } | undefined => {
  const writing = tools.filter((tool) => !tool.readOnly && tool.service !== '');
  const needs = (tool: SessionTool): number => (tool.inputSchema as Schema).required?.length ?? 0;
  const isNew = (tool: SessionTool): number => Number(CREATES.test(tool.name));
  const shuffled = random.shuffle(writing);
  const tool = shuffled.sort((a, b) => isNew(b) - isNew(a) || needs(a) - needs(b))[nth];
  return tool
    ? { name: tool.name, args: sampleArguments(tool.inputSchema as Schema, results(messages), random) }
    : undefined;
};

/** Whether a result reads like a refusal, whatever the service's style: an agent has nothing else to go by. */
export const looksRefused = (result: Json | undefined): boolean => {
  if (result === undefined || result === null || typeof result !== 'object' || Array.isArray(result)) return false;
  const keys = Object.keys(result).map((key) => key.toLowerCase());
  if (keys.some((key) => /^(?:errors?|err|fault|problem|exception|error_?(?:code|message|type))$/.test(key)))
    return true;
  return (
    keys.includes('message') && keys.some((key) => /^(?:code|status|status_?code|type)$/.test(key)) && keys.length <= 5
  );
};
