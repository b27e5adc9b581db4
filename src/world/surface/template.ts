/** Templates of answers and errors: JSON in which `$words` are replaced (see artifacts/surface.ts). */
import type { Json } from '../../kit/hash.js';

export const PLACEHOLDERS = [
  'fields',
  'key',
  'noun',
  'nouns',
  'row',
  'rows',
  'more',
  'total',
  'cursor',
  'page',
  'pages',
  'size',
  'offset',
  'shown',
  'code',
  'message',
  'status',
  'field',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];
export type Fillings = { [name in Placeholder]?: Json | undefined };
export type Fill = (fillings: Fillings) => Json | undefined;

const WORD = new RegExp(`\\$(${[...PLACEHOLDERS].sort((a, b) => b.length - a.length).join('|')})(?![A-Za-z_])`, 'g');

/** Placeholders that a template mentions. */
export const placeholdersIn = (template: unknown): Set<Placeholder> =>
  typeof template === 'string' && !template.includes('$') ? new Set() : placeholdersOf(template);

const placeholdersOf = (template: unknown): Set<Placeholder> =>
  new Set([...(JSON.stringify(template) ?? '').matchAll(WORD)].map((found) => found[1] as Placeholder));

const textFill = (text: string): Fill => {
  if (!text.includes('$')) return () => text;
  const found = [...text.matchAll(WORD)];
  if (found.length === 0) return () => text;
  const [first] = found as [RegExpMatchArray];
  if (first[0] === text) {
    const name = first[1] as Placeholder;
    return (fillings) => fillings[name];
  }
  const names = found.map((match) => match[1] as Placeholder);
  return (fillings) =>
    names.some((name) => fillings[name] === undefined)
      ? undefined
      : text.replaceAll(WORD, (_, name: Placeholder) => String(fillings[name]));
};

const objectFill = (template: { [key: string]: Json }): Fill => {
  const parts = Object.entries(template).map(([key, value]) => ({
    key: key.includes('$') ? textFill(key) : key,
    spread: key === '$fields',
    value: compileTemplate(value),
  }));
  return (fillings) => {
    const out: { [key: string]: Json } = {};
    let kept = parts.length === 0;
    for (const part of parts) {
      if (part.spread) {
        Object.assign(out, fillings.fields);
        kept = true;
        continue;
      }
      const key = typeof part.key === 'string' ? part.key : part.key(fillings);
      const value = part.value(fillings);
      if (key === undefined || value === undefined) continue;
      out[String(key)] = value;
      kept = true;
    }
    return kept ? out : undefined;
  };
};

/**
 * Compiles a template. A key whose placeholder has no value is left out, and so is an object that lost all its keys; the key
 * `$fields` spreads the row's fields in place.
 */
export const compileTemplate = (template: Json): Fill => {
  if (typeof template === 'string') return textFill(template);
  if (Array.isArray(template)) {
    const items = template.map(compileTemplate);
    return (fillings) => items.map((item) => item(fillings)).filter((item) => item !== undefined);
  }
  if (typeof template === 'object' && template !== null) return objectFill(template);
  return () => template;
};
