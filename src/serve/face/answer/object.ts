/** Objects: what is held and belongs there, then what the schema requires, then what the document always shows. */
import type { Json } from '../../../kit/hash.js';
import { plural } from '../../../kit/words.js';
import { foldedName } from '../../../world/surface/naming.js';
import { placeOf, within } from './draw.js';
import type { Flat } from './flat.js';
import { isScalar } from './kinds.js';
import { DEEP, type Mark, type Scope, type Shape, type Shapes } from './scope.js';

interface Child {
  shape: Shape;
  at: number;
}

const MOST_PADDED = 100;

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Schema of a property that is not listed; false where it does not belong, undefined where nothing is said. */
const unlisted = (flat: Flat, name: string): unknown => {
  let schema: unknown = flat.open || flat.properties.size === 0 ? true : undefined;
  for (const [regex, found] of flat.patterns) if (regex.test(name)) schema = found;
  for (const extras of flat.extras) {
    if (extras.names.has(name) || extras.patterns.some((regex) => regex.test(name))) continue;
    if (extras.schema === false) return false;
    schema = schema === true || schema === undefined ? extras.schema : { allOf: [schema, extras.schema] };
  }
  return schema;
};

/** Whether a part refuses the property though another lists it. */
const refused = (flat: Flat, name: string): boolean =>
  flat.extras.some(
    (extras) =>
      extras.schema === false && !extras.names.has(name) && !extras.patterns.some((regex) => regex.test(name)),
  );

/** Optional properties that the document's examples show, where they are plain values. */
const shownOf = (flat: Flat, shapes: Shapes, mark: Mark | undefined): string[] => {
  if (mark?.kind !== 'row' || mark.path.length > 0) return [];
  const examples = [mark.example, ...flat.examples].filter(
    (one): one is object => typeof one === 'object' && one !== null,
  );
  return [...flat.properties].flatMap(([name, schema]) => {
    if (flat.required.has(name) || refused(flat, name)) return [];
    const property = shapes.flats.of(schema);
    if (property.writeOnly || !isScalar(property)) return [];
    const shown = examples.some((example) => ((example as Record<string, unknown>)[name] ?? null) !== null);
    return shown || property.examples.some((one) => one !== null) ? [name] : [];
  });
};

export const objectShape = (flat: Flat, name: string, shapes: Shapes, mark: Mark | undefined): Shape => {
  const children = new Map<string, Child | null>();
  const inner = (property: string): Mark | undefined =>
    mark && mark.path[0] === property
      ? { ...mark, path: mark.path.slice(1), example: isNodeOf(mark.example)?.[property] }
      : undefined;
  const childOf = (property: string): Child | null => {
    const known = children.get(property);
    if (known !== undefined) return known;
    const listed = flat.properties.get(property);
    const schema = refused(flat, property)
      ? false
      : flat.properties.has(property)
        ? (listed ?? true)
        : unlisted(flat, property);
    const made =
      schema === false || property === '__proto__'
        ? null
        : { shape: shapes.of(schema ?? {}, property, inner(property)), at: placeOf(property) };
    const kept = schema === undefined && !flat.required.has(property) ? null : made;
    if (children.size < 5_000) children.set(property, kept);
    return kept;
  };
  /** Held under the names of the surface, shown under the document's: `@odata.type`. */
  const folded = new Map<string, string>();
  for (const property of flat.properties.keys()) {
    const name = foldedName(property);
    if (name !== property && !flat.properties.has(name) && !folded.has(name)) folded.set(name, property);
  }
  const documented = (held: { [key: string]: Json }): { [key: string]: Json } =>
    folded.size === 0 || !Object.keys(held).some((property) => folded.has(property))
      ? held
      : Object.fromEntries(Object.entries(held).map(([property, value]) => [folded.get(property) ?? property, value]));
  const required = [...flat.required].filter((property) => property !== '__proto__');
  let shown: string[] | undefined;
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = flat.bounds;

  const make = (out: { [key: string]: Json }, property: string, place: number, scope: Scope): void => {
    if (Object.hasOwn(out, property) || scope.left <= 0) return;
    const child = childOf(property);
    if (child === null || child.shape.flat.never || child.shape.flat.writeOnly) return;
    // What may be null and is not held is null: a made `closed_at` would close what is open.
    out[property] =
      !scope.full && child.shape.nullable ? null : child.shape.fit(undefined, within(place, child.at), scope);
  };

  /** What need not be there is left out where nothing fits it. */
  const offer = (out: { [key: string]: Json }, property: string, place: number, scope: Scope): void => {
    make(out, property, place, scope);
    const made = out[property];
    if (made !== undefined && childOf(property)?.shape.accepts(made) === false) delete out[property];
  };

  const pad = (out: { [key: string]: Json }, place: number, scope: Scope): void => {
    for (const property of flat.properties.keys()) {
      if (Object.keys(out).length >= minProperties) return;
      make(out, property, place, scope);
    }
    for (let n = 1; Object.keys(out).length < minProperties && n <= MOST_PADDED; n++)
      make(out, `key_${n}`, place, scope);
  };

  const fit = (value: Json | undefined, place: number, scope: Scope): Json => {
    const source = isObject(value)
      ? documented(value)
      : value === undefined || value === null || Array.isArray(value)
        ? {}
        : { id: value };
    const out: { [key: string]: Json } = {};
    const { own } = scope;
    // What is made inside a row is not at the row's address.
    if (value === undefined && scope.depth > 0 && mark === undefined)
      scope.own = `/${name === '' ? 'items' : plural(name)}/${place % 10_000}`;
    scope.depth++;
    for (const property in source) {
      const held = source[property];
      const child = held === undefined ? null : childOf(property);
      if (child === null || child.shape.flat.writeOnly) continue;
      if (held !== null || child.shape.nullable) out[property] = child.shape.fit(held, within(place, child.at), scope);
    }
    for (const property of required) if (out[property] === undefined) make(out, property, place, scope);
    if (mark !== undefined) {
      shown ??= shownOf(flat, shapes, mark);
      for (const property of shown) if (!Object.hasOwn(source, property)) make(out, property, place, scope);
    }
    if (scope.full && scope.depth <= DEEP)
      for (const property of flat.properties.keys())
        if (
          !flat.required.has(property) &&
          !Object.hasOwn(source, property) &&
          !shapes.flats.of(flat.properties.get(property)).writeOnly
        )
          offer(out, property, place, scope);
    if (minProperties > 0) pad(out, place, scope);
    if (maxProperties < Number.POSITIVE_INFINITY)
      for (const property of Object.keys(out).reverse())
        if (Object.keys(out).length > maxProperties && !flat.required.has(property)) delete out[property];
    scope.depth--;
    scope.own = own;
    return out;
  };

  return {
    flat,
    nullable: flat.nullable,
    fit,
    accepts: (value) => {
      if (!isObject(value)) return false;
      const names = Object.keys(value);
      if (names.length < minProperties || names.length > maxProperties) return false;
      for (const property of flat.required)
        if (!Object.hasOwn(value, property) && !shapes.flats.of(flat.properties.get(property)).writeOnly) return false;
      return names.every((property) => {
        const listed = flat.properties.has(property);
        const schema = refused(flat, property) ? false : listed ? true : unlisted(flat, property);
        if (schema === false) return false;
        if (!listed && (schema === undefined || schema === true)) return true;
        return childOf(property)?.shape.accepts(value[property] as Json) ?? true;
      });
    },
  };
};

const isNodeOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
