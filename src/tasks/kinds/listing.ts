/** Listing the rows that share a value which was seen before: what leads from one table, or service, to another. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Ground } from '../ground/ground.js';
import { keyOf, type NamedTool, type Plan, type PlannedArg, pathTo, perform } from '../ground/plan.js';
import { filterFor, finders } from '../ground/reveal.js';
import { stateOf } from './conditions.js';
import { shownAs, stands } from './group.js';

export const limitOf = (tool: NamedTool): PlannedArg[] => {
  const limit = Object.entries(tool.tool.tool.args).find(([, arg]) => arg.role === 'limit');
  return limit
    ? [{ name: limit[0], value: Math.min(limit[1].max ?? 50, 100), origin: { constant: 'as many as the tool gives' } }]
    : [];
};

/** Lists the rows whose column has a value that was seen, in one state where one is given; false unless the answer holds them all. */
export const listBy = (
  ground: Ground,
  plan: Plan,
  service: LoadedService,
  table: string,
  by: { col: string; value: string | number },
  state: { col: string; value: string } | undefined,
  random: Rng,
): boolean => {
  const spec = service.spec.tables[table] as Table;
  for (const tool of random.shuffle(finders(ground.world, service, table))) {
    const equal = filterFor(tool, by.col, ['eq']);
    if (!equal) continue;
    const args: PlannedArg[] = [{ name: equal[0], value: by.value, origin: { observed: true } }, ...limitOf(tool)];
    const said = state ? stateOf(state.col, state.value).args(tool) : [];
    if (!perform(plan, tool, [...args, ...said])) continue;
    const rows = ground
      .rows(service)(table)
      .filter((row) => row[by.col] === by.value && (said.length === 0 || row[state?.col ?? ''] === state?.value));
    const seen = plan.observations.at(-1) ?? null;
    const isWhole = rows.every((row) => pathTo(seen, keyOf(service, spec, row)) !== undefined);
    const isTold =
      said.length > 0 || !state || rows.every((row) => stands(seen, shownAs(service, spec, state.col, row)));
    return isWhole && isTold;
  }
  return false;
};
