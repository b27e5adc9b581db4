/** How kept rollouts that no model made are made again, and making them. */
import type { Task } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import type { Recipe } from '../../../corpus/freeze/lock.js';
import { headOf, type TraceHead, type TraceLine } from '../../../corpus/traces/line.js';
import { eachTrace, traceHeads } from '../../../corpus/traces/read.js';
import { addressOf, canonicalJson } from '../../../kit/hash.js';
import { MISTAKES, type Mistake, planName } from '../../../rollout/agents/mistakes.js';
import { plannedPolicy } from '../../../rollout/agents/scripted.js';
import { sampleSeed } from '../../../rollout/many.js';
import { dropGrounded, groundedWorld } from '../../../world/grounded.js';
import type { LoadedWorld } from '../../../world/loaded.js';
import { policyOf } from '../acting.js';
import { type Acting, rollOut, type Scene, sampleId } from '../roll/attempt.js';

/** Policies whose producers say nothing of seed or sample: both are found by the rollout's id. */
const UNSEEDED = ['reference', 'stale', 'asking', 'none'] as const;
/** Samples of one task that are tried beyond those that are kept: others may have been dropped. */
const BEYOND = 8;

/**
 * What a rollout says and is judged as, whatever the order of its keys. `head` is that of the file: lists and choices go by it, so
 * an edited one is another rollout.
 */
export const lineHash = (line: TraceLine, head: TraceHead = headOf(line)): string => {
  const { trace, verdict, stages, reward, attempts } = line;
  return addressOf({
    head,
    trace,
    verdict,
    stages: stages ?? null,
    reward: reward ?? null,
    attempts: attempts ?? null,
  });
};

/** A world's kept rollouts with their hashes, in the order of the file. */
export const hashedTraces = function* (
  corpus: Corpus,
  world: string,
  where: (head: TraceHead) => boolean = () => true,
): Generator<{ line: TraceLine; hash: string }> {
  const heads = traceHeads(corpus, world).filter(where);
  let n = 0;
  for (const line of eachTrace(corpus, world, where)) yield { line, hash: lineHash(line, heads[n++]) };
};

/** `wrong_entity@1+shotgun_answer`, as `planName` writes it; undefined for what it would not write. */
const planIn = (name: string): Mistake[] | undefined => {
  const plan = (name === 'none' ? [] : name.split('+')).map((part) => {
    const [kind = '', step = '0'] = part.split('@');
    return { kind: kind as Mistake['kind'], step: Number(step) };
  });
  const isPlan = plan.every(({ kind, step }) => MISTAKES.includes(kind) && Number.isInteger(step));
  return isPlan && planName(plan) === name ? plan : undefined;
};

const policyFor = ({ policy, plan, seed, user, detail }: Recipe): Acting['policyFor'] => {
  if (policy !== 'scripted') return policyOf({ policy, user, detail, seed, retries: 0, timeout: 1 });
  const mistakes = planIn(plan ?? '') ?? [];
  return (task, sample) => plannedPolicy(task, mistakes, sampleSeed(seed, task.id, sample));
};

const actingOf = (recipe: Recipe): Acting => {
  const { seed, user, detail, turns, reward, faults } = recipe;
  return {
    seed,
    policyFor: policyFor(recipe),
    view: { user, detail, ...(faults ? { faults } : {}) },
    ...(turns === undefined ? {} : { limits: { turns } }),
    ...(reward ? { reward } : {}),
  };
};

/** The seed of the whole run is the first part of a sample's own. */
const runSeedOf = ({ trace }: TraceLine): string[] => {
  const { seed } = trace.producer;
  const found = seed === undefined ? null : /^(.*)\/[^/]+\/\d+$/s.exec(seed);
  return found ? [found[1] ?? ''] : [];
};

/** Seeds that runs over these rollouts may have had: those that the rollouts name, and the given ones. */
export const seedsOf = (lines: Iterable<TraceLine>, given: readonly string[]): string[] => {
  const seeds = new Set(given);
  for (const line of lines) for (const seed of runSeedOf(line)) seeds.add(seed);
  return [...seeds];
};

/** What was rolled out: a task, as it is or in a scenario. */
export interface Of {
  task: Task;
  /** The task's. */
  hash: string;
  scene?: Scene;
}

/** Policies, seeds and samples that may have made a rollout. */
const candidates = function* (
  line: TraceLine,
  { task, scene }: Of,
  seeds: readonly string[],
  samples: number,
): Generator<Recipe> {
  const { user, detail, faults, producer } = line.trace;
  const scenario = scene ? { scenario: scene.scenario.id } : {};
  const view = { task: task.id, ...scenario, user, detail, ...(faults ? { faults } : {}) };
  if (producer.policy === 'scripted' && planIn(producer.name)) {
    const found = /^(.*)\/([^/]+)\/(\d+)$/s.exec(producer.seed ?? '');
    if (found)
      yield { ...view, policy: 'scripted', plan: producer.name, seed: found[1] ?? '', index: Number(found[3]) };
    return;
  }
  for (const policy of UNSEEDED) {
    const recipe = { ...view, policy, seed: '', index: 0 };
    if (canonicalJson(policyFor(recipe)(task, 0).producer) !== canonicalJson(producer)) continue;
    for (const seed of seeds) for (let index = 0; index < samples + BEYOND; index++) yield { ...recipe, seed, index };
  }
};

/**
 * How `line` came about, found by its id; undefined where a model, a harness or a sampler had a part in it, or where its scenario is
 * gone.
 */
export const recipeOf = (line: TraceLine, of: Of, seeds: readonly string[], samples: number): Recipe | undefined => {
  const { trace, reward, attempts } = line;
  const isOurs = !trace.origin && !trace.gateway && !trace.dialogue?.model && !attempts;
  if (!isOurs || trace.scenario?.hash !== of.scene?.hash) return undefined;
  if (trace.finish === 'cut' || trace.finish === 'error') return undefined;
  for (const recipe of candidates(line, of, seeds, samples)) {
    if (sampleId({ ...of, index: recipe.index }, actingOf(recipe)) !== trace.id) continue;
    const penalties = Object.fromEntries(reward?.penalties.map(({ flag, amount }) => [flag, amount]) ?? []);
    return {
      ...recipe,
      ...(trace.finish === 'turn_limit' ? { turns: trace.usage.turns } : {}),
      ...(reward ? { reward: { shape: reward.shape, penalties } } : {}),
    };
  }
  return undefined;
};

/** `world` is without the task's own rows. */
export const makeAgain = async (world: LoadedWorld, of: Of, recipe: Recipe): Promise<TraceLine> => {
  const own = groundedWorld(world, of.task.grounding);
  try {
    return await rollOut({ world: own, ...of, index: recipe.index }, actingOf(recipe));
  } finally {
    dropGrounded(world, own);
  }
};
