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

export const styled = (naming: Naming, name: string): string => STYLES[naming](name);

/** Where a value stands on the surface: its dotted `field`, or its name in the surface's style. */
export const surfacePath = (naming: Naming, name: string, field: string | undefined): string[] =>
  field === undefined ? [styled(naming, name)] : field.split('.');
