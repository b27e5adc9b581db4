/** Names that a tool's source declares and uses: which are its own, which come from the realm, which from nowhere. */
import type { AnyNode, Function as FunctionNode, Identifier, Pattern, Program } from 'acorn';
import { ancestor, full } from './parser.js';

/** What a realm holds beside the language's syntax (prelude.ts takes the rest away). */
export const REALM = new Set(
  `Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError Array Object Iterator parseInt
  parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape Infinity NaN undefined
  Number Boolean String Math Reflect Symbol globalThis BigInt Date RegExp JSON Proxy Map Set WeakMap WeakSet ArrayBuffer
  Uint8ClampedArray Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float16Array
  Float32Array Float64Array DataView`.split(/\s+/),
);

export interface Use {
  name: string;
  node: Identifier;
  /** Outermost first, the identifier last. */
  above: readonly AnyNode[];
  /** Assigned to, counted up or down, or deleted. */
  isWrite: boolean;
  /** `own` to a function, `shared` by the functions of the module, or `free`: declared nowhere. */
  home: 'own' | 'shared' | 'free';
}

/** Leaves of a pattern: names that it binds, or members that it assigns to. */
const leaves = (pattern: Pattern): AnyNode[] => {
  switch (pattern.type) {
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => leaves(one.type === 'RestElement' ? one.argument : one.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap((one) => (one ? leaves(one) : []));
    case 'RestElement':
      return leaves(pattern.argument);
    case 'AssignmentPattern':
      return leaves(pattern.left);
    default:
      return [pattern];
  }
};

const bound = (pattern: Pattern): string[] =>
  leaves(pattern).flatMap((leaf) => (leaf.type === 'Identifier' ? [leaf.name] : []));

export const isFunction = (node: AnyNode | null | undefined): node is Extract<AnyNode, FunctionNode> =>
  node?.type === 'FunctionDeclaration' ||
  node?.type === 'FunctionExpression' ||
  node?.type === 'ArrowFunctionExpression';

/** Names by the function, or the program, they are seen in: a block's names count for all of it, nothing here need be finer. */
const scopesOf = (program: Program): ReadonlyMap<AnyNode, ReadonlySet<string>> => {
  const scopes = new Map<AnyNode, Set<string>>();
  const declare = (at: AnyNode, names: readonly string[]): void => {
    const known = scopes.get(at) ?? new Set<string>();
    scopes.set(at, known);
    for (const name of names) known.add(name);
  };
  const home = (above: readonly AnyNode[]): AnyNode => above.slice(0, -1).findLast(isFunction) ?? program;
  const named = (node: { id?: Identifier | null }, _: unknown, above: AnyNode[]): void => {
    if (node.id) declare(home(above), [node.id.name]);
  };
  ancestor(program, {
    VariableDeclaration: (node, _, above) =>
      declare(
        home(above),
        node.declarations.flatMap(({ id }) => bound(id)),
      ),
    CatchClause: (node, _, above) => declare(home(above), node.param ? bound(node.param) : []),
    Class: named,
    Function: (node, state, above) => {
      named(node, state, above);
      declare(node as AnyNode, [...node.params.flatMap(bound), 'arguments']);
    },
  });
  return scopes;
};

/** Nodes that are assigned to, counted, or deleted: identifiers and members. */
export const writtenNodes = (program: Program): ReadonlySet<AnyNode> => {
  const written = new Set<AnyNode>();
  full(program, (each) => {
    const node = each as AnyNode;
    if (node.type === 'AssignmentExpression') for (const leaf of leaves(node.left)) written.add(leaf);
    else if (node.type === 'UpdateExpression') written.add(node.argument);
    else if (node.type === 'UnaryExpression' && node.operator === 'delete') written.add(node.argument);
    else if (node.type === 'ForInStatement' || node.type === 'ForOfStatement')
      if (node.left.type !== 'VariableDeclaration') for (const leaf of leaves(node.left)) written.add(leaf);
  });
  return written;
};

/** Every identifier that stands for a value, declarations included. */
export const usesOf = (program: Program): Use[] => {
  const scopes = scopesOf(program);
  const written = writtenNodes(program);
  const uses: Use[] = [];
  const note = (node: Identifier, _: unknown, above: AnyNode[]): void => {
    const { name } = node;
    const isOwn = above.some((each) => each !== program && scopes.get(each)?.has(name));
    const home = isOwn ? 'own' : scopes.get(program)?.has(name) ? 'shared' : 'free';
    uses.push({ name, node, above: [...above], isWrite: written.has(node), home });
  };
  ancestor(program, { Identifier: note, VariablePattern: note } as never);
  return uses;
};
