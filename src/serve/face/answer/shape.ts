/** A schema compiled into what fits a value to it: lazily, once for each schema object and property name. */
import type { Node } from '../../../document/node.js';
import { isNode } from '../../../document/node.js';
import type { Refs } from '../../../document/refs.js';
import type { Json } from '../../../kit/hash.js';
import { singular } from '../../../kit/words.js';
import { choiceShape } from './choice.js';
import { drawAt } from './draw.js';
import { type Flat, flatsOf, type Type } from './flat.js';
import { kindOfValue, kindsOf } from './kinds.js';
import { listShape } from './list.js';
import { listedScalar } from './listed.js';
import { textMaker } from './names.js';
import { flagScalar, numberScalar } from './number.js';
import { objectShape } from './object.js';
import { rowShape } from './row.js';
import { DEEPEST, type Mark, type Scope, type Shape, type Shapes } from './scope.js';
import { type Scalar, textScalar } from './text.js';

const scalarShape = (flat: Flat, scalar: Scalar): Shape => ({
  flat,
  nullable: flat.nullable,
  accepts: scalar.accepts,
  fit: (value, place, scope) => (value === undefined ? undefined : scalar.from(value)) ?? scalar.make(place, scope),
});

const anyShape = (flat: Flat, name: string): Shape => {
  const make = textMaker(name);
  const [example] = flat.examples.filter((one) => one !== null && one !== undefined);
  return {
    flat,
    nullable: true,
    accepts: () => true,
    fit: (value, place, scope) => value ?? (example as Json | undefined) ?? make(drawAt(place), scope),
  };
};

const ORDER: readonly Type[] = ['object', 'array', 'string', 'integer', 'number', 'boolean'];

/** Several types: the value's own, else the first that it can be brought to. */
const mixedShape = (
  flat: Flat,
  name: string,
  kinds: readonly Type[],
  shapes: Shapes,
  mark: Mark | undefined,
): Shape => {
  const parts = new Map(
    ORDER.filter((kind) => kinds.includes(kind)).map((kind): [Type, Shape] => [
      kind,
      shapes.ofFlat({ ...flat, types: new Set([kind]) }, name, mark),
    ]),
  );
  const [first] = kinds;
  const partOf = (value: Json | undefined): Shape =>
    parts.get(kindOfValue(value, kinds) ?? (first as Type)) ?? ([...parts.values()][0] as Shape);
  return {
    flat,
    nullable: flat.nullable,
    accepts: (value) => [...parts.values()].some((part) => part.accepts(value)),
    fit: (value, place, scope) => partOf(value).fit(value, place, scope),
  };
};

/**
 * `items` without a type says nothing of what is no list, and some documents mean the item itself by it: what is held decides, and for
 * what is missing whether its name is a plural.
 */
const looseList = (flat: Flat, name: string, shapes: Shapes, mark: Mark | undefined): Shape => {
  const list = listShape(flat, name, shapes, mark);
  const single = singular(name) === name;
  let item: Shape | undefined;
  const itemShape = (): Shape => {
    item ??= shapes.of(flat.items ?? {}, name, mark?.kind === 'row' ? mark : undefined);
    return item;
  };
  const isOne = (value: Json | undefined): boolean => (value === undefined ? single : !Array.isArray(value));
  return {
    flat,
    nullable: flat.nullable,
    accepts: (value) => !Array.isArray(value) || list.accepts(value),
    fit: (value, place, scope) => (isOne(value) ? itemShape() : list).fit(value, place, scope),
  };
};

const neverShape = (flat: Flat): Shape => ({
  flat,
  nullable: flat.nullable,
  accepts: () => false,
  fit: (value) => value ?? null,
});

