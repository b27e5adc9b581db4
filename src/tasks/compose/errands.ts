/** Errands of a world: business processes whose steps its tools can do (data/processes.yaml), in the order of the process. */
import { processes } from '../../author/catalogue/processes.js';
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
  reason: string;
  steps: readonly Step[];
  services: readonly string[];
}

/** Fewer steps than this are no process. */
const LEAST_STEPS = 3;
const LEAST_CHANGES = 2;

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

/** Processes of which the world can do enough, with the steps that it can do. */
export const errandsOf = (world: LoadedWorld): Errand[] =>
  processes().flatMap((process) => {
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
    return [{ id: process.id, title: process.title, reason: process.reason, steps, services: [...services] }];
  });
