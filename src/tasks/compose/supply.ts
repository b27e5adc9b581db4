/** What the worlds of a corpus offer to composition: services with their domains and capacity, and what ties them together. */
import { z } from 'zod';
import type { ServiceSpec } from '../../artifacts/service.js';
import { Name } from '../../artifacts/table.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { processes, servicesOf } from '../../author/catalogue/processes.js';
import { readDataFile } from '../../kit/data-file.js';

export interface Supply {
  world: string;
  services: readonly SupplyService[];
  /** Pairs of service ids that share a key, both ways round: `a b`. */
  shared: ReadonlySet<string>;
  /** Pairs of service ids that a process of data/processes.yaml leads through, both ways round. */
  complementary: ReadonlySet<string>;
}

export interface SupplyService {
  id: string;
  archetype: string;
  domain: string;
  /** Atomic tasks that it can give: certified ones on as many of its rows as make tasks of their own. */
  capacity: number;
  nouns: ReadonlySet<string>;
  /** What it is for, in words: what a model judges by. */
  about?: string;
}

let domains: Map<string, string> | undefined;

/** The domain of an archetype; what is none of the catalogue's is a domain of its own. */
export const domainOf = (archetype: string): string => {
  if (!domains) {
    const read = z.record(Name, z.array(Name)).parse(readDataFile('domains'));
    domains = new Map(Object.entries(read).flatMap(([domain, ids]) => ids.map((id) => [id, domain])));
  }
  return domains.get(archetype) ?? archetype;
};

/** Rows on which one structure makes tasks that are worth having apart. */
const INSTANCES = 5;

const both = (a: string, b: string): string[] => [`${a} ${b}`, `${b} ${a}`];

/** `certified`: atomic tasks of each service that passed the gate; without it tools stand for the structures they carry. */
export const supplyOf = (
  world: WorldSpec,
  specs: readonly ServiceSpec[],
  certified: ReadonlyMap<string, number> | undefined,
): Supply => {
  const trade = new Set(world.services.filter(({ role }) => role === 'domain').map(({ id }) => id));
  const services = specs
    .filter(({ id }) => trade.has(id))
    .map((spec): SupplyService => {
      const archetype = spec.source.archetype ?? spec.id;
      const structures = certified?.get(spec.id) ?? Object.keys(spec.tools).length;
      return {
        id: spec.id,
        archetype,
        domain: domainOf(archetype),
        capacity: structures * INSTANCES,
        nouns: new Set(Object.values(spec.tables).map(({ noun }) => noun)),
        about: `${spec.title}. ${spec.description}`,
      };
    });
  const shared = new Set(world.links.flatMap(({ from, to }) => both(from.service, to.service)));
  const complementary = new Set<string>();
  for (const process of processes()) {
    const own = servicesOf(process);
    const here = services.filter(({ archetype }) => own.includes(archetype));
    for (const a of here) for (const b of here) if (a !== b) complementary.add(`${a.id} ${b.id}`);
  }
  return { world: world.id, services, shared, complementary };
};
