/** The rule every trade service can have with the directory: nobody who has left the company still holds live work in it. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Invariant } from '../../artifacts/world.js';
import { plural, spaced } from '../../kit/words.js';

/** Who holds the work, as opposed to who once decided or counted something. */
const HOLDER =
  /^(assignee|owner|handler|lead|manager|keeper|agent|director|adviser|officer|operator|buyer|technician|engineer|host|coordinator|teacher|vet|stylist|driver|seller|trainer|inspector|analyst|provider|reviewer|recruiter|consultant|picker|preparer|traveller|author)_email$/;

const liveStates = (table: Table): string[] => {
  const { machine } = table;
  if (!machine) return [];
  const going = new Set(machine.moves.flatMap(({ from }) => from));
  const states = table.cols[machine.col]?.enum ?? [];
  return states.filter((state) => state === machine.initial || going.has(state)).slice(0, 2);
};

const writes = (tool: Tool, col: string): boolean =>
  tool.op === 'update'
    ? Object.values(tool.args).some((arg) => arg.role === 'set' && arg.col === col)
    : tool.op === 'action' &&
      tool.args[col] !== undefined &&
      Object.values(tool.args).some(({ role }) => role === 'key');

/** Live states in which the tool leaves the row standing, so that it can both break the rule and mend it. */
const usableIn = (tool: Tool, table: Table, live: readonly string[]): string[] => {
  if (tool.op === 'update') return [...live];
  const move = table.machine?.moves.find((each) => each.verb === tool.id.split('.')[1]);
  if (move) return live.filter((state) => state === move.to && move.from.includes(state));
  const rule = (tool.steps ?? [])
    .flatMap((step) => ('require' in step ? step.require : []))
    .find(({ error }) => error === 'invalid_state');
  const named = [...(rule?.that.matchAll(/'([^']+)'/g) ?? [])].map(([, state]) => state ?? '');
  return live.filter((state) => named.length === 0 || named.includes(state));
};

interface Choice {
  table: string;
  col: string;
  tool: Tool;
  states: string[];
}

const choicesOf = (spec: ServiceSpec): Choice[] =>
  Object.entries(spec.tables).flatMap(([name, table]) =>
    Object.keys(table.cols)
      .filter((col) => HOLDER.test(col))
      .flatMap((col) =>
        Object.values(spec.tools)
          .filter((tool) => tool.table === name && writes(tool, col))
          .map((tool) => ({ table: name, col, tool, states: usableIn(tool, table, liveStates(table)) })),
      ),
  );

/** "Nobody who has left is the owner of an open deal", or undefined where no tool hands work over. */
export const leaverRule = (spec: ServiceSpec): Invariant | undefined => {
  const choices = choicesOf(spec).filter(({ states }) => states.length > 0);
  const best = choices.find(({ tool }) => tool.op === 'action') ?? choices[0];
  if (!best) return undefined;
  const table = spec.tables[best.table];
  const col = table?.machine?.col ?? 'status';
  const role = spaced(best.col.replace(/_email$/, ''));
  const states = best.states.map((state) => state.replaceAll('_', ' ')).join(' or ');
  const tool = `${spec.id}.${best.tool.id}`;
  return {
    id: `leaver_${spec.id}_${best.table}`.slice(0, 63),
    says: `Nobody who has left the company is the ${role} of ${plural(table?.noun ?? best.table)} that are ${states}.`,
    trigger: { service: 'directory', table: 'employee', where: "t.status = 'left'" },
    target: {
      service: spec.id,
      table: best.table,
      expect: 'none',
      where:
        best.states.length === 1
          ? `x.${col} = '${best.states[0]}'`
          : `x.${col} in (${best.states.map((state) => `'${state}'`).join(', ')})`,
    },
    key: { trigger: 'email', target: best.col },
    violatedBy: tool,
    repairedBy: tool,
  };
};
