/** The graph of a composed task: its deterministic checks, and orders that respect it (weft.txt 3.1.2, "Grounded task graph"). */
import type { Binding, TaskEdge, TaskNode } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';

/** What is wrong with a graph, in words; empty when nothing is. */
export const graphFaults = (
  nodes: readonly Pick<TaskNode, 'id'>[],
  edges: readonly TaskEdge[],
  bindings: readonly Binding[],
): string[] => {
  const place = new Map(nodes.map(({ id }, i) => [id, i]));
  const faults: string[] = [];
  if (place.size < nodes.length) faults.push('two nodes have one id');
  for (const { from, to } of edges) {
    const [a, b] = [place.get(from), place.get(to)];
    if (a === undefined || b === undefined) faults.push(`edge ${from} -> ${to} leads to no node`);
    else if (a >= b) faults.push(`edge ${from} -> ${to} goes against the order: there is a cycle`);
  }
  const meaning = new Map<string, string>();
  for (const { name, service, table, key } of bindings) {
    const own = `${service}.${table}#${key}`;
    const known = meaning.get(name);
    if (known !== undefined && known !== own) faults.push(`${name} means ${known} and ${own}`);
    meaning.set(name, own);
  }
  return faults;
};

/** Places in another order that respects the edges: of those that may come next, any. */
export const otherOrder = (count: number, edges: readonly (readonly [number, number])[], random: Rng): number[] => {
  const waiting = new Map<number, Set<number>>();
  for (let i = 0; i < count; i++) waiting.set(i, new Set());
  for (const [from, to] of edges) waiting.get(to)?.add(from);
  const out: number[] = [];
  while (waiting.size > 0) {
    const free = [...waiting].filter(([, needs]) => needs.size === 0).map(([place]) => place);
    if (free.length === 0) throw new Error('a cycle in a graph that was checked');
    const next = random.pick(free);
    out.push(next);
    waiting.delete(next);
    for (const needs of waiting.values()) needs.delete(next);
  }
  return out;
};

/** What a stage's tools look at and change, by `service.table`, as their contracts declare it. */
export interface Contract {
  reads: ReadonlySet<string>;
  writes: ReadonlySet<string>;
}

/**
 * State edges between every two stages of which one writes what the other reads or writes, the earlier first: where rows alone
 * do not tell what a verb asks for. A stage that only reads must come before what changes its ground.
 */
export const contractEdges = (nodes: readonly string[], contracts: readonly Contract[]): TaskEdge[] =>
  nodes.flatMap((to, later) =>
    nodes.slice(0, later).flatMap((from, earlier): TaskEdge[] => {
      const [there, here] = [contracts[earlier] as Contract, contracts[later] as Contract];
      const after = [...there.writes].find((table) => here.reads.has(table) || here.writes.has(table));
      const before = [...there.reads].find((table) => here.writes.has(table));
      const shared = after ?? before;
      if (shared === undefined) return [];
      const records = `${shared.split('.')[1]?.replaceAll('_', ' ')} records`;
      const what = after ? `the ${records} as ${from} left them` : `the ${records} as ${from} needs them`;
      return [{ from, to, carries: 'state', what }];
    }),
  );
