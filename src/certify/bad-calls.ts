/** Calls that a tool must refuse, or may answer with nothing: each a good call with one thing wrong (certify.md, validator 5). */
import type { Column, Table } from '../artifacts/table.js';
import type { Arg, Tool } from '../artifacts/tool.js';
import type { Json } from '../kit/hash.js';
import type { SqlValue } from '../world/state/types.js';
import { argColumn, argPath, encodeArg } from '../world/surface/args.js';
import { type CallArgs, placed, valueAt } from './arguments.js';
import type { Probe } from './probes.js';
import type { ServiceSubject } from './validator.js';

export interface BadCall {
  what: string;
  args: Json;
  /** Error codes that answer it rightly; absent: any error of the caller will do, and so will success. */
  codes?: readonly string[];
  /** A list may also answer it with no rows. */
  orEmpty?: boolean;
}

export const FAR_TEXT = 'no-such-row-7q';
const FAR_NUMBER = 987_654_321;
const LIST_OPS = new Set<Tool['op']>(['list', 'search']);

interface Place {
  name: string;
  arg: Arg;
  path: string[];
  column: Column | undefined;
  good: CallArgs;
  tool: Tool;
}

const one = (place: Place, what: string, value: Json | undefined, codes?: readonly string[]): BadCall => ({
  what,
  args: placed(place.good, place.path, value),
  ...(codes && { codes }),
});

/** A value of another JSON type than the argument's. */
const wrongType = (place: Place): BadCall[] => {
  const { name, arg, good, path } = place;
  if (arg.type === 'json') return [];
  const written = valueAt(good, path);
  const out = [
    one(place, `an object as ${name}`, { odd: [1] }, ['invalid_argument', 'unknown_argument', 'missing_argument']),
  ];
  if (typeof written === 'string') out.push(one(place, `a number as ${name}`, 77, ['invalid_argument']));
  if (typeof written === 'number' || typeof written === 'boolean')
    out.push(one(place, `a text as ${name}`, 'seventy-seven', ['invalid_argument']));
  return out;
};

const unknownKey = (subject: ServiceSubject, place: Place): BadCall[] => {
  const { name, arg, path, column, tool, good } = place;
  const makes = arg.role === 'key' && tool.op === 'create';
  const points = arg.role === 'key' || arg.ref !== undefined || column?.fk !== undefined;
  if (!points || makes) return [];
  const isNumber = arg.type === 'int' || arg.items === 'int' || typeof valueAt(good, path) === 'number';
  const value = encodeArg(subject.spec, tool, name, isNumber ? FAR_NUMBER : FAR_TEXT);
  const written = arg.type === 'list' ? [value] : value;
  const declared = Object.keys(tool.errors ?? {});
  const bad = one(place, `an unknown ${name}`, written, [
    'not_found',
    'invalid_reference',
    'invalid_argument',
    ...declared,
  ]);
  return [LIST_OPS.has(tool.op) ? { ...bad, orEmpty: true } : bad];
};

/** Beyond what is declared: too long, too small, too large, no value of the enum. */
const beyond = (subject: ServiceSubject, place: Place): BadCall[] => {
  const { name, arg, column, tool } = place;
  const set = arg.role === 'set' ? column : undefined;
  const values = arg.enum ?? column?.enum;
  const out: BadCall[] = [];
  const longest = arg.maxLength ?? set?.maxLength;
  const refused = ['invalid_argument'];
  if (arg.type === 'text' && values) out.push(one(place, `an unknown value of ${name}`, 'not_a_value_7q', refused));
  else if (arg.type === 'text' && longest !== undefined)
    out.push(one(place, `${longest + 1} characters as ${name}`, 'x'.repeat(longest + 1), refused));
  if (arg.type === 'int' || arg.type === 'number' || arg.type === 'money') {
    if (arg.role === 'page' || arg.role === 'cursor') return out;
    const min = arg.min ?? set?.min;
    const max = arg.max ?? set?.max;
    const write = (value: number): Json => encodeArg(subject.spec, tool, name, value);
    if (min !== undefined) out.push(one(place, `${name} below ${min}`, write(min - 1), refused));
    if (max !== undefined && max < 2 ** 52) out.push(one(place, `${name} above ${max}`, write(max + 1), refused));
    if (min === undefined) out.push(one(place, `a negative ${name}`, write(-1)));
    if (min === undefined) out.push(one(place, `zero as ${name}`, write(0)));
    if (max === undefined) out.push(one(place, `a huge ${name}`, write(9_000_000_000_000)));
  }
  return out;
};

/** A value that must be unique, taken from another row. */
const taken = (subject: ServiceSubject, place: Place, probe: Probe): BadCall[] => {
  const { name, arg, column, tool } = place;
  const table = subject.spec.tables[tool.table] as Table;
  const col = arg.col ?? name;
  const isKey = arg.role === 'key' && tool.op === 'create' && col === table.key.col;
  if (!isKey && !(arg.role === 'set' && column?.unique)) return [];
  if (tool.op !== 'create' && tool.op !== 'update') return [];
  const other = subject.rows(tool.table).find((row) => row[col] !== null && row[table.key.col] !== probe.key);
  if (!other) return [];
  const upserts = isKey && tool.steps !== undefined;
  const value = encodeArg(subject.spec, tool, name, other[col] as SqlValue);
  return [
    one(
      place,
      `a ${name} that another row has`,
      value,
      upserts ? undefined : ['conflict', 'duplicate', 'already_exists'],
    ),
  ];
};

/** All bad calls made out of a probe's good one. */
export const badCallsOf = (subject: ServiceSubject, probe: Probe): BadCall[] => {
  const { spec } = subject;
  const { tool } = probe.tool.tool;
  const good = probe.args ?? {};
  const out: BadCall[] = [
    { what: 'an unknown argument', args: { ...good, no_such_argument_: 1 }, codes: ['unknown_argument'] },
    { what: 'a list in place of the arguments', args: [1, 2], codes: ['invalid_argument'] },
  ];
  for (const [name, arg] of Object.entries(tool.args)) {
    const place: Place = { name, arg, path: argPath(spec, name, arg), column: argColumn(spec, tool, name), good, tool };
    if (arg.required && arg.default === undefined) {
      out.push(one(place, `no ${name}`, undefined, ['missing_argument']));
      out.push(one(place, `null as ${name}`, null, ['missing_argument', 'invalid_argument']));
    }
    out.push(
      ...wrongType(place),
      ...unknownKey(subject, place),
      ...beyond(subject, place),
      ...taken(subject, place, probe),
    );
  }
  return out;
};
