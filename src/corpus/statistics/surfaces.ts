/** How much the tools of worlds differ: in what they are, and in how they look to an agent. */
import { sha256 } from '../../kit/hash.js';
import type { WorldSurface } from '../surface.js';

export interface SurfaceFigures {
  /** Distinct tools and tables, whatever their dialect: a service's id and theirs. */
  tools: number;
  tables: number;
  /** Distinct sets of services, the core left out. */
  service_combinations: number;
  /** Distinct pairs of tool name and input schema. */
  distinct_tool_schemas: number;
  /** Over pairs of worlds that share a service: the share that shows the same tools for it, names and schemas. */
  identical_list_share: number;
  /** The same for the core, which every world has: directory, mail, chat. */
  identical_core_share: number;
  /** The same by service, the most alike first. */
  most_alike: { service: string; worlds: number; identical_list_share: number }[];
}

const pairs = (n: number): number => (n * (n - 1)) / 2;

const share = ({ same, all }: { same: number; all: number }): number => Number((same / Math.max(1, all)).toFixed(4));

const MOST_NAMED = 12;

/** Counts one world after another, so that memory holds counts and not worlds. */
export class SurfaceCounts {
  readonly #tools = new Set<string>();
  readonly #tables = new Set<string>();
  readonly #combinations = new Set<string>();
  readonly #schemas = new Set<string>();
  /** By service: how many worlds show each of its tool lists. */
  readonly #lists = new Map<string, Map<string, number>>();
  readonly #core = new Set<string>();

  add({ services }: WorldSurface): void {
    const domain = services.filter(({ role }) => role === 'domain').map(({ id }) => id);
    this.#combinations.add(domain.sort().join());
    for (const { id, role, tools, tables, schemas } of services) {
      if (role === 'core') this.#core.add(id);
      for (const tool of tools) this.#tools.add(`${id}.${tool}`);
      for (const table of tables) this.#tables.add(`${id}.${table}`);
      for (const schema of schemas) this.#schemas.add(schema);
      const list = sha256([...schemas].sort().join()).slice(0, 16);
      const lists = this.#lists.get(id) ?? new Map<string, number>();
      lists.set(list, (lists.get(list) ?? 0) + 1);
      this.#lists.set(id, lists);
    }
  }

  figures(): SurfaceFigures {
    const core = { same: 0, all: 0 };
    const domain = { same: 0, all: 0 };
    const services = [...this.#lists].map(([service, lists]) => {
      const worlds = [...lists.values()].reduce((sum, n) => sum + n, 0);
      const alike = [...lists.values()].reduce((sum, n) => sum + pairs(n), 0);
      const sums = this.#core.has(service) ? core : domain;
      sums.same += alike;
      sums.all += pairs(worlds);
      return { service, worlds, identical_list_share: Number((alike / Math.max(1, pairs(worlds))).toFixed(4)) };
    });
    return {
      tools: this.#tools.size,
      tables: this.#tables.size,
      service_combinations: this.#combinations.size,
      distinct_tool_schemas: this.#schemas.size,
      identical_list_share: share(domain),
      identical_core_share: share(core),
      most_alike: services
        .filter(({ worlds, service }) => worlds > 1 && !this.#core.has(service))
        .sort((a, b) => b.identical_list_share - a.identical_list_share || (a.service < b.service ? -1 : 1))
        .slice(0, MOST_NAMED),
    };
  }
}
