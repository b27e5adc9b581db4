/** A library of gated atomic tasks for one world (weft.txt 3.1.2, "Certified atomic tasks"). */
import type { Certificate } from '../artifacts/certificate.js';
import type { Call, Task } from '../artifacts/task.js';
import { type Rng, rng } from '../kit/rng.js';
import type { LoadedWorld } from '../world/loaded.js';
import type { Candidate } from './atomic/candidate.js';
import { create } from './atomic/create.js';
import { FAMILIES, type FamilyEntry } from './atomic/families.js';
import { taskOf } from './atomic/task.js';
import { gate } from './gate.js';
import { type Ground, prepareGround } from './ground/ground.js';
import { dropPlan, type NamedTool } from './ground/plan.js';
import { toolsOf } from './ground/reveal.js';

export interface GenerateOptions {
  /** Tasks wanted. */
  count: number;
  seed: string;
  /** Called after each try. */
  onTry?: (kept: number, tried: number) => void;
}

/** A proposal that did not make it, and the line that stopped it. */
export interface Dropped {
  family: string;
  template: string;
  reason: string;
}

export interface Library {
  tasks: { task: Task; certificate: Certificate }[];
  dropped: Dropped[];
}

interface Site {
  family: FamilyEntry;
  tool: NamedTool;
}

const TRIES_PER_TASK = 6;
/** An atomic task is one intent: more calls than this are a chore list. */
const MOST_CALLS = 4;
/** Tasks that may share one template (same family, tool and columns). */
const PER_TEMPLATE = 2;

const sitesOf = (world: LoadedWorld): Site[] =>
  [...world.services.values()].flatMap((service) =>
    toolsOf(world, service.id).flatMap((tool) =>
      FAMILIES.filter(
        ({ growsOn }) => growsOn(tool, world) && (service.role === 'domain' || tool.tool.tool.writes.length === 0),
      ).map((family) => ({ family, tool })),
    ),
  );

/** A change nobody asked for, for the mutants: something new in the core or, failing that, in any service. */
const strayCall = (ground: Ground, random: Rng): Call | undefined => {
  const creators = [...ground.world.services.values()]
    .flatMap(({ id }) => toolsOf(ground.world, id))
    .filter(({ tool }) => tool.tool.op === 'create');
  for (const tool of creators) {
    const made = create(ground, tool, random);
    if (typeof made === 'string') continue;
    const call = made.plan.calls.at(-1);
    dropPlan(made.plan);
    if (call) return call;
  }
  return undefined;
};

const release = (candidate: Candidate): void => {
  dropPlan(candidate.plan);
  if (candidate.otherPath) dropPlan(candidate.otherPath);
};

/** Questions about mail and colleagues alone are not what a world is for. */
const hasTrade = (sites: readonly Site[], entry: FamilyEntry): boolean =>
  sites.some(({ family, tool }) => family === entry && tool.service.role === 'domain');

/** Picks the next site: families by weight, services and tools used least so far first. */
const nextSite = (sites: readonly Site[], used: Map<string, number>, random: Rng): Site => {
  const families = [...new Set(sites.map(({ family }) => family))];
  const family = random.weighted(
    families.map((entry) => [entry, entry.weight * (hasTrade(sites, entry) ? 1 : 0.15)] as const),
  );
  const own = random.shuffle(sites.filter((site) => site.family === family));
  const uses = (site: Site): number =>
    (used.get(site.tool.name) ?? 0) * 2 +
    (used.get(site.tool.service.id) ?? 0) * 0.5 +
    (site.tool.service.role === 'core' ? 3 : 0);
  return own.reduce((best, site) => (uses(site) < uses(best) ? site : best), own[0] as Site);
};

const taskId = (world: LoadedWorld, candidate: Candidate, index: number): string =>
  `${world.spec.id}-${candidate.family}-${String(index + 1).padStart(3, '0')}`
    .replaceAll('_', '-')
    .toLowerCase()
    .slice(-80)
    .replace(/^[^a-z]+/, '');

const note = (used: Map<string, number>, ...names: string[]): void => {
  for (const name of names) used.set(name, (used.get(name) ?? 0) + 1);
};

/** Proposes and gates until `count` tasks are kept or the tries run out. Deterministic in world and seed. */
export const generateTasks = (world: LoadedWorld, options: GenerateOptions): Library => {
  const ground = prepareGround(world);
  const random = rng(options.seed, 'tasks', world.spec.id);
  const sites = sitesOf(world);
  const library: Library = { tasks: [], dropped: [] };
  if (sites.length === 0) return library;
  const stray = strayCall(ground, random.stream('stray'));
  const used = new Map<string, number>();
  const templates = new Map<string, number>();
  const most = options.count * TRIES_PER_TASK;
  for (let tried = 0; tried < most && library.tasks.length < options.count; tried++) {
    const site = nextSite(sites, used, random);
    note(used, site.tool.name);
    const stream = random.stream(`try-${tried}`);
    const candidate = site.family.make(ground, site.tool, stream);
    const where = `${site.family.name}:${site.tool.service.id}.${site.tool.tool.tool.id}`;
    if (typeof candidate === 'string') {
      library.dropped.push({ family: site.family.name, template: where, reason: candidate });
      continue;
    }
    if (candidate.plan.calls.length > MOST_CALLS) {
      library.dropped.push({
        family: candidate.family,
        template: candidate.template,
        reason: `takes ${candidate.plan.calls.length} calls`,
      });
      release(candidate);
      continue;
    }
    if ((templates.get(candidate.template) ?? 0) >= PER_TEMPLATE) {
      release(candidate);
      continue;
    }
    const task = taskOf(ground, candidate, taskId(world, candidate, library.tasks.length), stream);
    const certificate = gate(ground, task, { random: stream, stray, other: candidate.otherPath });
    release(candidate);
    if (certificate.pass) {
      library.tasks.push({ task, certificate });
      note(templates, candidate.template);
      note(used, site.tool.service.id);
    } else {
      const failed = certificate.findings.find(({ pass }) => !pass);
      library.dropped.push({
        family: candidate.family,
        template: candidate.template,
        reason: `${failed?.id}: ${failed?.evidence[0] ?? ''}`,
      });
    }
    options.onTry?.(library.tasks.length, tried + 1);
  }
  return library;
};
