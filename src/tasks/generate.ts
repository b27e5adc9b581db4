/** A library of gated atomic tasks for one world (weft.txt 3.1.2, "Certified atomic tasks"). */
import type { Certificate } from '../artifacts/certificate.js';
import type { Call, Task } from '../artifacts/task.js';
import { type Rng, rng } from '../kit/rng.js';
import type { LoadedWorld } from '../world/loaded.js';
import type { Candidate } from './atomic/candidate.js';
import { create } from './atomic/create.js';
import { errand } from './atomic/errand.js';
import { FAMILIES, type FamilyEntry } from './atomic/families.js';
import { taskOf } from './atomic/task.js';
import { gate } from './gate.js';
import { type Ground, prepareGround } from './ground/ground.js';
import { dropPlan, type NamedTool } from './ground/plan.js';
import { toolsOf } from './ground/reveal.js';
import { isLong, LONG, type Pair, type Part, Pool, release } from './pool.js';

export interface GenerateOptions {
  /** Tasks wanted. */
  count: number;
  seed: string;
  /** Called after each try. */
  onTry?: (kept: number, tried: number) => void;
  /** The same task in other words; its own where those do not pass the gate. */
  reword?: (task: Task) => Task;
  /** Why a task that passed the gate is dropped. */
  refuses?: (task: Task) => string | undefined;
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
/** One thing asked for: more calls than this are a chore list. */
const MOST_CALLS = 4;
/** Tasks that may share one template (same family, tool and columns). */
const PER_TEMPLATE = 2;
/** Share of a library that takes `LONG` calls and more, where the world has that many. */
const LONG_SHARE = 0.7;
/** Share of the long ones that are errands: of single things a service has only so many, of two together far more. */
const ERRAND_SHARE = 0.5;
/** Parts that wait before two of them are put together: enough to choose from. */
const CHOICE = 6;
/** With more parts than this waiting, they are taken one by one. */
const MOST_WAITING = 12;

const sitesOf = (world: LoadedWorld): Site[] =>
  [...world.services.values()].flatMap((service) =>
    toolsOf(world, service.id).flatMap((tool) =>
      FAMILIES.filter(
        ({ growsOn }) => growsOn(tool, world) && (service.role === 'domain' || tool.tool.tool.writes.length === 0),
      ).map((family) => ({ family, tool })),
    ),
  );

/** A change nobody asked for, for the mutants: something new in the core or, failing that, in any service. */
export const strayCall = (ground: Ground, random: Rng): Call | undefined => {
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

/** One run over a world: parts are proposed, put together and gated until there are enough. */
class Making {
  readonly library: Library = { tasks: [], dropped: [] };
  readonly #ground: Ground;
  readonly #options: GenerateOptions;
  readonly #random: Rng;
  readonly #sites: readonly Site[];
  readonly #stray: Call | undefined;
  readonly #used = new Map<string, number>();
  readonly #templates = new Map<string, number>();
  readonly #pool: Pool;
  #tried = 0;
  #long = 0;
  #errands = 0;

  constructor(world: LoadedWorld, options: GenerateOptions) {
    this.#ground = prepareGround(world);
    this.#options = options;
    this.#random = rng(options.seed, 'tasks', world.spec.id);
    this.#sites = sitesOf(world);
    this.#stray = strayCall(this.#ground, this.#random.stream('stray'));
    this.#pool = new Pool(world);
  }

  #drop(family: string, template: string, reason: string): void {
    this.library.dropped.push({ family, template, reason });
  }

  /** A new part; undefined when the site gives none. */
  #propose(): Part | undefined {
    const site = nextSite(this.#sites, this.#used, this.#random);
    note(this.#used, site.tool.name);
    const candidate = site.family.make(this.#ground, site.tool, this.#random.stream(`try-${this.#tried++}`));
    if (typeof candidate === 'string') {
      const { name } = site.family;
      this.#drop(name, `${name}:${site.tool.service.id}.${site.tool.tool.tool.id}`, candidate);
      return undefined;
    }
    const { calls } = candidate.plan;
    const most = site.family.mostCalls ?? MOST_CALLS;
    if (calls.length > most) this.#drop(candidate.family, candidate.template, `takes ${calls.length} calls`);
    if (calls.length > most || (this.#templates.get(candidate.template) ?? 0) >= PER_TEMPLATE) {
      release(candidate);
      return undefined;
    }
    return this.#pool.part(candidate);
  }

  /** Gates a candidate and keeps it if it passes. */
  #gate(candidate: Candidate, parts: readonly Part[]): boolean {
    const stream = this.#random.stream(`gate-${this.#tried++}`);
    const { world } = this.#ground;
    const made = taskOf(this.#ground, candidate, taskId(world, candidate, this.library.tasks.length), stream);
    const gated = (own: Task): { task: Task; certificate: Certificate } => ({
      task: own,
      certificate: gate(candidate.grounded?.ground ?? this.#ground, own, {
        random: stream,
        stray: this.#stray,
        other: candidate.otherPath,
        wrong: candidate.wrong,
        right: candidate.right,
      }),
    });
    const reworded = this.#options.reword?.(made) ?? made;
    const first = gated(reworded);
    const { task, certificate } = first.certificate.pass || reworded === made ? first : gated(made);
    const failed = certificate.findings.find(({ pass }) => !pass);
    const reason = failed ? `${failed.id}: ${failed.evidence[0] ?? ''}` : this.#options.refuses?.(made);
    if (reason !== undefined) {
      this.#drop(candidate.family, candidate.template, reason);
      return false;
    }
    this.library.tasks.push({ task, certificate });
    if (task.reference.calls.length >= LONG) this.#long++;
    if (parts.length > 1) this.#errands++;
    this.#pool.note(
      task.reference.calls,
      parts.flatMap(({ tables }) => tables),
    );
    for (const part of parts) {
      note(this.#templates, part.candidate.template);
      note(this.#used, part.candidate.service.id);
    }
    return true;
  }

  #tryPart(part: Part): void {
    this.#gate(part.candidate, [part]);
    release(part.candidate);
  }

  #tryPair({ first, second }: Pair): void {
    const made = errand(first.candidate, second.candidate, this.#random.stream(`pair-${this.#tried}`));
    if (typeof made === 'string')
      this.#drop('errand', `errand:${first.candidate.template}+${second.candidate.template}`, made);
    else {
      this.#gate(made, [first, second]);
      release(made);
    }
    release(first.candidate);
    release(second.candidate);
  }

  get #isDone(): boolean {
    return this.library.tasks.length >= this.#options.count;
  }

  get #wantsLong(): boolean {
    return this.#long < LONG_SHARE * (this.library.tasks.length + 1);
  }

  #takeLong(): Part | undefined {
    return this.#pool.takePart((part) => isLong(part) && this.#pool.isFree(part));
  }

