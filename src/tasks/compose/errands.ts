/** Errands of a world: business processes whose steps its tools can do (data/processes.yaml), in the order of the process. */
import { type Process, processes } from '../../author/catalogue/processes.js';
import type { LoadedWorld } from '../../world/loaded.js';

export interface Step {
  id: string;
  /** The world's tool by the name an agent uses. */
  tool: string;
  /** Something is looked up here that decides later. */
  isInfo: boolean;
}

export interface Errand {
  id: string;
  title: string;
  /** Why it is done, whatever the case. */
  purpose: string;
  /** Share of the process's steps that the world can do. */
  coverage: number;
  steps: readonly Step[];
  services: readonly string[];
}

/** Fewer steps than this are no process. */
const LEAST_STEPS = 3;
const LEAST_CHANGES = 2;
/** Of a process of which the world lacks more, not enough is left to call it so. */
const LEAST_COVERAGE = 0.45;

/** The world's tool of a step `archetype.resource.verb`; undefined where the world lacks it. */
const toolFor = (world: LoadedWorld, step: string): { name: string; service: string } | undefined => {
  const [archetype = '', ...rest] = step.split('.');
  const id = rest.join('.');
  for (const [name, { service, tool }] of world.tools) {
    const isOf = service.id === archetype || service.spec.source.archetype === archetype;
    if (isOf && tool.tool.id === id) return { name, service: service.id };
  }
  return undefined;
};

/** Steps that only happen when something else goes wrong: nothing that follows needs them. */
const isException = (step: { id: string; when?: string | undefined }, needed: ReadonlySet<string>): boolean =>
  step.when !== undefined && !needed.has(step.id);

/** Processes of the company's trade of which the world can do enough, with the steps that it can do; what it can do most of first. */
export const errandsOf = (world: LoadedWorld): Errand[] =>
  processes()
    .filter(({ sectors }) => isOfTrade(sectors, world.spec.company.industry.naics))
    .flatMap((process) => errandOf(world, process))
    .filter(({ coverage }) => coverage >= LEAST_COVERAGE)
    .sort((a, b) => b.coverage - a.coverage);

const errandOf = (world: LoadedWorld, process: Process): Errand[] => {
  const needed = new Set(process.steps.flatMap(({ needs = [] }) => needs));
  const steps: Step[] = [];
  const services = new Set<string>();
  let changes = 0;
  for (const step of process.steps) {
    const tool = isException(step, needed) ? undefined : toolFor(world, step.do);
    if (!tool) continue;
    const writes = world.tools.get(tool.name)?.tool.tool.writes.length ?? 0;
    if (writes > 0) changes++;
    steps.push({ id: step.id, tool: tool.name, isInfo: writes === 0 });
    services.add(tool.service);
  }
  const isTrade = [...services].some((id) => world.services.get(id)?.role === 'domain');
  if (steps.length < LEAST_STEPS || changes < LEAST_CHANGES || !isTrade) return [];
  const { id, title, purpose } = process;
  return [{ id, title, purpose, coverage: steps.length / process.steps.length, steps, services: [...services] }];
};

/** Processes of a trade, by the first digits of its NAICS code; `*` is everybody's. */
const isOfTrade = (sectors: readonly string[], naics: string): boolean =>
  sectors.some((sector) => sector === '*' || naics.startsWith(sector));
