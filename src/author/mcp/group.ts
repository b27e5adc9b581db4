/** Tools grouped by the thing they speak of, each with what it does to it and the argument that names the row. */

import { isNode, type Node } from '../../document/node.js';
import { plural, singular, snake } from '../../kit/words.js';
import type { OperationKind } from '../openapi/types.js';
import type { ListedTool } from './list.js';
import { type NameReading, readName, wordsOfNames } from './words.js';

export interface PlacedTool {
  tool: ListedTool;
  kind: OperationKind;
  noun: string;
  verb: string;
  /** Argument that names the row. */
  key: string | undefined;
  /** Its argument is a list of keys, or of rows. */
  batch: boolean;
  note?: string;
}

export interface Grouping {
  nouns: Map<string, PlacedTool[]>;
  left: { operation: string; why: string }[];
}

export const propertiesOf = (schema: Node | undefined): Record<string, Node> =>
  isNode(schema?.properties) ? (schema.properties as Record<string, Node>) : {};

export const requiredOf = (schema: Node): ReadonlySet<string> =>
  new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []);

const isScalar = (schema: Node | undefined): boolean =>
  schema !== undefined && schema.type !== 'object' && schema.type !== 'array' && !isNode(schema.properties);

const KEY_WORDS = ['id', 'uuid', 'guid', 'key', 'number', 'no', 'slug', 'code', 'name', 'path', 'uri', 'email', 'sku'];

/** How surely an argument names a row of `noun`; 0 when it does not. */
export const keyScore = (arg: string, noun: string): number => {
  const name = snake(arg);
  const tail = noun.split('_').at(-1) ?? noun;
  for (const own of new Set([noun, tail])) {
    const at = KEY_WORDS.findIndex((word) => name === `${own}_${word}` || (word === 'id' && name === `${own}id`));
    if (at >= 0) return 20 - at;
  }
  if (name === noun || name === tail) return 6;
  const bare = KEY_WORDS.indexOf(name);
  return bare < 0 ? 0 : bare <= 3 ? 10 - bare : 5 - bare * 0.1;
};

const keyOf = ({ input }: ListedTool, noun: string, kind: OperationKind): string | undefined => {
  const required = requiredOf(input);
  let best: { arg: string; points: number } | undefined;
  for (const [arg, schema] of Object.entries(propertiesOf(input))) {
    if (!isScalar(schema) || Array.isArray(schema.enum) || schema.type === 'boolean') continue;
    const points = keyScore(arg, noun) * (required.has(arg) ? 1 : 0.5);
    if (points > (best?.points ?? 0)) best = { arg, points };
  }
  if (best && best.points >= 2) return best.arg;
  // The only thing that a read or a deletion asks for.
  const only = [...required];
  const [first] = only;
  if (only.length === 1 && first && (kind === 'get' || kind === 'delete') && isScalar(propertiesOf(input)[first]))
    return first;
  return undefined;
};

/** A required list of keys (`ids`, `entityNames`): the same done to many rows. */
const listKeyOf = ({ input }: ListedTool, noun: string): string | undefined => {
  const required = requiredOf(input);
  return Object.entries(propertiesOf(input)).find(
    ([arg, schema]) =>
      required.has(arg) &&
      schema.type === 'array' &&
      isScalar(schema.items as Node | undefined) &&
      keyScore(singular(snake(arg)), noun) > 0,
  )?.[0];
};

/** Verbs that leave a row behind when nothing names one that is there. */
const MAKES =
  /^(send|post|book|schedule|submit|log|record|request|raise|open|report|file|issue|place|start|invite|draft|upload|publish|write|enrol|enroll|import|save|set|register|reserve|order|charge|pay|hire)/;

const firstReading = (tools: readonly ListedTool[]): NameReading[] => {
  const words = wordsOfNames(tools.map(({ name }) => name));
  const rough = words.map((each) => readName(each));
  const nouns = new Set(rough.filter(({ kind, noun }) => kind !== 'action' && noun !== '').map(({ noun }) => noun));
  return words.map((each) => readName(each, nouns));
};

