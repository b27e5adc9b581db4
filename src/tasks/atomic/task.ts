/** From a candidate to a Task: brief with a greeting, disclosure, checks from a fresh reference run. */
import type { Check } from '../../artifacts/check.js';
import type { Task } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { checksOf } from '../checks.js';
import { disclosureOf, stageOf } from '../disclosure/stage.js';
import type { Ground } from '../ground/ground.js';
import { rubricOf } from '../rubric.js';
import type { Candidate } from './candidate.js';

/** Services whose tools the agent gets: the task's own, the company core, and one more to tell apart where there is one. */
const offered = (ground: Ground, own: readonly string[], random: Rng): string[] => {
  const services = [...ground.world.services.values()];
  const core = services.filter(({ role }) => role === 'core').map(({ id }) => id);
  const others = services.filter(({ role, id }) => role === 'domain' && !own.includes(id)).map(({ id }) => id);
  const extra = others.length > 0 ? [random.pick(others)] : [];
  const chosen = new Set([...own, ...core, ...extra]);
  return services.map(({ id }) => id).filter((id) => chosen.has(id));
};

/** The task as it will be gated. The candidate's plan session holds the reference run that the checks come from. */
export const taskOf = (ground: Ground, candidate: Candidate, id: string, random: Rng): Task => {
  const { world, actor } = ground;
  const { service, plan } = candidate;
  const checks: Check[] = [...checksOf(plan.session), ...(candidate.checks ?? [])];
  const changes = checks.some(({ kind }) => kind !== 'unchanged');
  if (candidate.answer) checks.unshift({ kind: 'answer', id: 'answer', footprint: [] });
  const chain = plan.calls.map((call) => world.tools.get(call.tool)?.tool.tool.id ?? call.tool);
  const brief = candidate.request;
  return {
    treadle: 'task/1',
    id,
    kind: 'atomic',
    world: world.hash,
    worldId: world.spec.id,
    services: offered(ground, [...new Set([service.id, ...plan.calls.map((call) => call.service)])], random),
    actor: { name: actor.name, email: actor.email, title: actor.title },
    brief,
    snapshot: world.spec.snapshot,
    clock: world.spec.clock,
    nodes: [{ id: 'a1', family: candidate.family, intent: candidate.request, service: service.id, chain }],
    edges: [],
    bindings: candidate.bindings,
    disclosure: disclosureOf(candidate.persona, actor.title, brief, [
      stageOf(ground, candidate, 'a1', random.stream('disclosure')),
    ]),
    milestones: [{ id: 'm1', node: 'a1', checks, rubric: rubricOf(brief, { ...candidate, changes }) }],
    ...(candidate.answer ? { answer: candidate.answer } : {}),
    reference: { calls: plan.calls, answer: candidate.says, sources: plan.sources },
    ...(candidate.grounded ? { grounding: candidate.grounded.grounding } : {}),
    lineage: { template: candidate.template, seed: world.spec.seed },
  };
};
