/** One thing done to every row that two conditions select: two to five of them, with others that miss by one condition. */
import type { Table } from '../../artifacts/table.js';
import type { Call } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import type { Row } from '../../world/state/types.js';
import type { Alternative } from '../alternatives.js';
import { factsOf, leavesTrace, referBindings, revealAll, splitArgs } from '../atomic/arguments.js';
import type { Candidate, Family } from '../atomic/candidate.js';
import { hasHappened } from '../atomic/figures.js';
import { accepts, isOver, wantedOf } from '../atomic/on-row.js';
import type { Chosen } from '../atomic/values.js';
import type { Ground } from '../ground/ground.js';
import { dropPlan, type NamedTool, type Plan, type PlannedArg, perform, surfaceArgs } from '../ground/plan.js';
import { toolsOf } from '../ground/reveal.js';
import type { Mutant } from '../mutants/mutant.js';
import { sayMany } from '../words/names.js';
import { PERSONAS, requested } from '../words/tone.js';
import { templateOf } from './aggregate.js';
import { groupAround, type RowGroup, showGroup } from './group.js';

const TRIES = 10;
const MOST_ROWS = 5;
/** Rows that a person would call by their number instead of by what they have in common. */
const LEAST_ROWS = 2;

/** What many things may have in common: a state, a day, somebody in charge. An amount or a name is each one's own. */
const fitsMany = (spec: Table, { name, refers }: Chosen): boolean => {
  const column = spec.cols[name];
  return (
    refers?.service.role === 'core' ||
    column?.enum !== undefined ||
    column?.type === 'bool' ||
    (['date', 'datetime'].includes(column?.type ?? '') && !hasHappened(name))
  );
};

/** One resident cannot have all appointments. */
const isOneThing = ({ refers }: Chosen): boolean => refers !== undefined && refers.service.role !== 'core';

/** Nor is one sum given back for each of several returns. */
const isSum = (tool: NamedTool, { arg }: Chosen): boolean => tool.tool.tool.args[arg.name]?.type === 'money';

const argsFor = (keyArg: string, key: string | number, chosen: readonly Chosen[]): PlannedArg[] => [
  { name: keyArg, value: key, origin: { observed: true } },
  ...chosen.map(({ arg }) => arg),
];

interface Doing {
  tool: NamedTool;
  keyArg: string;
  chosen: readonly Chosen[];
}

const callOn = ({ tool, keyArg, chosen }: Doing, key: string | number): Call => ({
  service: tool.service.id,
  tool: tool.name,
  args: surfaceArgs(tool.service, tool, argsFor(keyArg, key, chosen)),
});

/** The rows are the same in any order; a row fewer or one that misses a condition is wrong. */
const solutions = (
  plan: Plan,
  first: number,
  doing: Doing,
  near: readonly { key: string | number; misses: string }[],
  says: string,
): { wrong: Mutant[]; right: Alternative[] } => {
  const [before, acts] = [plan.calls.slice(0, first), plan.calls.slice(first)];
  const wrong: Mutant[] = [acts.length - 1, 0].map((left) => ({
    kind: 'row_left_out',
    what: `leaves row ${left + 1} of ${acts.length} out`,
    calls: [...before, ...acts.filter((_, i) => i !== left)],
    answer: says,
  }));
  for (const { key, misses } of near)
    wrong.push({
      kind: 'row_too_many',
      what: `also takes one of which it is not true that it ${misses}`,
      calls: [...plan.calls, callOn(doing, key)],
      answer: says,
    });
  return {
    wrong,
    right: [{ kind: 'rows_in_another_order', calls: [...before, ...[...acts].reverse()], answer: says }],
  };
};

/** Rows that miss one condition and on which the tool could be used all the same. */
const nearRows = (
  ground: Ground,
  doing: Doing,
  group: RowGroup,
  keyCol: string,
): { key: string | number; misses: string }[] => {
  const out: { key: string | number; misses: string }[] = [];
  for (const { row, misses } of group.near) {
    if (out.length >= 2) break;
    const key = row[keyCol] as string | number;
    if (
      !out.some((one) => one.misses === misses) &&
      accepts(ground, doing.tool, group.table, key, doing.keyArg, doing.chosen)
    )
      out.push({ key, misses });
  }
  return out;
};

export const every: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const { key: keyArg } = splitArgs(tool);
  const wanted = wantedOf(ground, tool, random);
  if (!keyArg || !wanted) return 'the tool names no row';
  const lists = toolsOf(ground.world, service.id).filter(
    ({ tool: { tool: other } }) => other.op === 'list' && other.table === table,
  );
  if (lists.length === 0) return 'no tool lists the rows';
  let why = 'no two conditions that select two to five rows';
  for (const seed of random.sample(ground.rows(service)(table), TRIES)) {
    if (spec.machine && isOver(spec, seed)) continue;
    const chosen = wanted.choose(seed);
    if (!chosen) continue;
    const isEachOnesOwn =
      wanted.family === 'update'
        ? chosen.some((one) => !fitsMany(spec, one))
        : chosen.some((one) => isOneThing(one) || isSum(tool, one));
    if (isEachOnesOwn) continue;
    const doing: Doing = { tool, keyArg, chosen };
    const group = groupAround(
      ground,
      service,
      table,
      seed,
      random,
      chosen.map(({ name }) => name),
    );
    if (!group || group.rows.length < LEAST_ROWS || group.rows.length > MOST_ROWS) continue;
    const keys = group.rows.map((row: Row) => row[spec.key.col] as string | number);
    if (chosen.some(({ name, arg }) => group.rows.some((row) => row[name] === arg.value))) continue;
    if (!keys.every((key) => accepts(ground, tool, table, key, keyArg, chosen))) {
      why = 'the tool may not be used on every row of a group';
      continue;
    }
    const near = nearRows(ground, doing, group, spec.key.col);
    if (near.length === 0) {
      why = 'no row that misses by one condition and could be taken along';
      continue;
    }
    const shown = showGroup(ground, random.pick(lists), group, random);
    const plan = shown ? revealAll(ground, shown.plan, chosen, random) : undefined;
    if (!shown || !plan) {
      why = 'no one answer of a tool holds all rows of the group';
      continue;
    }
    const first = plan.calls.length;
    const done = keys.every((key) => perform(plan, tool, argsFor(keyArg, key, chosen)));
    if (!done || (wanted.family === 'update' && !leavesTrace(plan, chosen))) {
      dropPlan(plan);
      continue;
    }
    const persona = random.pick(PERSONAS);
    const imperative = wanted.say(`all ${group.words}`, chosen, {
      ...seed,
      ...Object.fromEntries(chosen.map(({ name }) => [name, null])),
    });
    const says = `Done. That was done for ${keys.length} ${sayMany(spec)}.`;
    return {
      family: 'every',
      template: `every:${service.id}.${tool.tool.tool.id}.${templateOf(group)}`,
      service,
      persona,
      request: requested(imperative, persona, random, '', false),
      plain: { does: imperative, tail: '' },
      vague: `Several of our ${sayMany(spec)} need the same thing done.`,
      facts: [...group.facts, ...factsOf(chosen)],
      bindings: [...shown.bindings, ...referBindings(chosen)],
      plan,
      says,
      isAlone: true,
      ...solutions(plan, first, doing, near, says),
    };
  }
  return why;
};
