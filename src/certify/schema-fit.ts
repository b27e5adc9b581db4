/** Whether an answer fits its output schema, with every keyword of the schema accounted for. */
import { TreadleError } from '../errors.js';
import type { Json } from '../kit/hash.js';
import { faultIn, KEYWORDS, type Schema } from '../world/surface/fault.js';

/** They say something to a reader and nothing about the value. */
const SILENT = new Set(['description', 'title', 'default', 'examples', 'format', 'deprecated', '$schema']);
const CHECKED = new Set<string>(KEYWORDS);
const known = new WeakSet<Schema>();

/** Every keyword is checked or silent, all the way down, so that none is ever passed over. Throws `unknown_keyword`. */
const accountFor = (schema: Schema): void => {
  if (known.has(schema)) return;
  const stray = Object.keys(schema).find((keyword) => !CHECKED.has(keyword) && !SILENT.has(keyword));
  if (stray !== undefined)
    throw new TreadleError({
      code: 'unknown_keyword',
      message: 'A schema holds a keyword that certification cannot check',
      value: stray,
      next: 'Teach it to src/world/surface/fault.ts, or leave it out of the schema.',
      fault: 'world',
    });
  known.add(schema);
  const { items, properties, additionalProperties } = schema;
  const inner = [items, additionalProperties, ...Object.values((properties ?? {}) as Schema)];
  for (const one of inner) if (typeof one === 'object' && one !== null) accountFor(one as Schema);
};

/** What does not fit, with its place (`data.3.total`); undefined when all does. Throws `unknown_keyword`. */
export const misfit = (schema: Schema, value: Json): string | undefined => {
  accountFor(schema);
  const fault = faultIn(schema, value);
  if (!fault) return undefined;
  const place = fault.path.join('.') || 'the answer';
  const is = JSON.stringify(fault.data)?.slice(0, 60) ?? 'nothing';
  return `${place} breaks ${fault.keyword} ${JSON.stringify(fault.wanted).slice(0, 80)}: ${is}`;
};
