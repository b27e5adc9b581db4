/**
 * What every rollout will call, made by really running it on an in-process session: the reference's calls in their order among
 * searches, lists and gets, a few refused on purpose. The load generator holds each answer against the digest kept here.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Task } from '../../src/artifacts/task.js';
import type { Corpus } from '../../src/corpus/corpus.js';
import { sha256 } from '../../src/kit/hash.js';
import { type Rng, rng } from '../../src/kit/rng.js';
import { actorOf, callerOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { gather } from '../../src/verify/evidence.js';
import { verify } from '../../src/verify/verdict.js';
import { dropGrounded, groundedWorld } from '../../src/world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { type Candidate, type Explorer, explorerOf, scalarsOf } from './explore.js';

export interface PlannedCall {
  service: string;
  tool: string;
  args: Candidate['args'];
  ok: boolean;
  /** It changed rows. */
  changes: boolean;
  /** SHA-256 of the result's JSON. */
  sha: string;
}

export interface PlannedRollout {
  /** `<worldId>/<taskId>`; absent: a session of the world. */
  task?: string;
  world: string;
  services: string[];
  answer: string;
  /** What the verifier says at the end; absent where there is no task. */
  pass?: boolean;
  calls: PlannedCall[];
}

const REFUSED = 0.04;
const SERVICES = 4;

/** Two of the core and two of the trade, those the reference needs among them. */
const servicesOf = (world: LoadedWorld, task: Task | undefined): string[] => {
  const needed = [...new Set(task?.reference.calls.map(({ service }) => service) ?? [])];
  const all = [...world.services.values()];
  const wish = (role: string): string[] => {
    const own = all.filter((service) => service.role === role).map(({ id }) => id);
    const offered = task?.services ?? [];
    return [...own.filter((id) => offered.includes(id)), ...own.filter((id) => !offered.includes(id))];
  };
  const chosen = new Set(needed);
  const fill = (ids: readonly string[], most: number): void => {
    let has = ids.filter((id) => chosen.has(id)).length;
    for (const id of ids) {
      if (has >= most || chosen.size >= SERVICES || chosen.has(id)) continue;
      chosen.add(id);
      has++;
    }
  };
  fill(wish('domain'), 2);
  fill(wish('core'), 2);
  fill([...wish('domain'), ...wish('core')], SERVICES);
  return all.map(({ id }) => id).filter((id) => chosen.has(id));
};

interface Wanted {
  task?: Task;
  count: number;
  /** How many of them change something, beside the reference's. */
  writes: number;
}

const planRollout = (world: LoadedWorld, explorer: Explorer, wanted: Wanted, random: Rng): PlannedRollout => {
  const { task, count, writes } = wanted;
  const services = servicesOf(world, task);
  const me = task ? callerOf(task.actor) : actorOf(world);
  const session = Session.open(world, { id: 'plan', services, me });
  const seen = new Set<string>();
  const calls: PlannedCall[] = [];
  const make = ({ tool, args }: Candidate): void => {
    const { ok, result, entry } = session.call(tool, structuredClone(args));
    scalarsOf(result, seen);
    const service = world.tools.get(tool)?.service.id as string;
    calls.push({ service, tool, args, ok, changes: entry.touched.length > 0, sha: sha256(JSON.stringify(result)) });
  };
  const reference = task?.reference.calls ?? [];
  const slots = random.shuffle(Array.from({ length: count }, (_, i) => i));
  const own = new Set(slots.slice(0, reference.length));
  const changing = new Set(slots.slice(reference.length, reference.length + writes));
  let next = 0;
  for (let i = 0; i < count; i++) {
    const given = own.has(i) ? reference[next++] : undefined;
    if (given) {
      make(given);
      continue;
    }
    const change = changing.has(i) ? explorer.write(session, services) : undefined;
    const bad = !change && random.chance(REFUSED) ? explorer.refused(session, services, seen) : undefined;
    const found = change ?? bad ?? explorer.read(session, services, seen);
    if (!found) throw new Error(`no call was found for ${world.spec.id} ${services.join(' ')}`);
    make(found);
  }
  const answer = task?.reference.answer ?? '';
  const pass = task && verify(task, gather(session, answer), 'plan').pass;
  session.drop();
  const id = world.spec.id;
  return {
    ...(task ? { task: `${id}/${task.id}`, pass: pass as boolean } : {}),
    world: id,
    services,
    answer,
    calls,
  };
};

/** How many calls each of `rollouts` makes: 20 to 60 where the mean allows, `calls` in all. */
export const shareOut = (calls: number, rollouts: number, random: Rng): number[] => {
  const mean = Math.floor(calls / rollouts);
  const spread = Math.floor(mean / 2);
  const counts = Array.from({ length: rollouts }, () => mean + random.int(-spread, spread));
  let over = counts.reduce((sum, count) => sum + count, 0) - calls;
  for (let i = 0; over !== 0; i = (i + 1) % rollouts) {
    const step = Math.sign(over);
    counts[i] = (counts[i] as number) - step;
    over -= step;
  }
  return counts;
};

export interface PlanOptions {
  rollouts: number;
  calls: number;
  /** Changing calls of a rollout beside its task's. */
  writes?: number;
  seed: string;
}

/** Tasks in turn over the worlds, so that rollouts next to one another are on different ones; without tasks, the worlds themselves. */
export const planRollouts = async (corpus: Corpus, options: PlanOptions): Promise<PlannedRollout[]> => {
  const random = rng(options.seed, 'plan');
  const counts = shareOut(options.calls, options.rollouts, random.stream('counts'));
  const worlds = corpus.worlds();
  const engine = await Engine.start();
  const plans: PlannedRollout[] = [];
  for (const [w, id] of worlds.entries()) {
    const mine = counts.map((_, i) => i).filter((i) => i % worlds.length === w);
    if (mine.length === 0) continue;
    const world = loadWorld(engine, corpus.readWorld(id));
    const { tasks } = corpus.readTasks(id);
    const own = random.stream(id);
    const explorer = explorerOf(world, own);
    for (const [n, i] of mine.entries()) {
      const task = tasks[n % Math.max(1, tasks.length)];
      const wanted = { ...(task ? { task } : {}), count: counts[i] as number, writes: options.writes ?? 0 };
      // A task that brings rows of its own starts on them, here as on the server.
      const grounded = groundedWorld(world, task?.grounding);
      plans[i] = planRollout(grounded, explorer, wanted, own);
      dropGrounded(world, grounded);
    }
    unloadWorld(world);
  }
  engine.close();
  return plans;
};

export const writePlans = (file: string, plans: readonly PlannedRollout[]): void =>
  writeFileSync(file, plans.map((plan) => JSON.stringify(plan)).join('\n'));

export const readPlans = (file: string): PlannedRollout[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => JSON.parse(line) as PlannedRollout);
