/** Reads an answer by the template it was written with: where its rows, its total and its mark of the next page stand. */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Table } from '../artifacts/table.js';
import type { Tool } from '../artifacts/tool.js';
import type { Json } from '../kit/hash.js';
import { envelopeOf, nounsOf } from '../world/surface/answer.js';
import { valueAt } from './arguments.js';

export type Part = 'rows' | 'total' | 'more' | 'cursor' | 'page' | 'pages' | 'size' | 'offset' | 'shown';
const PARTS = new Set<string>(['rows', 'total', 'more', 'cursor', 'page', 'pages', 'size', 'offset', 'shown']);

/** Where each part of a list answer stands; a part inside a longer text has no place of its own. */
export type Places = Partial<Record<Part, readonly string[]>>;

const walk = (template: Json, nouns: { noun: string; nouns: string }, path: readonly string[], into: Places): void => {
  if (typeof template === 'string') {
    const part = template.slice(1);
    if (template.startsWith('$') && PARTS.has(part)) into[part as Part] ??= path;
    return;
  }
  if (typeof template !== 'object' || template === null || Array.isArray(template)) return;
  for (const [key, value] of Object.entries(template)) {
    const name = key.replaceAll('$nouns', nouns.nouns).replaceAll('$noun', nouns.noun);
    walk(value, nouns, [...path, name], into);
  }
};

/** The places of a list tool's answer. */
export const placesOf = (spec: ServiceSpec, tool: Tool): Places => {
  const places: Places = {};
  const table = spec.tables[tool.returns?.table ?? tool.table] as Table;
  walk(envelopeOf(spec, 'many', tool.returns), nounsOf(spec, table), [], places);
  return places;
};

/** A part of an answer; undefined when the answer does not show it. */
export const partOf = (places: Places, result: Json, part: Part): Json | undefined => {
  const path = places[part];
  return path === undefined ? undefined : valueAt(result, path);
};

/** The rows of an answer; undefined where they should stand and do not. */
export const rowsOf = (places: Places, result: Json): Json[] | undefined => {
  const rows = partOf(places, result, 'rows');
  return Array.isArray(rows) ? rows : undefined;
};
