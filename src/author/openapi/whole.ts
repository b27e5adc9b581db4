/** Properties that must be kept as one JSON value: what bodies write there and what answers show are not the same leaves. */
import { type FieldContext, MAX_INNER } from './fields.js';
import type { Resource } from './resources.js';
import type { View } from './schema.js';
import { isArray, isObject } from './unwrap.js';

const MAX_DEPTH = 3;

/** `anyOf: [{...}, {enum: ['']}]`: an object, or the empty text that unsets it. */
export const isOnlyUnset = (view: View): boolean =>
  isObject(view) && view.types.has('string') && view.enum?.every((value) => value === '') === true;

const isScalarToo = (view: View): boolean =>
  (view.types.has('string') && !isOnlyUnset(view)) || view.types.has('integer') || view.types.has('number');

const kindOf = (view: View): 'list' | 'object' | 'plain' =>
  isArray(view) ? 'list' : isObject(view) && !isScalarToo(view) ? 'object' : 'plain';

/** Dotted property names, from the row, of objects that are not taken apart. */
export const keptWhole = ({ views, sightings }: Resource, context: FieldContext): Set<string> => {
  const { schemas } = context;
  const out = new Set<string>();
  const shownAt = (inside: readonly View[], name: string): View[] =>
    inside.flatMap((view) => (view.properties.has(name) ? [schemas.view(view.properties.get(name))] : []));
  const isRow = (view: View): boolean => {
    const name = view.objectName ?? view.name;
    return name !== undefined && context.entityKey(name) !== undefined;
  };
  const walk = (body: View, shown: readonly View[], path: readonly string[]): void => {
    for (const [name, raw] of body.properties) {
      const here = [...path, name];
      const written = schemas.view(raw);
      const others = shownAt(shown, name);
      if (others.some(isRow) || kindOf(written) !== 'object') continue;
      const inner = others.filter((other) => kindOf(other) === 'object');
      const isOpen = others.length > 0 && inner.length === 0;
      const isWide = [written, ...inner].some((view) => view.properties.size > MAX_INNER);
      const names = [...written.properties.keys()];
      const fits = (view: View): boolean =>
        names.every((each) => {
          const there = view.properties.get(each);
          return (
            there !== undefined && kindOf(schemas.view(there)) === kindOf(schemas.view(written.properties.get(each)))
          );
        });
      if (isOpen || isWide || (inner.length > 0 && !inner.some(fits))) out.add(here.join('.'));
      else if (here.length < MAX_DEPTH) walk(written, inner, here);
    }
  };
  for (const { body } of sightings) if (body) walk(body.item, views, []);
  return out;
};
