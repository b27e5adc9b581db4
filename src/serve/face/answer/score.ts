/** How well a value fits a branch of a choice: its kind first, constants next, then what is known and what is missing. */
import type { Json } from '../../../kit/hash.js';
import { foldedName } from '../../../world/surface/naming.js';
import type { Flat } from './flat.js';
import { kindOfValue, kindsOf } from './kinds.js';
import type { Shapes } from './scope.js';

export type Score = (value: Json) => number;

const WRONG_KIND = -100;
const MOST_BRANCHES = 12;
const MOST_NESTED = 2;

const known = new WeakMap<Flat, Score>();

const compile = (flat: Flat, shapes: Shapes, depth: number): Score => {
  const kinds = kindsOf(flat);
  const { nullable, listed, required } = flat;
  const deeper = depth < MOST_NESTED;
  const choices = deeper
    ? flat.choices.map(({ branches }) =>
        branches.slice(0, MOST_BRANCHES).map((branch) => compile(shapes.flats.of(branch), shapes, depth + 1)),
      )
    : [];
  const words = listed && new Set<unknown>(listed);
  const bare = choices.length === 0 ? undefined : { ...flat, choices: [] };
  const scalar = kinds.some((kind) => kind !== 'object' && kind !== 'array')
    ? shapes.ofFlat(bare ?? flat, '')
    : undefined;
  const item = deeper && flat.items !== undefined ? compile(shapes.flats.of(flat.items), shapes, depth + 1) : undefined;
  const properties = new Map<string, ReadonlySet<unknown> | null>();
  for (const [name, schema] of flat.properties) {
    const constants = shapes.flats.of(schema).listed;
    const allowed = constants ? new Set<unknown>(constants) : null;
    properties.set(name, allowed);
    if (!flat.properties.has(foldedName(name))) properties.set(foldedName(name), allowed);
  }
  const needed = [...required].map((name) => [name, foldedName(name)] as const);
  const inner = (value: Json): number =>
    choices.reduce((sum, scores) => sum + Math.max(...scores.map((score) => score(value))), 0);
  const ofObject = (value: { [key: string]: Json }): number => {
    let sum = 0;
    for (const name in value) {
      const constants = properties.get(name);
      if (constants === undefined) continue;
      sum += constants === null ? 1 : constants.has(value[name]) ? 5 : -20;
    }
    for (const [name, held] of needed) if (value[name] === undefined && value[held] === undefined) sum--;
    return sum;
  };
  return (value) => {
    if (value === null) return nullable ? 100 : WRONG_KIND;
    const nested = choices.length === 0 ? 0 : inner(value);
    if (kinds.length > 0 && kindOfValue(value, kinds) === undefined) return WRONG_KIND + nested;
    if (words) return (words.has(value) ? 50 : -50) + nested;
    if (typeof value !== 'object') return (scalar === undefined || scalar.accepts(value) ? 20 : 5) + nested;
    if (!Array.isArray(value)) return ofObject(value) + nested;
    const [first] = value;
    return 10 + nested + (first === undefined || item === undefined ? 0 : item(first) / 10);
  };
};

/** Compiled when a value first asks. */
export const scoreOf = (flat: Flat, shapes: Shapes): Score => {
  const made = known.get(flat);
  if (made) return made;
  let score: Score | undefined;
  const late: Score = (value) => {
    score ??= compile(flat, shapes, 0);
    return score(value);
  };
  known.set(flat, late);
  return late;
};
