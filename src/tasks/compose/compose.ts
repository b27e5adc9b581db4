/** Composes one task of many stages on a world: grown, put into words, put through the gate (weft.txt 3.1.2). */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Binding, Call, Grounding, Profile, Task, TaskEdge, TaskNode } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { composedDisclosure } from '../disclosure/composed.js';
import { type Ground, prepareGround } from '../ground/ground.js';
import { PERSONAS } from '../words/tone.js';
import { errandsOf } from './errands.js';
import { composedGate, finalAnswer } from './gate.js';
import { type Grown, grow } from './grow.js';
import { type Contract, contractEdges } from './order.js';
import { type PlannedCase, planCases } from './rounds.js';
import { briefOf, objectiveOf } from './wording.js';

export interface ComposeWish {
  id: string;
  profile?: Profile;
  /** Stages wanted, and the fewest that will do. */
  stages: number;
  least: number;
  services: ReadonlySet<string>;
  leastServices: number;
  /** Processes used so far, the least used come first. */
  uses?: (errand: string) => number;
  stray: Call | undefined;
  random: Rng;
  /** The same task in other words, to be gated in those. */
  reword?: (task: Task) => Task;
}

export interface Composed {
  /** Steps that came to nothing. */
  dropped: Grown['dropped'];
  task: Task;
  certificate: Certificate;
}

/** Bindings of all stages under names of their own; what is the same row keeps one name. */
const bindingsOf = ({ stages }: Grown): Binding[] => {
  const out = new Map<string, Binding>();
  for (const { node, bindings } of stages)
    for (const binding of bindings) {
      const { service, table, key, name } = binding;
      const row = `${service}.${table}#${key}`;
      if (!out.has(row)) out.set(row, { ...binding, name: `${node}_${name}`.slice(0, 60) });
    }
  return [...out.values()];
};

const nodeOf = ({ node, family, task, service, calls }: Grown['stages'][number], ground: Ground): TaskNode => ({
  id: node,
  family,
  intent: task.brief,
  service,
  chain: calls.map(({ tool }) => ground.world.tools.get(tool)?.tool.tool.id ?? tool),
});

/** Stages that a case of a process takes at the most often; as many cases are planned as would fill the task. */
const STAGES_PER_CASE = 3;

const isOutOfOrder = ({ findings }: Certificate): boolean =>
  findings.some(
    ({ id, pass, evidence }) => id === 'alternatives_pass' && !pass && evidence[0]?.startsWith('other order'),
  );

const joined = (edges: readonly TaskEdge[], more: readonly TaskEdge[]): TaskEdge[] => [
  ...edges,
  ...more.filter(
    ({ from, to }) => !edges.some((edge) => edge.from === from && edge.to === to && edge.carries === 'state'),
  ),
];

const contractsOf = ({ stages }: Grown, world: LoadedWorld): Contract[] =>
  stages.map(({ calls, played }) => {
    const [reads, writes] = [new Set<string>(), new Set<string>()];
    for (const [i, { tool, service }] of calls.entries()) {
      const spec = world.tools.get(tool)?.tool.tool;
      // A look-up for a change is done again in any order.
      if ((played[i]?.touched.length ?? 0) > 0) for (const table of spec?.reads ?? []) reads.add(`${service}.${table}`);
      for (const { table } of spec?.writes ?? []) writes.add(`${service}.${table}`);
    }
    return { reads, writes };
  });

/** A composed task with its proof; a string says why the world gives none. */
export const composeTask = (base: Ground, wish: ComposeWish): Composed | string => {
  const { random } = wish;
  const able = errandsOf(base.world).filter(({ services }) => services.every((id) => isOpen(base, wish.services, id)));
  const uses = wish.uses ?? (() => 0);
  const errands = random.shuffle(able).sort((a, b) => uses(a.id) - uses(b.id));
  const wanted = Math.ceil(wish.stages / STAGES_PER_CASE);
  // A few processes on several cases each, rather than one of every kind.
  const chosen = errands.slice(0, Math.max(1, Math.ceil(wanted / 3)));
  const { cases, grounding } = planCases(base, chosen, wanted, random.stream('rounds'));
  const world = groundedWorld(base.world, grounding);
  try {
    return onGrounded(world === base.world ? base : regrounded(base, world), wish, cases, grounding);
  } finally {
    dropGrounded(base.world, world);
  }
};

/** The ground on the world with the task's own rows; spare values stay those of the world. */
const regrounded = (base: Ground, world: LoadedWorld): Ground => ({ ...prepareGround(world), spare: base.spare });

const onGrounded = (
  ground: Ground,
  wish: ComposeWish,
  cases: readonly PlannedCase[],
  grounding: Grounding,
): Composed | string => {
  const { random } = wish;
  const { world, actor } = ground;
  const persona = random.pick(PERSONAS);
  const grown = grow(ground, { ...wish, cases, persona });
  if (typeof grown === 'string') return grown;
  try {
    const used = new Set(grown.stages.flatMap(({ calls }) => calls.map(({ service }) => service)));
    const trade = [...used].filter((id) => world.services.get(id)?.role === 'domain');
    if (used.size < wish.leastServices) return `touches ${used.size} services, ${wish.leastServices} wanted`;
    const core = [...world.services.values()].filter(({ role }) => role === 'core').map(({ id }) => id);
    const offered = new Set([...used, ...core]);
    const objective = objectiveOf(grown.cases);
    const brief = briefOf(grown.stages, grown.cases, random.stream('brief'));
    const bindings = bindingsOf(grown);
    const plain: Task = {
      treadle: 'task/1',
      id: wish.id,
      kind: 'composed',
      world: world.hash,
      worldId: world.spec.id,
      services: [...world.services.keys()].filter((id) => offered.has(id)),
      actor: { name: actor.name, email: actor.email, title: actor.title },
      brief,
      snapshot: world.spec.snapshot,
      clock: world.spec.clock,
      nodes: grown.stages.map((stage) => nodeOf(stage, ground)),
      edges: grown.edges,
      bindings,
      disclosure: composedDisclosure(brief, grown.stages, bindings, objective?.reason),
      milestones: grown.milestones.all(),
      reference: {
        calls: grown.stages.flatMap(({ calls }) => calls),
        answer: finalAnswer(grown.stages),
        sources: grown.stages.flatMap(({ sources }) => sources),
      },
      ...(grounding.rounds.some(({ rows }) => rows.length > 0) ? { grounding } : {}),
      ...(wish.profile ? { profile: wish.profile } : {}),
      ...(objective ? { process: objective } : {}),
      lineage: { template: `composed:${objective?.id ?? 'walk'}:${trade.sort().join('+')}`, seed: world.spec.seed },
    };
    const task = wish.reword?.(plain) ?? plain;
    const gated = (own: Task): Composed => ({
      task: own,
      certificate: composedGate(ground, own, grown.stages, grown.rerun, {
        stray: wish.stray,
        random: random.stream('gate'),
      }),
      dropped: grown.dropped,
    });
    const first = gated(task);
    if (!isOutOfOrder(first.certificate)) return first;
    // A verb may ask for more than the rows it is given: then what contracts declare is depended on.
    return gated({
      ...task,
      edges: joined(
        task.edges,
        contractEdges(
          task.nodes.map(({ id }) => id),
          contractsOf(grown, world),
        ),
      ),
    });
  } finally {
    grown.rerun.drop();
    grown.course.drop();
  }
};

const isOpen = ({ world }: Ground, services: ReadonlySet<string>, id: string): boolean =>
  services.has(id) || world.services.get(id)?.role === 'core';
