/** `oneOf` and `anyOf`: the branch that a value fits best, and for a value that is missing the first that can be made. */
import type { Json } from '../../../kit/hash.js';
import type { Choice, Flat } from './flat.js';
import { kindsOf } from './kinds.js';
import { DEEP, type Mark, type Scope, type Shape, type Shapes } from './scope.js';
import { type Score, scoreOf } from './score.js';

const MOST_TRIED = 12;
const MOST_NESTED = 6;
/** Choices made on the way to this one; beyond it the best is taken as it is. */
const MOST_SEARCHED = 1;

interface Branch {
  shape: Shape;
  score: Score;
  /** What its tag property says, where the document maps it. */
  tag: string | undefined;
}

const refName = (branch: unknown): string | undefined => {
  const ref = typeof branch === 'object' && branch !== null ? (branch as { $ref?: unknown }).$ref : undefined;
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : undefined;
};

const branchesOf = (choice: Choice, base: Flat, shapes: Shapes): Branch[] => {
  const all = choice.branches.map((branch) => {
    const name = refName(branch);
    const tag = choice.tag && name ? (choice.tag.mapping.get(name) ?? name) : undefined;
    const shape = shapes.of(branch, '');
    return { shape, score: scoreOf(shape.flat, shapes), tag };
  });
  const possible = all.filter(({ shape }) => !shapes.flats.both(base, shape.flat).never);
  return possible.length > 0 ? possible : all;
};

/** Places of the branches, best first. */
const ranked = (branches: readonly Branch[], choice: Choice, value: Json): number[] => {
  const property = choice.tag?.property;
  const tag =
    property !== undefined && typeof value === 'object' && value !== null && !Array.isArray(value)
      ? value[property]
      : undefined;
  const scores = branches.map((branch) => (tag !== undefined && branch.tag === tag ? 1_000 : branch.score(value)));
  const places = branches.map((_, at) => at);
  return places.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
};

/** Places of the branches in the order in which they are tried for a missing value: deep down, what ends soonest. */
const preferred = (branches: readonly Branch[], deep: boolean): number[] => {
  const weight = ({ shape }: Branch): number => {
    const kinds = kindsOf(shape.flat);
    if (shape.flat.types?.size === 1 && shape.flat.types.has('null')) return deep ? -1 : 9;
    return deep && (kinds.includes('object') || kinds.length === 0) ? 2 : deep && kinds.includes('array') ? 1 : 0;
  };
  return branches
    .map((branch, at) => ({ at, w: weight(branch) }))
    .sort((a, b) => a.w - b.w || a.at - b.at)
    .map(({ at }) => at);
};

export const choiceShape = (flat: Flat, name: string, shapes: Shapes, mark: Mark | undefined, nest: number): Shape => {
  const base: Flat = { ...flat, choices: [] };
  const whole = shapes.ofFlat(base, name);
  if (nest > MOST_NESTED) return whole;
  let branches: Branch[][] | undefined;
  const listed = (): Branch[][] => {
    branches ??= flat.choices.map((choice) => branchesOf(choice, base, shapes));
    return branches;
  };
  const variants = new Map<string, Shape>();
  const variantOf = (picks: readonly number[]): Shape => {
    const key = picks.join();
    const known = variants.get(key);
    if (known) return known;
    const merged = listed().reduce((sum, options, at) => {
      const branch = options[picks[at] ?? 0];
      return branch ? shapes.flats.both(sum, branch.shape.flat) : sum;
    }, base);
    const made = shapes.ofFlat(merged, name, mark, nest + 1);
    variants.set(key, made);
    return made;
  };
  const entered: Json[] = [];
  const accepts = (value: Json): boolean => {
    // A choice that is its own branch asks itself for ever.
    if (entered.includes(value)) return false;
    entered.push(value);
    const fits =
      whole.accepts(value) &&
      flat.choices.every((choice, at) => {
        const fitting = (listed()[at] as Branch[]).filter(({ shape }) => shape.accepts(value)).length;
        return choice.exactly ? fitting === 1 : fitting > 0;
      });
    entered.pop();
    return fits;
  };
  let takesNull: boolean | undefined;
  const nullable = (): boolean => {
    if (takesNull !== undefined) return takesNull;
    takesNull = flat.nullable;
    if (!takesNull && flat.types === undefined)
      takesNull = listed().every((options) => options.some(({ shape }) => shape.nullable));
    return takesNull;
  };

  /** The tag of the branch, where the value has another or none. */
  const tagged = (value: Json, picks: readonly number[]): Json => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    let out = value;
    flat.choices.forEach((choice, at) => {
      const tag = (listed()[at] as Branch[])[picks[at] ?? 0]?.tag;
      const property = choice.tag?.property;
      if (tag === undefined || property === undefined || out[property] === tag) return;
      const { listed: words } = shapes.flats.of(variantOf(picks).flat.properties.get(property));
      if (words === undefined || words.includes(tag)) out = { ...out, [property]: tag };
    });
    return out;
  };

  const exactly = flat.choices.some((choice) => choice.exactly);
  const attempt = (
    value: Json | undefined,
    orders: readonly (readonly number[])[],
    place: number,
    scope: Scope,
  ): Json => {
    const first = orders.map((order) => order[0] ?? 0);
    const picked = (at: number, pick: number): number[] => first.map((one, index) => (index === at ? pick : one));
    const whole = tagged(variantOf(first).fit(value, place, scope), first);
    if (nest > MOST_SEARCHED || scope.left <= 0 || (value !== undefined && !exactly) || accepts(whole)) return whole;
    const { full } = scope;
    for (const everything of full ? [true] : [false, true]) {
      for (const [at, order] of orders.entries()) {
        for (const pick of order.slice(everything ? 0 : 1, MOST_TRIED)) {
          const picks = picked(at, pick);
          scope.full = everything;
          scope.left -= 50;
          const other = tagged(variantOf(picks).fit(value, place, scope), picks);
          scope.full = full;
          if (accepts(other)) return other;
        }
      }
    }
    return whole;
  };

  return {
    flat,
    get nullable() {
      return nullable();
    },
    accepts,
    fit: (value, place, scope) => {
      const orders = listed().map((options, at) =>
        value === undefined
          ? preferred(options, scope.depth > DEEP)
          : ranked(options, flat.choices[at] as Choice, value),
      );
      return attempt(value, orders, place, scope);
    },
  };
};
