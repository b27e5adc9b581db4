/** Names of columns and arguments as a service's surface writes them. */
import type { Naming } from '../../artifacts/surface.js';
import { camel, kebab, pascal, snake, upperSnake } from '../../kit/words.js';

const STYLES: Record<Naming, (name: string) => string> = {
  snake,
  camel,
  pascal,
  kebab,
  upper: upperSnake,
  asis: (name) => name,
};

const MOST_KEPT = 10_000;
const kept = new Map<string, string>();

/** A name in a naming style. */
export const styled = (naming: Naming, name: string): string => {
  const key = `${naming} ${name}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const made = STYLES[naming](name);
  kept.set(key, made);
  return made;
};

/** Where a value stands on the surface: its dotted `field`, or its name in the surface's style. */
export const surfacePath = (naming: Naming, name: string, field: string | undefined): string[] =>
  field === undefined ? [styled(naming, name)] : field.split('.');

/** A document's property name as it stands on the surface: one that model APIs accept in a schema; dots would nest and are folded. */
export const foldedName = (name: string): string => (name.replace(/[^A-Za-z0-9_-]+/g, '_') || 'value').slice(0, 64);
