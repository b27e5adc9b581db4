/** Lists: every item fitted, as many as the bounds allow, none twice where that is asked for. */
import { canonicalJson, type Json } from '../../../kit/hash.js';
import { singular } from '../../../kit/words.js';
import { within } from './draw.js';
import type { Flat } from './flat.js';
import { DEEP, type Mark, type Scope, type Shape, type Shapes } from './scope.js';

/** What a schema asks for beyond this is not made. */
const MOST_MADE = 100;

const identity = (item: Json): unknown => (typeof item === 'object' && item !== null ? canonicalJson(item) : item);

const distinct = (items: readonly Json[]): Json[] => {
  const seen = new Set<unknown>();
  return items.filter((item) => {
    const key = identity(item);
    return seen.has(key) ? false : seen.add(key);
  });
};

export const listShape = (flat: Flat, name: string, shapes: Shapes, mark: Mark | undefined): Shape => {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, unique = false } = flat.bounds;
  const example = Array.isArray(mark?.example) ? mark.example[0] : undefined;
  const inner: Mark | undefined =
    mark?.kind === 'rows' && mark.path.length === 0 ? { ...mark, kind: 'row', example } : undefined;
  const one = singular(name);
  let rest: Shape | undefined;
  const first = new Map<number, Shape>();
  const itemAt = (index: number): Shape => {
    const written = flat.prefix[index];
    if (written === undefined) {
      rest ??= shapes.of(flat.items ?? {}, one, inner);
      return rest;
    }
    const shape = first.get(index) ?? shapes.of(written, one);
    first.set(index, shape);
    return shape;
  };

  const pad = (out: Json[], wanted: number, place: number, scope: Scope): Json[] => {
    let items = unique ? distinct(out) : out;
    for (let n = items.length, tries = 0; items.length < wanted && tries < wanted * 4 && scope.left > 0; n++, tries++) {
      items.push(itemAt(items.length).fit(undefined, within(place, n), scope));
      if (unique) items = distinct(items);
    }
    return items;
  };

  const make = (place: number, scope: Scope): Json[] => {
    const shown = scope.full && scope.depth <= DEEP ? Math.max(1, minItems) : minItems;
    const out = pad([], Math.min(shown, maxItems, MOST_MADE), place, scope);
    return minItems === 0 && out.some((item, index) => !itemAt(index).accepts(item)) ? [] : out;
  };

  return {
    flat,
    nullable: flat.nullable,
    fit: (value, place, scope) => {
      scope.depth++;
      const given = value === undefined || Array.isArray(value) ? value : [value];
      let out: Json[];
      if (given === undefined) out = make(place, scope);
      else {
        out = [];
        for (const item of given) {
          if (out.length >= maxItems) break;
          const shape = itemAt(out.length);
          if (item !== null || shape.nullable) out.push(shape.fit(item, within(place, out.length), scope));
        }
        if (unique || out.length < minItems) out = pad(out, Math.min(minItems, MOST_MADE), place, scope);
      }
      scope.depth--;
      return out;
    },
    accepts: (value) =>
      Array.isArray(value) &&
      value.length >= minItems &&
      value.length <= maxItems &&
      (!unique || distinct(value).length === value.length) &&
      value.every((item, index) => itemAt(index).accepts(item)),
  };
};
