/**
 * Composes a corpus' tasks: profiles get their quotas exactly, services are drawn by use, worlds are shared among processes. A slot
 * that came to nothing is drawn anew within its profile, in rounds, so that how many processes there are changes nothing.
 */
import type { Certificate } from '../../../artifacts/certificate.js';
import type { Profile, Task } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import { rng } from '../../../kit/rng.js';
import { type Profiles, quotasOf } from '../../../tasks/compose/profiles.js';
import { type Judge, Sampler } from '../../../tasks/compose/sample.js';
import { type Supply, supplyOf } from '../../../tasks/compose/supply.js';
import type { TaskModels } from '../../../tasks/model/models.js';
import type { Interrupt } from '../../interrupt.js';
import { openQueue, type Queue } from '../queue/open.js';
import { keepLists, restoreLists } from './lists.js';
import { polished } from './polish.js';
import type { Done, Slot } from './protocol.js';
import { type Composing, composeOrders, type WorldSlots } from './work.js';

/** Rounds in which slots that came to nothing are drawn anew. */
const MOST_ROUNDS = 8;

export interface ComposePlan {
  corpus: Corpus;
  worlds: readonly string[];
  count: number;
  profiles: Profiles;
  /** Shares in place of the profile file's. */
  mix?: Readonly<Record<Profile, number>>;
  seed: string;
  jobs: number;
  interrupt?: Interrupt;
  onDone?: (done: number, kept: number) => void;
  /** Atomic tasks of each service that passed the gate, where the world has a library. */
  certified?: (world: string) => ReadonlyMap<string, number> | undefined;
  /** Judges whether services make one objective; by rules where it is absent. */
  judge?: Judge;
  /** Judges and rewords tasks. */
  models?: TaskModels;
}

export interface ComposedCorpus {
  tasks: { task: Task; certificate: Certificate; cpuMs: number }[];
  quotas: Record<Profile, number>;
  /** Tasks of each profile that could not be made. */
  missing: Record<Profile, number>;
  /** Tries that came to nothing, by reason. */
  dropped: { profile: Profile; world: string; why: string }[];
  /** Combinations that were drawn and not taken, by reason. */
  rejected: Record<string, number>;
  /** Stages of kept tasks by service archetype and by domain. */
  tries: number;
}

const taskId = (world: string, profile: string, index: number): string =>
  `${world}-${profile}-${String(index + 1).padStart(4, '0')}`
    .replaceAll('_', '-')
    .slice(-80)
    .replace(/^[^a-z]+/, '');

const byWorld = (slots: readonly Slot[]): WorldSlots[] => {
  const out = new Map<string, Slot[]>();
  for (const slot of slots) out.set(slot.world, [...(out.get(slot.world) ?? []), slot]);
  return [...out]
    .map(([world, own]) => ({ world, slots: own }))
    .sort((a, b) => b.slots.length - a.slots.length || (a.world < b.world ? -1 : 1));
};

const suppliesOf = ({ corpus, worlds, certified }: ComposePlan): Supply[] =>
  worlds.map((id) => {
    const { world, services } = corpus.readDescription(id);
    return supplyOf(world, services, certified?.(id));
  });

/**
 * `keep` writes what is made; until it has, all that was composed is in the corpus' queue, and the same plan goes on there. Throws
 * `profile_out_of_reach`, `bad_mix`, and what `openQueue` and `crew` do.
 */
export const composeCorpus = async (
  plan: ComposePlan,
  keep: (made: ComposedCorpus) => void = () => undefined,
): Promise<ComposedCorpus> => {
  const queue = await openQueue(plan.corpus, 'composed');
  let isOver = false;
  try {
    await restoreLists(queue, plan.corpus);
    const made = await composed(plan, queue);
    keep(made);
    isOver = true;
    return made;
  } finally {
    await queue.close(isOver);
  }
};

const composed = async (plan: ComposePlan, queue: Queue): Promise<ComposedCorpus> => {
  const { profiles, count, seed } = plan;
  const shares =
    plan.mix ??
    (Object.fromEntries(Object.entries(profiles.profiles).map(([name, { share }]) => [name, share])) as Record<
      Profile,
      number
    >);
  const quotas = quotasOf(count, shares);
  const sampler = new Sampler(suppliesOf(plan), profiles, rng(seed, 'compose', 'sample'), plan.judge);
  const out: ComposedCorpus = {
    tasks: [],
    quotas,
    missing: Object.fromEntries(Object.keys(quotas).map((name) => [name, 0])) as Record<Profile, number>,
    dropped: [],
    rejected: sampler.rejected,
    tries: 0,
  };
  let open = (Object.entries(quotas) as [Profile, number][])
    .flatMap(([profile, n]) => Array.from({ length: n }, () => profile))
    .map((profile, index) => ({ profile, index }));
  const kept: (ComposedCorpus['tasks'][number] | undefined)[] = [];
  for (let round = 0; round < MOST_ROUNDS && open.length > 0; round++) {
    const slots: Slot[] = [];
    for (const { profile, index } of open) {
      const { world, services, stages } = await sampler.next(profile);
      const ranges = profiles.profiles[profile] as NonNullable<(typeof profiles.profiles)[Profile]>;
      const least = ranges.stages[0];
      // After some tries the profile's own lower end will do.
      const wanted = round < MOST_ROUNDS / 2 ? stages : Math.max(least, Math.round((least + stages) / 2));
      slots.push({
        index,
        attempt: round,
        id: taskId(world, profile, index),
        profile,
        world,
        services,
        stages: wanted,
        least,
        leastServices: Math.min(2, ranges.services[0]),
      });
    }
    const { models } = plan;
    const composing: Composing = { ...plan, queue, wantsAccounts: models?.work.judge ?? false };
    if (round === 0) await keepLists(queue, plan.corpus, plan.worlds);
    const first = await composeOrders(composing, byWorld(slots));
    const again = (own: readonly Slot[]): Promise<Done[]> =>
      composeOrders({ ...composing, onDone: undefined }, byWorld(own));
    const done = models ? await polished(models, slots, first, again) : first;
    out.tries += done.length;
    const failed: typeof open = [];
    for (const { index, task, certificate, why, cpuMs } of done.sort((a, b) => a.index - b.index)) {
      const slot = slots.find((one) => one.index === index) as Slot;
      if (task && certificate) kept[index] = { task, certificate, cpuMs };
      else {
        out.dropped.push({ profile: slot.profile, world: slot.world, why: why ?? '' });
        failed.push({ profile: slot.profile, index });
      }
    }
    open = failed;
  }
  for (const { profile } of open) out.missing[profile]++;
  out.tasks = kept.filter((one) => one !== undefined);
  return out;
};
