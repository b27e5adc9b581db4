/** Finds calls that show an agent the row a brief describes: data flow backwards over the tools' inputs and outputs. */
import type { Arg } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { type Descriptor, dayOf, type Known, singleOut } from './descriptors.js';
import { dropPlan, forkPlan, keyOf, type NamedTool, type Plan, type PlannedArg, perform, seenAt } from './plan.js';

const MAX_DEPTH = 2;

/** All tools of a service by full name, in a fixed order. */
export const toolsOf = (world: LoadedWorld, service: string): NamedTool[] =>
  [...world.tools].filter(([, tool]) => tool.service.id === service).map(([name, tool]) => ({ name, ...tool }));

/** The argument of a finder that narrows by a column with one of the operators. */
export const filterFor = (tool: NamedTool, col: string, ops: readonly string[]): [string, Arg] | undefined =>
  Object.entries(tool.tool.tool.args).find(
    ([, arg]) => arg.role === 'filter' && arg.col === col && ops.includes(arg.op ?? 'eq'),
  );

/** Whether the value has to be found behind a named row; a name that is the value itself needs no look-up. */
const isLookedUp = ({ parent, value, words }: Descriptor): boolean =>
  parent !== undefined && String(value).toLowerCase() !== words.toLowerCase();

/** Arguments of a finder that say one descriptor; undefined when it cannot say it. */
const narrow = (
  tool: NamedTool,
  service: LoadedService,
  table: string,
  descriptor: Descriptor,
): PlannedArg[] | undefined => {
  const column = service.spec.tables[table]?.cols[descriptor.col];
  if (!column || typeof descriptor.value === 'boolean') return undefined;
  const origin = isLookedUp(descriptor) ? ({ observed: true } as const) : { brief: descriptor.words };
  if (column.type === 'date' || column.type === 'datetime') {
    const from = filterFor(tool, descriptor.col, ['gte']);
    const to = filterFor(tool, descriptor.col, ['lte']);
    if (!from || !to) return undefined;
    const [start, end] = dayOf(Number(descriptor.value));
    const values = column.type === 'date' ? [start, start] : [start, end];
    return [
      { name: from[0], value: values[0] as number, origin },
      { name: to[0], value: values[1] as number, origin },
    ];
  }
  const equal = filterFor(tool, descriptor.col, ['eq']);
  if (equal) return [{ name: equal[0], value: descriptor.value, origin }];
  const among = filterFor(tool, descriptor.col, ['in']);
  if (among) return [{ name: among[0], value: [descriptor.value], origin }];
  const like =
    column.type === 'text' && !descriptor.parent ? filterFor(tool, descriptor.col, ['contains', 'prefix']) : undefined;
  return like ? [{ name: like[0], value: descriptor.value, origin }] : undefined;
};

/** Sets of arguments worth trying on a finder, the most telling first. */
const attempts = (
  tool: NamedTool,
  service: LoadedService,
  table: string,
  descriptors: readonly Descriptor[],
  random: Rng,
): { args: PlannedArg[]; parents: Descriptor[] }[] => {
  const out: { args: PlannedArg[]; parents: Descriptor[] }[] = [];
  const query = Object.entries(tool.tool.tool.args).find(([, arg]) => arg.role === 'query');
  const searched = tool.tool.tool.match ?? [];
  if (query) {
    for (const descriptor of descriptors) {
      if (descriptor.parent || !searched.includes(descriptor.col)) continue;
      out.push({
        args: [{ name: query[0], value: String(descriptor.value), origin: { brief: descriptor.words } }],
        parents: [],
      });
    }
  }
  const said = descriptors
    .map((descriptor) => ({ descriptor, args: narrow(tool, service, table, descriptor) }))
    .filter((item) => item.args !== undefined);
  if (said.length > 0) {
    const all = {
      args: said.flatMap((item) => item.args ?? []),
      parents: said.map((item) => item.descriptor).filter(isLookedUp),
    };
    out.push(all);
    if (said.length > 1) {
      const one = random.pick(said);
      out.push({ args: one.args ?? [], parents: isLookedUp(one.descriptor) ? [one.descriptor] : [] });
    }
  }
  const limit = Object.entries(tool.tool.tool.args).find(([, arg]) => arg.role === 'limit');
  const page: PlannedArg[] = limit
    ? [{ name: limit[0], value: Math.min(limit[1].max ?? 100, 100), origin: { constant: 'as many as the tool gives' } }]
    : [];
  // Last: all of them, where one page holds them.
  return [...random.shuffle(out), { args: page, parents: [] }];
};

