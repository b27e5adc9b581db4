/** What a schema lets a value be, for reading text as it: its forms, flattened through references and choices. */
import { isNode, type Node } from '../../../document/node.js';
import type { Refs } from '../../../document/refs.js';

/** Schemas without choices, in the document's order; all that hold together (allOf) stand among them too. */
export type Forms = readonly Node[];

const MOST = 400;

const collect = (schema: unknown, refs: Refs, seen: Set<Node>, out: Node[]): void => {
  const { node } = refs.resolve(schema);
  if (seen.has(node) || seen.size >= MOST) return;
  seen.add(node);
  const choices = [node.allOf, node.anyOf, node.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (choices.length === 0 || node.type !== undefined || isNode(node.properties)) out.push(node);
  for (const choice of choices) collect(choice, refs, seen, out);
  if ((node.nullable === true || (isNode(schema) && schema.nullable === true)) && choices.length > 0)
    out.push({ type: 'null' });
};

const kept = new WeakMap<Node, Forms>();

export const formsOf = (schema: Node | undefined, refs: Refs): Forms => {
  if (schema === undefined) return [];
  const known = kept.get(schema);
  if (known) return known;
  const out: Node[] = [];
  collect(schema, refs, new Set(), out);
  kept.set(schema, out);
  return out;
};

const typesSaid = (form: Node): readonly string[] => {
  const said = (Array.isArray(form.type) ? form.type : [form.type]).filter((type) => typeof type === 'string');
  const nulls = form.nullable === true ? ['null'] : [];
  if (said.length > 0) return [...said, ...nulls];
  if (isNode(form.properties) || isNode(form.additionalProperties)) return ['object', ...nulls];
  if (form.items !== undefined || form.prefixItems !== undefined) return ['array', ...nulls];
  return [];
};

const keptTypes = new WeakMap<Node, readonly string[]>();

/** Types that a form names or, saying none, means. */
export const typesOf = (form: Node): readonly string[] => {
  const known = keptTypes.get(form);
  if (known) return known;
  const types = typesSaid(form);
  keptTypes.set(form, types);
  return types;
};

export const takes = (forms: Forms, type: string): boolean => {
  for (const form of forms) if (typesOf(form).includes(type)) return true;
  return false;
};

/** Nothing is said about it. */
export const isOpen = (forms: Forms): boolean => forms.every((form) => typesOf(form).length === 0);

/** Forms of the items of its arrays. */
export const itemForms = (forms: Forms, refs: Refs): Forms =>
  forms.flatMap((form) => formsOf(asNode(form.items), refs));

/** Forms of a property: where it is named, else what further properties are. */
export const propertyForms = (forms: Forms, name: string, refs: Refs): Forms => {
  let named: Forms | undefined;
  for (const { properties } of forms) {
    if (!isNode(properties) || !Object.hasOwn(properties, name)) continue;
    const own = formsOf(asNode(properties[name]), refs);
    named = named ? [...named, ...own] : own;
  }
  return named ?? forms.flatMap((form) => formsOf(asNode(form.additionalProperties), refs));
};

/** Names of the properties that its objects have. */
export const propertyNames = (forms: Forms): string[] => [
  ...new Set(forms.flatMap((form) => (isNode(form.properties) ? Object.keys(form.properties) : []))),
];

const asNode = (value: unknown): Node | undefined => (isNode(value) ? value : undefined);