/** Lists of an answer, by the noun of the property: `{entities: [...], relations: [...]}`. */
const listsIn = (output: Node | undefined): string[] =>
  Object.entries(propertiesOf(output)).flatMap(([name, schema]) =>
    schema.type === 'array' && isNode(schema.items) && isNode((schema.items as Node).properties)
      ? [singular(snake(name))]
      : [],
  );

const place = (tool: ListedTool, reading: NameReading, nouns: ReadonlySet<string>): PlacedTool | string => {
  let { kind, noun } = reading;
  const { verb } = reading;
  let note: string | undefined;
  if (tool.readOnly === true && !['list', 'get', 'search'].includes(kind)) kind = reading.many ? 'list' : 'get';
  const shown = listsIn(tool.output);
  if (['list', 'get', 'search'].includes(kind) && !nouns.has(noun)) {
    const known = shown.find((one) => nouns.has(one));
    if (known !== undefined) {
      const others = shown.filter((one) => one !== known).map(plural);
      note =
        others.length > 0 ? `shows ${plural(known)} only, where the list shows ${others.join(', ')} too` : undefined;
      noun = known;
      if (kind === 'get') kind = 'list';
    }
  }
  if (noun === '') return 'its name speaks of no thing that is kept';
  if (kind === 'get' && shown.includes(noun) && keyOf(tool, noun, kind) === undefined) kind = 'list';
  let key = kind === 'list' || kind === 'search' || kind === 'create' ? undefined : keyOf(tool, noun, kind);
  let batch = false;
  if (key === undefined && (kind === 'get' || kind === 'delete' || kind === 'action')) {
    key = listKeyOf(tool, noun);
    batch = key !== undefined;
  }
  const asked = Object.keys(propertiesOf(tool.input)).length;
  if (batch && kind === 'get') [kind, key, batch] = ['list', undefined, false];
  if (kind === 'get' && key === undefined) kind = requiredOf(tool.input).size === 0 || reading.many ? 'list' : kind;
  if (kind === 'action' && key === undefined && MAKES.test(verb) && asked >= 2) kind = 'create';
  // The caller names the row that is to be there afterwards.
  if (kind === 'action' && key !== undefined && /^(write|put|upsert|store|upload)$/.test(verb) && asked >= 2) {
    [kind, key] = ['create', undefined];
    note = 'one that is there already is refused';
  }
  if (key === undefined && ['get', 'update', 'delete', 'action'].includes(kind))
    return `none of its arguments names ${noun === '' ? 'a row' : `one ${noun.replaceAll('_', ' ')}`}`;
  return { tool, kind, noun, verb, key, batch, ...(note ? { note } : {}) };
};

/** `get_ticket_comments(ticket_id)`: the comments, of a ticket, when there are comments. */
const owned = (reading: NameReading, nouns: ReadonlySet<string>): NameReading => {
  if (nouns.has(reading.noun) && !reading.many) return reading;
  const parts = reading.noun.split('_');
  for (let at = 1; at < parts.length; at++) {
    const rest = parts.slice(at).join('_');
    if (nouns.has(parts.slice(0, at).join('_')) && nouns.has(rest)) return { ...reading, noun: rest };
  }
  return reading;
};

/** Every tool under its noun, or the reason why it speaks of none. Nouns stand in the list's order. */
export const groupTools = (tools: readonly ListedTool[]): Grouping => {
  const readings = firstReading(tools);
  const nouns = new Set(readings.filter(({ kind, noun }) => kind !== 'action' && noun !== '').map(({ noun }) => noun));
  // What is only read is no ground for another tool's noun; what is written is.
  const written = new Set(
    readings.flatMap(({ kind, noun }, i) =>
      ['create', 'update', 'delete'].includes(kind) && tools[i]?.readOnly !== true ? [noun] : [],
    ),
  );
  const out: Grouping = { nouns: new Map(), left: [] };
  readings.forEach((reading, i) => {
    const tool = tools[i] as ListedTool;
    const isRead = tool.readOnly === true || ['list', 'get', 'search'].includes(reading.kind);
    const placed = place(tool, owned(reading, nouns), isRead && written.size > 0 ? written : nouns);
    if (typeof placed === 'string') out.left.push({ operation: tool.name, why: placed });
    else out.nouns.set(placed.noun, [...(out.nouns.get(placed.noun) ?? []), placed]);
  });
  return out;
};
