/** Variants of a task (AgentMercury: ten a world): the same structure about other rows, asked by somebody else in other words. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Call, Task } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';
import { canonicalJson } from '../../kit/hash.js';
import { type Rng, rng } from '../../kit/rng.js';
import type { Candidate } from '../atomic/candidate.js';
import { errand } from '../atomic/errand.js';
import { taskOf } from '../atomic/task.js';
import { gate } from '../gate.js';
import type { Ground } from '../ground/ground.js';
import { release } from '../pool.js';
import { withMore } from './rows.js';
import { partsOf, sitesOf, structureOf } from './sites.js';

export interface VariantOptions {
  /** Variants wanted. */
  count: number;
  seed: string;
  /** A change that has nothing to do with the task, for the mutants. */
  stray: Call | undefined;
}

export interface Variants {
  tasks: { task: Task; certificate: Certificate }[];
  /** What stopped the tries that gave none. */
  dropped: string[];
}

/** Tries for each variant that is wanted. */
const TRIES = 24;
/** Rows that are added for a variant to be about one of them. */
const MORE_ROWS = 3;

/** A candidate of the template; a string says why there is none. */
const another = (ground: Ground, template: string, random: Rng, adds: boolean): Candidate | string => {
  const sites = sitesOf(ground, template);
  if (sites.length === 0) return 'no tool of the world gives this template';
  const { family, tool } = random.pick(sites);
  const more =
    adds && family.name !== 'repair'
      ? withMore(ground, tool.service, tool.tool.tool.table, MORE_ROWS, random.stream('rows'))
      : undefined;
  const own = more ? more.ground.world.tools.get(tool.name) : undefined;
  const made = family.make(more?.ground ?? ground, own ? { name: tool.name, ...own } : tool, random);
  if (typeof made === 'string' || structureOf(made.template) !== structureOf(template)) {
    if (typeof made !== 'string') release(made);
    more?.drop();
    return typeof made === 'string' ? made : 'another structure';
  }
  return more ? { ...made, grounded: more } : made;
};

/** An errand of new parts: both on the world as it is, since they are done on one state. */
const anotherErrand = (ground: Ground, parts: readonly string[], random: Rng): Candidate | string => {
  const made: Candidate[] = [];
  let why = '';
  for (const [i, part] of parts.entries()) {
    const one = another(ground, part, random.stream(`part-${i}`), false);
    if (typeof one === 'string') why = one;
    else made.push(one);
  }
  const [first, second] = made;
  const joined = first && second && made.length === parts.length ? errand(first, second, random) : why;
  for (const one of made) release(one);
  return joined;
};

/** What a task is about: the calls that meet it. Two variants of one reference would be one task. */
const aboutOf = (calls: readonly Call[]): string => canonicalJson(calls.map(({ tool, args }) => ({ tool, args })));

/**
 * Up to `count` variants of an atomic task, each gated by itself; `variant` numbers them from 1 and the lineage keeps the
 * template. Rows are the world's own and, every second time, new ones (Task.grounding). Deterministic in task and seed. Throws
 * `no_variants` for a composed task.
 */
export const variantsOf = (ground: Ground, task: Task, { count, seed, stray }: VariantOptions): Variants => {
  if (task.kind !== 'atomic')
    throw new TreadleError({
      code: 'no_variants',
      message: 'Variants are made of atomic tasks',
      value: task.id,
      next: 'Compose more tasks instead: treadle tasks --composed.',
    });
  const random = rng(seed, 'variants', task.id);
  const { template } = task.lineage;
  const parts = partsOf(template);
  const out: Variants = { tasks: [], dropped: [] };
  const seen = new Set([aboutOf(task.reference.calls)]);
  const asked = new Set([task.brief]);
  for (let turn = 0; out.tasks.length < count && turn < count * TRIES; turn++) {
    const stream = random.stream(`try-${turn}`);
    const made =
      parts.length > 1 ? anotherErrand(ground, parts, stream) : another(ground, template, stream, turn % 2 === 1);
    if (typeof made === 'string') {
      out.dropped.push(made);
      continue;
    }
    const about = aboutOf(made.plan.calls);
    if (seen.has(about) || asked.has(made.request)) {
      out.dropped.push('about the same rows as another');
      release(made);
      continue;
    }
    const variant = out.tasks.length + 1;
    const id = `${task.id}-v${variant}`.slice(-80).replace(/^[^a-z]+/, '');
    const own = made.grounded?.ground ?? ground;
    const drawn = taskOf(own, made, id, stream);
    const again: Task = { ...drawn, variant, lineage: { ...drawn.lineage, template } };
    const { otherPath: other, wrong, right } = made;
    const certificate = gate(own, again, { random: stream, stray, other, wrong, right });
    release(made);
    if (!certificate.pass) {
      out.dropped.push(certificate.findings.find(({ pass }) => !pass)?.id ?? 'unknown');
      continue;
    }
    seen.add(about);
    asked.add(made.request);
    out.tasks.push({ task: again, certificate });
  }
  return out;
};
