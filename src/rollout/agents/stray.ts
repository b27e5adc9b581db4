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
  description?: string;
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
  const date = /YYYY.?MM.?DD/.exec(schema.description ?? '')?.[0];
  if (date) return date.replace('YYYY', '2024').replace('MM', '01').replace('DD', '15');
  return SAMPLES[schema.format ?? ''] ?? 'Not asked for'.padEnd(schema.minLength ?? 0, '.');
};

const sampleArguments = (schema: Schema, seen: readonly Json[], random: Rng): Record<string, Json> =>
  Object.fromEntries(
    (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {}, name, seen, random)]),
  );

/** How many ways there are to be refused: keys must exist, the rest must only have the right form. */
const risk = (schema: Schema): number =>
  (schema.required ?? []).reduce((sum, name) => {
    const inner = schema.properties?.[name] ?? {};
    return sum + (inner.properties ? risk(inner) : KEY.test(name) ? 5 : 1);
  }, 0);

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
  const cost = (tool: SessionTool): number => risk(tool.inputSchema as Schema) + (CREATES.test(tool.name) ? 0 : 10);
  const shuffled = random.shuffle(writing);
  const tool = shuffled.sort((a, b) => cost(a) - cost(b))[nth];
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
