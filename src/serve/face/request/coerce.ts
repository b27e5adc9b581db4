/** Text, and trees of text, to the values that a schema means. What fits no form stays text: the check then says what is wrong. */
import type { Refs } from '../../../document/refs.js';
import type { Json } from '../../../kit/hash.js';
import { parseJson } from './json.js';
import { type Inner, isInner, itemsOf, type Tree } from './tree.js';
import { type Forms, isOpen, itemForms, propertyForms, takes, typesOf } from './view.js';

const INTEGER = /^[+-]?\d{1,400}$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Integers beyond 2^53 stay text: a number would be another one. */
const numberOf = (text: string, whole: boolean): number | undefined => {
  if (text.length > 400 || !(whole ? INTEGER : NUMBER).test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) return undefined;
  return value;
};

const asType = (text: string, type: string): { value: Json } | undefined => {
  switch (type) {
    case 'string':
    case 'file':
      return { value: text };
    case 'boolean':
      return /^(true|false)$/i.test(text) ? { value: text.toLowerCase() === 'true' } : undefined;
    case 'null':
      return text === '' || text === 'null' ? { value: null } : undefined;
    case 'integer':
    case 'number': {
      const value = numberOf(text, type === 'integer');
      return value === undefined ? undefined : { value };
    }
    default:
      return undefined;
  }
};

/** The first form, in the document's order, that can be written so. */
export const coerceText = (text: string, forms: Forms): Json => {
  for (const form of forms) {
    const given = Array.isArray(form.enum) ? form.enum : form.const === undefined ? undefined : [form.const];
    if (given) {
      const same = given.find((value) => typeof value !== 'object' && String(value) === text);
      if (same !== undefined) return same as Json;
      if (!typesOf(form).includes('null') && !given.includes(null)) continue;
      if (text === '' || text === 'null') return null;
      continue;
    }
    for (const type of typesOf(form)) {
      const read = asType(text, type);
      if (read) return read.value;
    }
  }
  return text;
};

const isWanted = (forms: Forms, type: 'object' | 'array'): boolean => takes(forms, type);

/** A nested value written as JSON inside a form, as Slack has it. */
const nestedJson = (text: string, forms: Forms): { value: Json } | undefined => {
  const kind = /^\s*\{/.test(text) ? 'object' : /^\s*\[/.test(text) ? 'array' : undefined;
  if (kind === undefined || !isWanted(forms, kind)) return undefined;
  const read = parseJson(text);
  return 'value' in read ? read : undefined;
};

const coerceLeaf = (text: string, forms: Forms, refs: Refs): Json => {
  const json = nestedJson(text, forms);
  if (json) return json.value;
  const value = coerceText(text, forms);
  const isMeant = !(typeof value === 'string') || isOpen(forms) || takes(forms, 'string');
  // One value where a list is wanted is a list of one; nothing is none.
  if (isMeant || !takes(forms, 'array')) return value;
  return text === '' ? [] : [coerceText(text, itemForms(forms, refs))];
};

const objectOf = (tree: Inner, forms: Forms, refs: Refs): Json => {
  const entries: [string, Json][] = [...tree.named].map(([name, child]) => [
    name,
    coerce(child, propertyForms(forms, name, refs), refs),
  ]);
  return Object.fromEntries(entries);
};

export const coerce = (tree: Tree, forms: Forms, refs: Refs): Json => {
  if (typeof tree === 'string') return coerceLeaf(tree, forms, refs);
  if (!isInner(tree)) return tree.file;
  const items = itemsOf(tree);
  const wantsList = takes(forms, 'array');
  const wantsObject = takes(forms, 'object');
  if (items && (wantsList || (!wantsObject && items.length > 0))) {
    // A name sent twice where one value is wanted: the last counts.
    const last = items.at(-1);
    if (!wantsList && !isOpen(forms) && tree.named.size === 0 && last !== undefined) return coerce(last, forms, refs);
    const each = itemForms(forms, refs);
    return items.map((item) => coerce(item, each, refs));
  }
  return objectOf(tree, forms, refs);
};
