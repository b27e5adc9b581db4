/** Where a tool reaches beyond its call: globals, prototypes, and variables of its module that calls change. */
import type { AnyNode, Node, Program } from 'acorn';
import { isFunction, REALM, type Use, writtenNodes } from './names.js';
import { ancestor, full } from './parser.js';

export interface SideEffect {
  line: number;
  why: string;
}

/** Functions of Object and Reflect that change their first argument. */
const CHANGERS = new Set(['assign', 'defineProperty', 'defineProperties', 'setPrototypeOf', 'set', 'deleteProperty']);
/** Methods that change what they are called on. */
const MUTATORS = new Set(
  'push pop shift unshift splice sort reverse fill copyWithin set add delete clear __defineGetter__ __defineSetter__'.split(
    ' ',
  ),
);

const propertyOf = (node: AnyNode): string | undefined => {
  if (node.type !== 'MemberExpression') return undefined;
  const { property } = node;
  if (!node.computed) return property.type === 'Identifier' ? property.name : undefined;
  return property.type === 'Literal' ? String(property.value) : undefined;
};

const isPrototype = (node: AnyNode): boolean => ['prototype', '__proto__'].includes(propertyOf(node) ?? '');

interface Changed {
  node: AnyNode;
  /** The object that changes. */
  object: AnyNode;
  isCall: boolean;
}

/** What assignments, deletions and calls change inside. */
const changedObjects = (program: Program): Changed[] => {
  const changed: Changed[] = [];
  for (const node of writtenNodes(program))
    if (node.type === 'MemberExpression') changed.push({ node, object: node.object, isCall: false });
  full(program, (each) => {
    const node = each as AnyNode;
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
    const method = propertyOf(node.callee) ?? '';
    const { object } = node.callee;
    if (MUTATORS.has(method)) changed.push({ node, object, isCall: true });
    const [first] = node.arguments;
    const isChanger = object.type === 'Identifier' && (object.name === 'Object' || object.name === 'Reflect');
    if (isChanger && CHANGERS.has(method) && first) changed.push({ node, object: first, isCall: false });
  });
  return changed;
};

/** The object at the bottom of `a.b[c].d`, and whether a prototype lies on the way. */
const bottomOf = (object: AnyNode): { bottom: AnyNode; prototype: boolean } => {
  let prototype = false;
  let bottom = object;
  for (; bottom.type === 'MemberExpression'; bottom = bottom.object) prototype ||= isPrototype(bottom);
  const found = bottom.type === 'CallExpression' ? propertyOf(bottom.callee) : undefined;
  return { bottom, prototype: prototype || found === 'getPrototypeOf' };
};

/** `this` where no method or class says what it is: the global object, when it is not strict. */
const strayThis = (above: readonly AnyNode[]): boolean => {
  const at = above.slice(0, -1).findLastIndex((each) => isFunction(each) && each.type !== 'ArrowFunctionExpression');
  const holder = above[at - 1]?.type ?? '';
  const isMethod = at >= 0 && ['MethodDefinition', 'Property'].includes(holder);
  const inClass = above.some(({ type }) => type === 'PropertyDefinition' || type === 'StaticBlock');
  return !isMethod && !inClass && above.at(-2)?.type === 'MemberExpression';
};

/** Everything found, by line; empty for a tool whose calls cannot meet. */
export const sideEffects = (program: Program, uses: readonly Use[]): SideEffect[] => {
  const found = new Map<string, SideEffect>();
  const note = (node: Node, why: string): void => {
    const line = node.loc?.start.line ?? 1;
    found.set(`${line} ${why}`, { line, why });
  };
  const known = new Map<AnyNode, Use>(uses.map((use) => [use.node, use]));
  const isLater = (use: Use): boolean => use.home === 'shared' && use.above.some(isFunction);
  for (const use of uses) {
    const { name, node, above, isWrite, home } = use;
    const member = above.at(-2);
    const isMember = member?.type === 'MemberExpression' && member.object === node;
    if (isWrite && home === 'free')
      note(node, REALM.has(name) ? `replaces ${name}` : `makes a global of ${name}, which nothing declares`);
    if (isWrite && isLater(use)) note(node, `changes ${name}, which all calls would share`);
    if (home !== 'free') continue;
    if (name === 'globalThis' && !isMember) note(node, 'hands globalThis on');
    // `Array.prototype.slice.call(x)` is fine; a prototype that is kept or handed on may be changed.
    const next = above.at(-3);
    const reads = next?.type === 'MemberExpression' && next.object === member;
    if (isMember && isPrototype(member) && !reads) note(node, `hands ${name}.prototype on`);
  }
  for (const { node, object, isCall } of changedObjects(program)) {
    const { bottom, prototype } = bottomOf(object);
    const use = known.get(bottom);
    if (prototype) note(node, 'changes a prototype');
    else if (use?.home === 'free' && !isCall) note(node, `changes ${use.name}`);
    else if (use && isLater(use)) note(node, `changes ${use.name}, which all calls would share`);
  }
  ancestor(program, {
    ThisExpression: (node, _, above) => {
      if (strayThis(above)) note(node, 'speaks of this outside a method');
    },
  });
  return [...found.values()].sort((a, b) => a.line - b.line);
};
