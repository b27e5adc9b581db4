/**
 * The embedded author: proposes tasks for a service by planning over its tools' contracts. Each tool that no task calls yet is a
 * target; the families that can end in it, or read with it, are its ways. What several tools would do, the plan does with one
 * that is still a target, so that a change's look-ups cover readers on the side.
 */
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Candidate } from '../atomic/candidate.js';
import { FAMILIES, type FamilyEntry } from '../atomic/families.js';
import { policiesOf } from '../gate.js';
import type { Ground } from '../ground/ground.js';
import type { NamedTool } from '../ground/plan.js';
import { finders, toolsOf } from '../ground/reveal.js';
import { release } from '../pool.js';
import { type AtomicProposal, chainIn, proposalOf } from './proposal.js';
import type { Feedback, Synthesizer } from './synthesizer.js';

/** One thing asked for: more calls than this are a chore list. */
const MOST_CALLS = 5;
/** Tries for one target in one round, and in all: a way may find nothing on one draw and something on the next. */
const TRIES_A_ROUND = 4;
const MOST_TRIES = 16;

interface Way {
  family: FamilyEntry;
  tool: NamedTool;
}

interface Target {
  tool: NamedTool;
  /** `service.tool.id`, as chains say it. */
  id: string;
  ways: readonly Way[];
  tries: number;
}

/** Why a tool has no task: the author's last reason, or the gate's. */
export interface Gap {
  tool: string;
  reason: string;
}

const isRead = ({ tool: { tool } }: NamedTool): boolean => tool.writes.length === 0;

/** Changes first: their look-ups cover readers. Then what is read by key, whose look-ups cover finders. */
const rank = (tool: NamedTool): number => {
  const { op } = tool.tool.tool;
  if (!isRead(tool)) return 0;
  return op === 'get' ? 1 : op === 'search' ? 2 : 3;
};

const onTools = (tools: readonly NamedTool[], { world }: Ground): Way[] =>
  tools.flatMap((tool) =>
    FAMILIES.filter((family) => !family.leavesBe && family.growsOn(tool, world)).map((family) => ({ family, tool })),
  );

/** Tables whose rows point to `table`. */
const pointingTo = ({ spec }: LoadedService, table: string): string[] =>
  Object.entries(spec.tables).flatMap(([name, { cols }]) =>
    name !== table && Object.values(cols).some(({ fk }) => fk === table) ? [name] : [],
  );

/** How a task can come to call the tool. */
const waysTo = (ground: Ground, service: LoadedService, tool: NamedTool): Way[] => {
  const direct = onTools([tool], ground);
  if (!isRead(tool) || direct.length > 0) return direct;
  const { table } = tool.tool.tool;
  // What is read by key is best read after a look-up of its own table.
  const own = onTools(finders(ground.world, service, table), ground);
  const near = own.filter(({ family }) => family.name === 'lookup');
  const around = pointingTo(service, table).flatMap((from) => finders(ground.world, service, from));
  return [...near, ...onTools(around, ground), ...own.filter((way) => !near.includes(way))];
};

export class EmbeddedAuthor implements Synthesizer<AtomicProposal> {
  readonly #ground: Ground;
  readonly #service: LoadedService;
  readonly #random: Rng;
  readonly #targets: readonly Target[];
  readonly #reasons = new Map<string, string>();

  constructor(ground: Ground, service: LoadedService, random: Rng) {
    this.#ground = ground;
    this.#service = service;
    this.#random = random;
    const tools = toolsOf(ground.world, service.id);
    this.#targets = tools
      .map((tool) => ({
        tool,
        id: `${service.id}.${tool.tool.tool.id}`,
        ways: isRead(tool) ? waysTo(ground, service, tool) : this.#ordered(waysTo(ground, service, tool), tool),
        tries: 0,
      }))
      .sort((a, b) => rank(a.tool) - rank(b.tool));
  }

  /** Ways by their families' weight, drawn for each tool anew. */
  #ordered(ways: readonly Way[], { name }: NamedTool): Way[] {
    const random = this.#random.stream(`ways-${name}`);
    const left = [...ways];
    const out: Way[] = [];
    while (left.length > 0) {
      const way = random.weighted(left.map((one) => [one, one.family.weight] as const));
      left.splice(left.indexOf(way), 1);
      out.push(way);
    }
    return out;
  }

  first(): AtomicProposal[] {
    return this.#batch(new Set(this.#targets.map(({ id }) => id)));
  }

  revise({ uncovered, failures }: Feedback<AtomicProposal>): AtomicProposal[] {
    this.#note(failures);
    return this.#batch(new Set(uncovered));
  }

  #note(failures: Feedback<AtomicProposal>['failures']): void {
    for (const { proposal, diagnostics } of failures) this.#reasons.set(proposal.target, diagnostics[0] ?? '');
  }

  /** Tools without a task among `uncovered`, with what stood in the way. */
  gaps({ uncovered, failures }: Pick<Feedback<AtomicProposal>, 'uncovered' | 'failures'>): Gap[] {
    this.#note(failures);
    return uncovered.map((tool) => ({ tool, reason: this.#reasons.get(tool) ?? 'no family of tasks grows on it' }));
  }

  #batch(uncovered: ReadonlySet<string>): AtomicProposal[] {
    const open = new Set(uncovered);
    const out: AtomicProposal[] = [];
    for (const target of this.#targets) {
      const proposal = open.has(target.id) ? this.#propose(target, open) : undefined;
      if (!proposal) continue;
      for (const tool of proposal.chain) open.delete(tool);
      out.push(proposal);
    }
    return out;
  }

  #propose(target: Target, open: ReadonlySet<string>): AtomicProposal | undefined {
    const ground = { ...this.#ground, prefers: this.#preferred(target, open) };
    for (let i = 0; i < TRIES_A_ROUND && target.tries < MOST_TRIES; i++) {
      const way = target.ways[target.tries % Math.max(1, target.ways.length)];
      const random = this.#random.stream(`${target.id}-${target.tries++}`);
      if (!way) return undefined;
      const made = way.family.make(ground, way.tool, random);
      const reason = typeof made === 'string' ? made : this.#unfit(made, target, way.family.mostCalls ?? MOST_CALLS);
      if (typeof made !== 'string' && reason === undefined) return proposalOf(ground, made, target.id, random);
      if (typeof made !== 'string') release(made);
      this.#reasons.set(target.id, reason ?? '');
    }
    return undefined;
  }

  #preferred({ tool }: Target, open: ReadonlySet<string>): ReadonlySet<string> {
    const names = this.#targets.filter(({ id }) => open.has(id)).map((other) => other.tool.name);
    return new Set([tool.name, ...names]);
  }

  #unfit(candidate: Candidate, { id }: Target, most: number): string | undefined {
    const { calls } = candidate.plan;
    if (calls.length > most) return `takes ${calls.length} calls`;
    if (!chainIn(this.#ground.world, calls).includes(id)) return 'the plan does without it';
    const { broken } = policiesOf(this.#ground, candidate.plan.session);
    return broken[0] ? `obeys_policy: ${broken[0].says}` : undefined;
  }

  get service(): LoadedService {
    return this.#service;
  }
}
