/**
 * The orthogonality filter over ordered tool chains (weft.txt 3.1.2 and A.1): a task whose chain is contained in another's adds
 * nothing. Sharing tools alone is no redundancy.
 */

/** A task as the filter sees it: the tools it calls, in order, by dialect-free id. */
export interface Chained {
  id: string;
  chain: readonly string[];
}

/** A task that goes, and a retained one whose chain holds its own. */
export interface Redundancy {
  id: string;
  with: string;
}

/** Whether `short` is `long` with nothing or something left out: order kept, contiguity not needed, equality included. */
export const isSubsequence = (short: readonly string[], long: readonly string[]): boolean => {
  let at = 0;
  for (const tool of long) if (at < short.length && tool === short[at]) at++;
  return at === short.length;
};

/**
 * Splits `tasks` (in the order in which they passed) into those that stay and those that go: the strictly contained chain goes,
 * of identical chains the earlier task stays.
 */
export const orthogonal = <T extends Chained>(tasks: readonly T[]): { retained: T[]; redundant: Redundancy[] } => {
  const goes = (task: T, i: number): boolean =>
    tasks.some(
      (other, j) =>
        j !== i && isSubsequence(task.chain, other.chain) && (other.chain.length > task.chain.length || j < i),
    );
  const retained = tasks.filter((task, i) => !goes(task, i));
  const kept = new Set(retained);
  const redundant = tasks.flatMap((task): Redundancy[] => {
    const holder = kept.has(task) ? undefined : retained.find(({ chain }) => isSubsequence(task.chain, chain));
    return holder ? [{ id: task.id, with: holder.id }] : [];
  });
  return { retained, redundant };
};

/** Tools of `tools` in the chains of `tasks`, in the order of `tools`. */
export const coveredBy = (tasks: readonly Pick<Chained, 'chain'>[], tools: readonly string[]): string[] => {
  const called = new Set(tasks.flatMap(({ chain }) => chain));
  return tools.filter((tool) => called.has(tool));
};
