/** A look into parsed CEL: what an expression reads, and what is refused. */
import type { ASTNode } from '@marcbachmann/cel-js';

/** Comprehensions that bind a variable as their first argument. */
const COMPREHENSIONS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** `row`, `row.status`; undefined for anything longer or computed. */
export const pathOf = (node: ASTNode): string | undefined => {
  if (node.op === 'id') return node.args;
  if (node.op === '.' && node.args[0].op === 'id') return `${node.args[0].args}.${node.args[1]}`;
  return undefined;
};

/** The argument of `has(...)`. */
export const hasArgument = (node: ASTNode): ASTNode | undefined =>
  node.op === 'call' && node.args[0] === 'has' ? node.args[1][0] : undefined;

/** The variable that a macro binds, and over what. */
export const boundBy = (
  node: ASTNode,
): { variable: string; over: ASTNode; body: ASTNode[]; loops: boolean } | undefined => {
  if (node.op !== 'rcall') return undefined;
  const [name, receiver, args] = node.args;
  const [first, ...rest] = args;
  if (first?.op !== 'id') return undefined;
  if (COMPREHENSIONS.has(name) && rest.length > 0)
    return { variable: first.args, over: receiver, body: rest, loops: true };
  if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel' && rest.length === 2)
    return { variable: first.args, over: rest[0] as ASTNode, body: rest.slice(1), loops: false };
  return undefined;
};

/** Direct children of a node. */
export const children = (node: ASTNode): ASTNode[] => {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'list':
      return node.args;
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    default:
      return [...node.args];
  }
};

/** Fields read of each root; `'*'` stands for the whole of it. */
export type Reads = Map<string, Set<string>>;

/** What the expression reads from the scope, variables of its own comprehensions left out. */
export const readsOf = (root: ASTNode): Reads => {
  const reads: Reads = new Map();
  const note = (name: string, field: string): void => {
    reads.set(name, (reads.get(name) ?? new Set()).add(field));
  };
  const visit = (node: ASTNode, own: ReadonlySet<string>): void => {
    if (node.op === 'id') {
      if (!own.has(node.args)) note(node.args, '*');
      return;
    }
    if (node.op === '.' && node.args[0].op === 'id') {
      if (!own.has(node.args[0].args)) note(node.args[0].args, node.args[1]);
      return;
    }
    const binding = boundBy(node);
    if (!binding) {
      for (const child of children(node)) visit(child, own);
      return;
    }
    visit(binding.over, own);
    for (const part of binding.body) visit(part, new Set(own).add(binding.variable));
  };
  visit(root, new Set());
  return reads;
};

/** Why an expression is refused, if it is: its cost must be bounded by the size of its text and one list. */
export const refusedIn = (root: ASTNode): string | undefined => {
  const visit = (node: ASTNode, inLoop: boolean): string | undefined => {
    if (node.op === 'rcall' && node.args[0] === 'matches')
      return 'matches() is not allowed; use startsWith or contains';
    const binding = boundBy(node);
    if (binding?.loops && inLoop) return 'a comprehension inside a comprehension is not allowed';
    for (const child of children(node)) {
      const inner = binding?.loops === true && child !== binding.over;
      const reason = visit(child, inLoop || inner);
      if (reason) return reason;
    }
    return undefined;
  };
  return visit(root, false);
};

/** Replaces `has(row.col)` by `row.col != null` for rows, whose columns are always there but may be null. */
export const withoutRowHas = (text: string, root: ASTNode, isRow: (name: string) => boolean): string => {
  const spans: { start: number; end: number; path: string }[] = [];
  const visit = (node: ASTNode): void => {
    const inside = hasArgument(node);
    const path = inside && pathOf(inside);
    if (path?.includes('.') && isRow(path.split('.')[0] as string))
      spans.push({ start: node.start, end: node.end, path });
    else for (const child of children(node)) visit(child);
  };
  visit(root);
  let out = text;
  for (const { start, end, path } of spans.sort((a, b) => b.start - a.start))
    out = `${out.slice(0, start)}(${path} != null)${out.slice(end)}`;
  return out;
};
