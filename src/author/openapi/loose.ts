/**
 * `channel: {items: {anyOf: [...]}}`, without a type: such a schema says nothing of what is no list, and documents mean one of the
 * alternatives by it. So it is read where one thing is named: under a singular name, and as the item of a list.
 */
import { isNode, type Node } from '../../document/node.js';
import type { Refs } from '../../document/refs.js';
import { singular } from '../../kit/words.js';

export interface Loose {
  /** The schema that stands for the thing itself; the schema as it is where it says what it is, or its name is a plural. */
  meant(schema: unknown, name?: string): unknown;
  /** Component name of what a meant schema was made of. */
  nameOf(node: Node): string | undefined;
}

const alternativesOf = (node: Node): unknown[] | undefined => {
  if (node.items === undefined || node.type !== undefined || node.properties !== undefined) return undefined;
  if (Array.isArray(node.items)) return node.items.length > 0 ? node.items : undefined;
  if (!isNode(node.items)) return undefined;
  const { anyOf, oneOf } = node.items;
  return Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
};

export const looseOf = (refs: Refs): Loose => {
  const made = new WeakMap<Node, Node>();
  const names = new WeakMap<Node, string>();
  return {
    nameOf: (node) => names.get(node),
    meant: (schema, name) => {
      if (!isNode(schema)) return schema;
      const own = typeof schema.$ref === 'string' ? refs.resolve(schema) : { node: schema, name: undefined };
      const alternatives = alternativesOf(own.node);
      if (alternatives === undefined || (name !== undefined && singular(name) !== name)) return schema;
      const known = made.get(own.node) ?? { anyOf: alternatives };
      made.set(own.node, known);
      if (own.name !== undefined) names.set(known, own.name);
      return known;
    },
  };
};