const ofKind = (flat: Flat, name: string, kind: Type | undefined, shapes: Shapes, mark: Mark | undefined): Shape => {
  switch (kind) {
    case 'object':
      return objectShape(flat, name, shapes, mark);
    case 'array':
      return listShape(flat, name, shapes, mark);
    case 'string':
      return scalarShape(flat, textScalar(flat, name));
    case 'integer':
    case 'number':
      return scalarShape(flat, numberScalar(flat, name, kind === 'integer'));
    case 'boolean':
      return scalarShape(flat, flagScalar(flat, name));
    default:
      return anyShape(flat, name);
  }
};

/** As many characters of a made text count as one more value: with `MOST_VALUES` at most about a megabyte. */
const CHARACTERS = 50;

const ENDS: Partial<Record<Type, Json>> = { object: {}, array: [], string: '', integer: 0, number: 0, boolean: false };

/** Null where it may stand, the budget counted, and an end where a schema has none. */
const guarded = (shape: Shape, kind: Type | undefined): Shape => {
  // Asked late: a choice knows it by its branches, which may hold it in turn.
  let known: boolean | undefined;
  const nullable = (): boolean => {
    known ??= shape.nullable;
    return known;
  };
  return {
    flat: shape.flat,
    get nullable() {
      return nullable();
    },
    accepts: (value) => (value === null ? nullable() : shape.accepts(value)),
    fit: (value, place, scope: Scope) => {
      if (value === null && nullable()) return null;
      if (value === undefined || value === null) {
        scope.left--;
        if (scope.left <= 0 || scope.depth > DEEPEST) return nullable() ? null : (ENDS[kind ?? 'object'] ?? {});
        const made = shape.fit(undefined, place, scope);
        if (typeof made === 'string') scope.left -= Math.floor(made.length / CHARACTERS);
        return made;
      }
      return shape.fit(value, place, scope);
    },
  };
};

const ofType = (value: Json, types: Flat['types']): boolean =>
  types === undefined || value === null || kindOfValue(value, [...types]) !== undefined;

export const shapesOf = (refs: Refs): Shapes => {
  const flats = flatsOf(refs);
  const known = new WeakMap<Node, Map<string, Shape>>();

  const compile = (flat: Flat, name: string, mark: Mark | undefined, nest: number): Shape => {
    if (flat.never) return neverShape(flat);
    if (flat.listed !== undefined) {
      const typed = flat.listed.filter((value) => ofType(value, flat.types));
      const scalar = listedScalar(typed.length > 0 ? typed : flat.listed, flat.examples);
      const shape = scalarShape(flat, scalar);
      // Texts listed for a number: they are shown, and nothing fits.
      return guarded(typed.length > 0 ? shape : { ...shape, accepts: () => false }, undefined);
    }
    if (flat.choices.length > 0) return guarded(choiceShape(flat, name, shapes, mark, nest), undefined);
    const kinds = kindsOf(flat);
    if (kinds.length > 1) return guarded(mixedShape(flat, name, kinds, shapes, mark), kinds[0]);
    if (kinds.length === 0 && flat.types?.has('null'))
      return { flat, nullable: true, accepts: (value) => value === null, fit: () => null };
    if (kinds[0] === 'array' && flat.types === undefined) return guarded(looseList(flat, name, shapes, mark), 'array');
    return guarded(ofKind(flat, name, kinds[0], shapes, mark), kinds[0]);
  };

  const shapes: Shapes = {
    flats,
    ofFlat: (flat, name, mark, nest = 0) => compile(flat, name, mark, nest),
    of: (schema, name, mark) => {
      const flat = flats.of(schema);
      if (mark) {
        const shape = compile(flat, name, mark, 0);
        return mark.kind === 'row' && mark.path.length === 0 ? rowShape(shape, mark) : shape;
      }
      if (!isNode(schema)) return compile(flat, name, undefined, 0);
      const byName = known.get(schema) ?? new Map<string, Shape>();
      known.set(schema, byName);
      const done = byName.get(name) ?? compile(flat, name, undefined, 0);
      byName.set(name, done);
      return done;
    },
  };
  return shapes;
};