  #takeShort(): Part | undefined {
    return this.#pool.takePart((part) => !isLong(part));
  }

  /** One step: a task of what waits, or a part more. */
  #step(): void {
    const { size } = this.#pool;
    const wantsErrand = this.#wantsLong && this.#errands < ERRAND_SHARE * (this.#long + 1);
    const pair = wantsErrand && size >= CHOICE ? this.#pool.takePair() : undefined;
    // Where parts do not go together, they are taken one by one rather than waited with.
    const mayWait = wantsErrand && size < MOST_WAITING;
    const waited = pair ? undefined : this.#wantsLong ? (mayWait ? undefined : this.#takeLong()) : this.#takeShort();
    const part = pair || waited ? undefined : this.#propose();
    if (pair) this.#tryPair(pair);
    else if (waited) this.#tryPart(waited);
    else if (part) this.#pool.add(part);
  }

  /** What waits when the tries have run out: pairs, short ones, and at last whatever there is. */
  #empty(): void {
    while (!this.#isDone) {
      const pair = this.#pool.takePair();
      const long = pair || !this.#wantsLong ? undefined : this.#takeLong();
      const part = pair ? undefined : (long ?? this.#takeShort() ?? this.#pool.takePart(() => true));
      if (pair) this.#tryPair(pair);
      else if (part) this.#tryPart(part);
      else return;
      this.#tell();
    }
  }

  #tell(): void {
    this.#options.onTry?.(this.library.tasks.length, this.#tried);
  }

  run(): Library {
    const most = this.#options.count * TRIES_PER_TASK;
    while (this.#sites.length > 0 && this.#tried < most && !this.#isDone) {
      this.#step();
      this.#tell();
    }
    this.#empty();
    this.#pool.drop();
    return this.library;
  }
}

/** Proposes and gates until `count` tasks are kept or the tries run out. Deterministic in world and seed. */
export const generateTasks = (world: LoadedWorld, options: GenerateOptions): Library =>
  new Making(world, options).run();