const required = (tool: NamedTool): string[] =>
  Object.entries(tool.tool.tool.args)
    .filter(([, arg]) => arg.required)
    .map(([name]) => name);

/** Tools that find rows of a table. */
export const finders = (world: LoadedWorld, service: LoadedService, table: string): NamedTool[] =>
  toolsOf(world, service.id).filter(
    ({ tool }) => tool.tool.table === table && (tool.tool.op === 'list' || tool.tool.op === 'search'),
  );

/** Preferred tools first; all else keeps its order. */
export const preferredFirst = ({ prefers }: Known, tools: NamedTool[]): NamedTool[] =>
  prefers
    ? [...tools.filter(({ name }) => prefers.has(name)), ...tools.filter(({ name }) => !prefers.has(name))]
    : tools;

/** Reads a row of the table by its key: a tool that takes nothing else, a preferred one if there is one. */
export const getterOf = (
  known: Known,
  world: LoadedWorld,
  service: LoadedService,
  table: string,
): NamedTool | undefined =>
  preferredFirst(
    known,
    toolsOf(world, service.id).filter(({ tool }) => tool.tool.op === 'get' && tool.tool.table === table),
  )[0];

/** The argument by which a tool takes the key of its row. */
export const keyArgOf = ({ tool }: NamedTool): string | undefined =>
  Object.entries(tool.tool.args).find(([, arg]) => arg.role === 'key')?.[0];

/** Columns that a brief has to say because even the least demanding look-up of the table asks for them. */
export const neededColumns = (world: LoadedWorld, service: LoadedService, table: string): string[] => {
  const demands = finders(world, service, table).map((finder) =>
    Object.entries(finder.tool.tool.args).flatMap(([name, arg]) =>
      arg.required && arg.role === 'filter' ? [arg.col ?? name] : [],
    ),
  );
  return demands.sort((a, b) => a.length - b.length)[0] ?? [];
};

export interface Sight {
  world: LoadedWorld;
  known: Known;
  service: LoadedService;
  random: Rng;
}

/**
 * Extends `plan` by calls after which the key of `row` was seen in a result. Returns the extended plan (a fork: the given one
 * is left as it was), or undefined when no tool shows the row. `skip` leaves the first ways out, for alternative paths.
 */
export const reveal = (
  sight: Sight,
  plan: Plan,
  table: string,
  row: Row,
  descriptors: readonly Descriptor[],
  skip = 0,
  depth = 0,
): Plan | undefined => {
  const { world, known, service, random } = sight;
  const spec = service.spec.tables[table];
  if (!spec || depth > MAX_DEPTH) return undefined;
  const key = keyOf(service, spec, row);
  if (skip === 0 && seenAt(plan, key)) return forkPlan(plan);
  let left = skip;
  for (const finder of preferredFirst(known, random.shuffle(finders(world, service, table)))) {
    for (const attempt of attempts(finder, service, table, descriptors, random)) {
      if (!required(finder).every((name) => attempt.args.some((arg) => arg.name === name))) continue;
      let extended: Plan | undefined = forkPlan(plan);
      for (const descriptor of attempt.parents) {
        const parent = descriptor.parent as NonNullable<Descriptor['parent']>;
        const label = singleOut(known, parent.service, parent.table, parent.row, random, 'label');
        const further: Plan | undefined =
          label && extended
            ? reveal({ ...sight, service: parent.service }, extended, parent.table, parent.row, label, 0, depth + 1)
            : undefined;
        if (extended) dropPlan(extended);
        extended = further;
      }
      if (!extended) continue;
      if (perform(extended, finder, attempt.args) && seenAt(extended, key)?.observed === extended.calls.length - 1) {
        if (left === 0) return extended;
        left--;
      }
      dropPlan(extended);
    }
  }
  return undefined;
};
