/** Trees of patterns as one deterministic automaton: texts that meet all of them, and none of those that must not hold. */
import { PRINTABLE, type Tree } from './parse.js';

/** A part of what a text must meet. */
export interface Part {
  tree: Tree;
  not: boolean;
  /** Whatever comes before, or after, is taken. */
  before?: boolean;
  after?: boolean;
}

export interface Automaton {
  /** Characters that lead from every state to the same one, together. */
  groups: readonly string[];
  /** By state and group; -1 where nothing follows. */
  next: readonly Int32Array[];
  accepts: readonly boolean[];
}

const MOST_NODES = 12_000;
const MOST_STATES = 4_000;

class TooLarge extends Error {}

/** A nondeterministic automaton: edges over sets of characters, and edges that take nothing. */
class Net {
  readonly edges: { chars: string; to: number }[][] = [];
  readonly free: number[][] = [];
  readonly end: number;
  readonly start: number;
  constructor({ tree, before, after }: Part) {
    this.start = this.node();
    const begin = this.node();
    this.link(this.start, begin);
    if (before) this.round(this.start);
    const end = this.add(tree, begin);
    this.end = this.node();
    this.link(end, this.end);
    if (after) this.round(this.end);
  }

  private round(at: number): void {
    (this.edges[at] as { chars: string; to: number }[]).push({ chars: PRINTABLE, to: at });
  }

  private node(): number {
    if (this.free.length > MOST_NODES) throw new TooLarge();
    this.edges.push([]);
    return this.free.push([]) - 1;
  }

  private link(from: number, to: number): void {
    (this.free[from] as number[]).push(to);
  }

  private add(tree: Tree, from: number): number {
    switch (tree.is) {
      case 'nothing':
        return from;
      case 'chars': {
        const to = this.node();
        (this.edges[from] as { chars: string; to: number }[]).push({ chars: tree.chars, to });
        return to;
      }
      case 'all':
        return tree.parts.reduce((at, part) => this.add(part, at), from);
      case 'any': {
        const to = this.node();
        for (const option of tree.options) {
          const begin = this.node();
          this.link(from, begin);
          this.link(this.add(option, begin), to);
        }
        return to;
      }
      default: {
        let at = from;
        for (let n = 0; n < tree.least; n++) at = this.add(tree.of, at);
        if (tree.most === Number.POSITIVE_INFINITY) {
          const round = this.node();
          this.link(at, round);
          this.link(this.add(tree.of, round), round);
          return round;
        }
        const to = this.node();
        this.link(at, to);
        for (let n = tree.least; n < tree.most; n++) {
          const begin = this.node();
          this.link(at, begin);
          at = this.add(tree.of, begin);
          this.link(at, to);
        }
        return to;
      }
    }
  }

  private readonly closures: (readonly number[] | undefined)[] = [];

  /** A node and all that lead on from it for nothing. */
  closure(node: number): readonly number[] {
    const known = this.closures[node];
    if (known) return known;
    const seen = new Set([node]);
    for (const one of seen) for (const to of this.free[one] as number[]) seen.add(to);
    // Nodes that only lead on for nothing need not be kept.
    const kept = [...seen].filter((one) => one === this.end || (this.edges[one] as unknown[]).length > 0);
    this.closures[node] = kept;
    return kept;
  }

  step(nodes: readonly number[], isIn: (chars: string) => boolean): number[] {
    const out = new Set<number>();
    for (const node of nodes)
      for (const { chars, to } of this.edges[node] as { chars: string; to: number }[])
        if (isIn(chars)) for (const one of this.closure(to)) out.add(one);
    return out.size < 2 ? [...out] : [...out].sort((a, b) => a - b);
  }
}

/** Characters that no part tells apart. */
const groupsOf = (nets: readonly Net[]): string[] => {
  const sets = [...new Set(nets.flatMap((net) => net.edges.flatMap((edges) => edges.map(({ chars }) => chars))))];
  const groups = new Map<string, string>();
  for (const char of PRINTABLE) {
    const sign = sets.map((set) => (set.includes(char) ? '1' : '0')).join('');
    groups.set(sign, (groups.get(sign) ?? '') + char);
  }
  return [...groups].filter(([sign]) => sign.includes('1')).map(([, chars]) => chars);
};

/** Undefined where it would be too large. */
export const automatonOf = (parts: readonly Part[]): Automaton | undefined => {
  try {
    const nets = parts.map((part) => new Net(part));
    const groups = groupsOf(nets);
    const ids = new Map<string, number>();
    const states: number[][][] = [];
    const next: Int32Array[] = [];
    const idOf = (state: number[][]): number => {
      const key = state.map((nodes) => nodes.join(',')).join(';');
      const known = ids.get(key);
      if (known !== undefined) return known;
      if (states.length >= MOST_STATES) throw new TooLarge();
      ids.set(key, states.length);
      next.push(new Int32Array(groups.length).fill(-1));
      return states.push(state) - 1;
    };
    // By group: whether a set has its characters.
    const within = groups.map((chars) => {
      const known = new Map<string, boolean>();
      return (set: string): boolean => {
        const is = known.get(set) ?? set.includes(chars[0] as string);
        known.set(set, is);
        return is;
      };
    });
    idOf(nets.map((net) => [...net.closure(net.start)].sort((a, b) => a - b)));
    for (let at = 0; at < states.length; at++) {
      const state = states[at] as number[][];
      for (let g = 0; g < groups.length; g++) {
        const isIn = within[g] as (set: string) => boolean;
        const after = nets.map((net, i) => net.step(state[i] as number[], isIn));
        if (after.some((nodes, i) => nodes.length === 0 && !parts[i]?.not)) continue;
        (next[at] as Int32Array)[g] = idOf(after);
      }
    }
    const accepts = states.map((state) =>
      parts.every(({ not }, i) => state[i]?.includes((nets[i] as Net).end) !== not),
    );
    return { groups, next, accepts };
  } catch (thrown) {
    if (thrown instanceof TooLarge) return undefined;
    throw thrown;
  }
};
