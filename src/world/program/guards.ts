/**
 * Null safety of expressions: what may be null or absent must be compared or guarded before it is used, so that no call
 * fails on a null at run time. Facts are paths known to be there: `row.due`, `p` (a row), `has:args.note`.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { boundBy, children, hasArgument, pathOf } from './ast.js';

export interface Nullness {
  /** The value at the path may be null. */
  mayBeNull(path: string): boolean;
  /** The argument at `args.x` may be absent. */
  mayBeAbsent(path: string): boolean;
}
type Facts = ReadonlySet<string>;
const NONE: Facts = new Set();
const union = (a: Facts, b: Facts): Facts => (a.size === 0 ? b : b.size === 0 ? a : new Set([...a, ...b]));
const both = (a: Facts, b: Facts): Facts => new Set([...a].filter((fact) => b.has(fact)));
const isNull = (node: ASTNode): boolean => node.op === 'value' && node.args === null;

/** Facts of a comparison when it says "equal": a path equal to something that is no null is there. */
const compared = (node: ASTNode, equal: boolean): Facts => {
  if (node.op !== '==' && node.op !== '!=') return NONE;
  const [a, b] = node.args;
  const means = (node.op === '==') === equal;
  const [side, other] = isNull(a) ? [b, a] : [a, b];
  const path = pathOf(side);
  if (path === undefined) return NONE;
  if (isNull(other)) return means ? NONE : new Set([path]);
  return means && other.op === 'value' ? new Set([path]) : NONE;
};

/** What is known when the expression is true. */
export const whenTrue = (node: ASTNode): Facts => {
  if (node.op === '&&') return union(whenTrue(node.args[0]), whenTrue(node.args[1]));
  if (node.op === '||') return both(whenTrue(node.args[0]), whenTrue(node.args[1]));
  if (node.op === '!_') return whenFalse(node.args);
  const inside = hasArgument(node);
  if (inside) return new Set([`has:${pathOf(inside)}`]);
  return compared(node, true);
};
/** What is known when it is false. */
export const whenFalse = (node: ASTNode): Facts => {
  if (node.op === '||') return union(whenFalse(node.args[0]), whenFalse(node.args[1]));
  if (node.op === '&&') return both(whenFalse(node.args[0]), whenFalse(node.args[1]));
  if (node.op === '!_') return whenTrue(node.args);
  return compared(node, false);
};

/** Whether the whole may come out null. */
export const resultMayBeNull = (node: ASTNode, facts: Facts, names: Nullness): boolean => {
  if (isNull(node)) return true;
  if (node.op === '?:') {
    const [test, yes, no] = node.args;
    return (
      resultMayBeNull(yes, union(facts, whenTrue(test)), names) ||
      resultMayBeNull(no, union(facts, whenFalse(test)), names)
    );
  }
  if (node.op === 'call' && node.args[0] === 'dyn')
    return node.args[1].some((arg) => resultMayBeNull(arg, facts, names));
  const path = pathOf(node);
  return path !== undefined && names.mayBeNull(path) && !facts.has(path);
};

/** The first unguarded use, as a sentence; undefined when there is none. */
export const unguarded = (root: ASTNode, known: Facts, names: Nullness): string | undefined => {
  /** `used`: the value itself is worked with, so that a null would fail. */
  const visit = (node: ASTNode, facts: Facts, used: boolean): string | undefined => {
    const path = pathOf(node);
    if (path !== undefined) return missing(path, facts, used);
    if (hasArgument(node)) return undefined;
    const binding = boundBy(node);
    if (binding) return visit(binding.over, facts, binding.loops) ?? first(binding.body, facts, false);
    switch (node.op) {
      case '&&':
        return visit(node.args[0], facts, true) ?? visit(node.args[1], union(facts, whenTrue(node.args[0])), true);
      case '||':
        return visit(node.args[0], facts, true) ?? visit(node.args[1], union(facts, whenFalse(node.args[0])), true);
      case '?:': {
        const [test, yes, no] = node.args;
        return (
          visit(test, facts, true) ??
          visit(yes, union(facts, whenTrue(test)), used) ??
          visit(no, union(facts, whenFalse(test)), used)
        );
      }
      case '==':
      case '!=':
      case 'list':
      case 'map':
        return first(children(node), facts, false);
      case 'in':
        return visit(node.args[0], facts, false) ?? visit(node.args[1], facts, true);
      case 'call':
        return first(node.args[1], facts, node.args[0] !== 'dyn' && node.args[0] !== 'type');
      default:
        return first(children(node), facts, true);
    }
  };
  const first = (nodes: readonly ASTNode[], facts: Facts, used: boolean): string | undefined => {
    for (const node of nodes) {
      const reason = visit(node, facts, used);
      if (reason) return reason;
    }
    return undefined;
  };
  const missing = (path: string, facts: Facts, used: boolean): string | undefined => {
    const [root = '', field] = path.split('.');
    if (names.mayBeAbsent(path) && !facts.has(`has:${path}`))
      return `${path} may be absent; guard it with has(${path})`;
    if (field !== undefined && names.mayBeNull(root) && !facts.has(root))
      return `${root} may be no row; guard it with ${root} != null`;
    if (used && names.mayBeNull(path) && !facts.has(path)) return `${path} may be null; guard it with ${path} != null`;
    return undefined;
  };
  return visit(root, known, false);
};
