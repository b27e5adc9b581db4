/** A status machine said by hand: its values, where rows begin, and what every tool that sets the status by hand may do. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { Machine } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import { identifier } from '../openapi/names.js';
import { columnNamed } from './names.js';
import type { MachineChange } from './read.js';

const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** True of a row and a wanted status that may follow its own. `wanted` is CEL. */
export const mayFollow = ({ col, moves }: Machine, wanted: string): string => {
  const next = new Map<string, string[]>();
  for (const { from, to } of moves) for (const state of from) next.set(state, [...(next.get(state) ?? []), to]);
  const known = [...next].map(
    ([state, to]) => `(row.${col} == ${quoted(state)} && ${wanted} in [${[...new Set(to)].map(quoted).join(', ')}])`,
  );
  return [`${wanted} == row.${col}`, ...known].join(' || ');
};

/** A tool with steps of its own that writes the status from an argument asks the machine first; others do so as they are expanded. */
const guarded = (tool: Tool, table: string, machine: Machine): Tool => {
  const { col } = machine;
  const at = (tool.steps ?? []).findIndex(
    (step) => 'update' in step && step.update.table === table && col in step.update.set,
  );
  const step = tool.steps?.[at];
  const value = step && 'update' in step ? /^\$args\.(\w+)$/.exec(String(step.update.set[col]))?.[1] : undefined;
  const hasRow = tool.steps?.some((one) => 'get' in one && one.get.as === 'row');
  if (!tool.steps || value === undefined || !hasRow) return tool;
  const ask: Step = {
    if: {
      that: `has(args.${value})`,
      do: [
        {
          require: [
            {
              that: mayFollow(machine, `args.${value}`),
              error: 'invalid_state',
              message: `What is {row.${col}} cannot become {args.${value}}`,
              field: value,
            },
          ],
        },
      ],
    },
  };
  const steps = [...tool.steps.slice(0, at), ask, ...tool.steps.slice(at)];
  return { ...tool, steps, errors: { ...tool.errors, invalid_state: tool.errors?.invalid_state ?? 409 } };
};

/** The service with the machine, or why it cannot have it. */
export const withMachine = (spec: ServiceSpec, name: string, change: MachineChange): ServiceSpec | string => {
  const read = columnNamed(change.column, { spec, name });
  if (typeof read === 'string') return read;
  const { col } = read;
  const table = spec.tables[name] as ServiceSpec['tables'][string];
  const column = table.cols[col] as ServiceSpec['tables'][string]['cols'][string];
  if (column.type !== 'text') return `${name}.${col} is no text, so it cannot hold a status`;
  const said = [...new Set(change.moves.flatMap(({ from, to }) => [...from, to]))];
  const states = column.enum ?? said;
  const stray = [...said, change.initial ?? said[0]].find((state) => state !== undefined && !states.includes(state));
  if (stray !== undefined) return `${name}.${col} has no value ${stray}; its values are ${states.join(', ')}`;
  const given = typeof column.default === 'string' ? column.default : undefined;
  const initial = change.initial ?? given ?? (change.moves[0]?.from[0] as string);
  const machine: Machine = {
    col,
    initial,
    moves: change.moves.map(({ by, from, to }) => ({ verb: identifier(by ?? to, 'move', 40), from, to })),
  };
  const next = {
    ...table,
    machine,
    cols: { ...table.cols, [col]: { ...column, enum: states, default: initial, required: true } },
  };
  const tools = Object.entries(spec.tools).map(([each, tool]) => [each, guarded(tool, name, machine)] as const);
  return { ...spec, tables: { ...spec.tables, [name]: next }, tools: Object.fromEntries(tools) };
};
