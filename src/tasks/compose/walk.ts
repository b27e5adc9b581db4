/** Where a case leads beyond its process: tools on rows that belong to what it is about, the least used first. */
import type { Rng } from '../../kit/rng.js';
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import type { CompiledTool } from '../../world/program/types.js';
import type { Focus } from './focus.js';

export interface Surroundings {
  services: ReadonlySet<string>;
  /** How often a tool was used or tried in vain. */
  uses(tool: string): number;
  /** `tool wants` that came to nothing on this case. */
  stuck: ReadonlySet<string>;
  /** Tables of which the case has written rows: nobody ends at once what was only just begun. */
  written: ReadonlySet<string>;
  random: Rng;
}

export interface NextStep {
  tool: string;
  wants: 'change' | 'answer';
}

/** Share of steps that change something. */
const CHANGES = 0.68;

const FINDS = new Set(['list', 'search', 'get']);

/** Whether the tool's verb leaves its row in a state from which nothing leads on. */
const ends = ({ spec }: LoadedService, { tool }: CompiledTool): boolean => {
  const moves = spec.tables[tool.table]?.machine?.moves ?? [];
  const own = moves.find(({ verb }) => verb === tool.id.split('.')[1]);
  return tool.op === 'delete' || (own !== undefined && !moves.some(({ from }) => from.includes(own.to)));
};

/** The next step; undefined when the case leads nowhere. Without a focus it begins anywhere in the trade. */
export const nextStep = (
  world: LoadedWorld,
  focus: Focus,
  { services, uses, stuck, written, random }: Surroundings,
): NextStep | undefined => {
  const places = focus.isEmpty
    ? undefined
    : new Set(focus.tables().map(({ service, table }) => `${service.id}.${table}`));
  const wants = random.chance(CHANGES) ? 'change' : 'answer';
  const open = (asked: 'change' | 'answer'): string[] =>
    [...world.tools].flatMap(([name, { service, tool }]) => {
      const { op, table, writes } = tool.tool;
      if (service.role === 'core' || !services.has(service.id) || stuck.has(`${name} ${asked}`)) return [];
      if (places && !places.has(`${service.id}.${table}`)) return [];
      // New things are made of what the case is about, not beside it.
      if (places && op === 'create' && !focus.couldHave(service, table)) return [];
      if (written.has(`${service.id}.${table}`) && ends(service, tool)) return [];
      const does = writes.length > 0 ? 'change' : FINDS.has(op) ? 'answer' : undefined;
      return does === asked ? [name] : [];
    });
  const other = wants === 'change' ? 'answer' : 'change';
  const first = open(wants);
  const tools = first.length > 0 ? first : open(other);
  if (tools.length === 0) return undefined;
  const least = random.shuffle(tools).sort((a, b) => uses(a) - uses(b));
  // Not always the very least used: tools of one kind would follow one another in every case.
  const tool = random.pick(least.slice(0, 4));
  return { tool, wants: first.length > 0 ? wants : other };
};
