/** A row in an answer: what is made for it hangs on its key alone, and its key is what the service calls it, whatever the schema says. */
import type { Json } from '../../../kit/hash.js';
import { placeOf, within } from './draw.js';
import type { Mark, Scope, Shape } from './scope.js';

export const dig = (value: Json | undefined, path: readonly string[]): Json | undefined => {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return undefined;
    at = Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
};

/** A key in the type that the schema shows it in, with its text unchanged. */
const sameKey = (key: Json, shown: Json | undefined): Json => {
  if (typeof shown === 'number' && typeof key === 'string' && String(Number(key)) === key) return Number(key);
  if (typeof shown === 'string' && typeof key === 'number') return String(key);
  return key;
};

export const rowShape = (shape: Shape, mark: Mark): Shape => {
  const path = mark.key ?? [];
  const parent = path.slice(0, -1);
  const last = path.at(-1);
  const enter = (value: Json | undefined, scope: Scope): { key: Json | undefined; place: number } => {
    const shown = last === undefined ? undefined : dig(value, path);
    const key = shown ?? scope.key;
    const text =
      key === undefined ? JSON.stringify(value ?? null) : typeof key === 'object' ? JSON.stringify(key) : String(key);
    return { key: shown ?? undefined, place: within(scope.seed, placeOf(text)) };
  };
  return {
    flat: shape.flat,
    get nullable() {
      return shape.nullable;
    },
    accepts: shape.accepts,
    fit: (value, _place, scope) => {
      const { key, place } = enter(value, scope);
      const outer = scope.own;
      scope.own = scope.pathOf(key ?? scope.key);
      const out = shape.fit(value, place, scope);
      scope.own = outer;
      const holder = key === undefined ? undefined : dig(out, parent);
      if (
        last !== undefined &&
        key !== undefined &&
        typeof holder === 'object' &&
        holder !== null &&
        !Array.isArray(holder)
      ) {
        const held = holder[last];
        if (held !== key && held !== undefined) holder[last] = sameKey(key, held);
      }
      return out;
    },
  };
};
