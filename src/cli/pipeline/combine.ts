/**
 * Services that never met (weft.txt 3.1.2): a business process and another that goes on from it bring together what no single
 * trade brings. Each process begins as many worlds as any other.
 */
import { archetypeIds } from '../../author/catalogue/archetype.js';
import { type Process, processes, servicesOf } from '../../author/catalogue/processes.js';
import type { Rng } from '../../kit/rng.js';

/** Trade services of a world: the core's three come beside them. */
const MOST_SERVICES = 5;

export interface Combination {
  archetypes: string[];
  /** Sectors of the process that it begins with; `*` is everybody's. */
  sectors: readonly string[];
}

const tradeOf = (process: Process, known: ReadonlySet<string>): string[] =>
  servicesOf(process).filter((id) => known.has(id));

/** Processes over several trade services that fit into one world. */
export const meetingProcesses = (): Process[] => {
  const known = new Set(archetypeIds());
  return processes().filter((process) => {
    const { length } = tradeOf(process, known);
    return length >= 2 && length <= MOST_SERVICES;
  });
};

/** The services of `first`, and of a process that shares one of them and needs others. */
export const combinationOf = (first: Process, draw: Rng): Combination => {
  const known = new Set(archetypeIds());
  const services = new Set(tradeOf(first, known));
  for (const process of draw.shuffle(meetingProcesses())) {
    const own = tradeOf(process, known);
    const more = own.filter((id) => !services.has(id));
    if (more.length === 0 || more.length === own.length || services.size + more.length > MOST_SERVICES) continue;
    for (const id of more) services.add(id);
    break;
  }
  return { archetypes: [...services], sectors: first.sectors };
};
