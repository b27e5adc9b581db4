/**
 * `--mix by=source`: rollouts with events of any source, and without each source, all of one size (dynaweave.txt, Table 2). There is
 * one drawn order: an arm without a source is the mixed one less the rollouts that have it, filled up with the next ones, so that two
 * arms of a size differ in nothing else. Shares are those that the rollouts have; `by=event` makes equal ones.
 */
import { type Arm, holds, inDrawnOrder, slug, type Unit } from './unit.js';

const sourcesOf = (unit: Unit | undefined): string[] =>
  unit === undefined || unit.facets.event === 'none' ? [] : unit.facets.event.split('+');

/** With `sameTasks`, only of tasks that have rollouts with every source. */
export const sourceArms = (
  units: readonly Unit[],
  pool: readonly number[],
  { seed, sameTasks }: { seed: string; sameTasks: boolean },
): Arm[] => {
  const dynamic = pool.filter((at) => sourcesOf(units[at]).length > 0);
  const sources = [...new Set(dynamic.flatMap((at) => sourcesOf(units[at])))].sort();
  const ofTask = new Map<string, Set<string>>();
  for (const at of dynamic) {
    const { task } = units[at] as Unit;
    ofTask.set(task, new Set([...(ofTask.get(task) ?? []), ...sourcesOf(units[at])]));
  }
  const kept = sameTasks ? dynamic.filter((at) => ofTask.get(units[at]?.task ?? '')?.size === sources.length) : dynamic;
  const order = inDrawnOrder(units, kept, seed);
  const mixed: Arm = { name: 'source_mixed', says: `events of every source (${sources.join(', ')})`, order };
  if (sources.length < 2) return [mixed];
  const without = sources.map(
    (source): Arm => ({
      name: `source_without_${slug(source)}`,
      says: `every source but ${source}`,
      order: order.filter((at) => !holds(units[at]?.facets.event ?? '', source)),
    }),
  );
  return [mixed, ...without];
};
