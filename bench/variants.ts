/**
 * Variants of the tasks of a corpus: how many of those wanted pass the gate, and what stops the others.
 * `npm run bench -- variants DIR [--worlds N] [--from N] [--variants N] [--tasks N] [--print]`
 */
import { Corpus } from '../src/corpus/corpus.js';
import { rng } from '../src/kit/rng.js';
import { generateTasks, strayCall } from '../src/tasks/generate.js';
import { prepareGround } from '../src/tasks/ground/ground.js';
import { variantsOf } from '../src/tasks/variants/variants.js';
import { loadWorld, unloadWorld } from '../src/world/loaded.js';
import { Engine } from '../src/world/state/engine.js';

const option = (args: readonly string[], name: string, fallback: number): number => {
  const at = args.indexOf(name);
  return at < 0 ? fallback : Number(args[at + 1] ?? fallback);
};

const more = (counts: Record<string, number>, key: string, n = 1): void => {
  counts[key] = (counts[key] ?? 0) + n;
};

/** Answers with counts over all tasks and by family; CPU in milliseconds a variant. */
export const main = async (args: readonly string[]): Promise<unknown> => {
  const corpus = Corpus.open(args[0] ?? 'treadle-out');
  const from = option(args, '--from', 0);
  const worlds = corpus.worlds().slice(from, from + option(args, '--worlds', 10));
  const count = option(args, '--variants', 10);
  const engine = await Engine.start();
  const [wanted, kept, dropped]: Record<string, number>[] = [{}, {}, {}];
  const total = { templates: 0, variants: 0, with_rows_of_their_own: 0, full: 0 };
  const started = process.cpuUsage();
  for (const id of worlds) {
    const world = loadWorld(engine, corpus.readWorld(id));
    const ground = prepareGround(world);
    const stray = strayCall(ground, rng('variants', id, 'stray'));
    for (const { task } of generateTasks(world, { count: option(args, '--tasks', 4), seed: 'variants' }).tasks) {
      const { tasks, dropped: why } = variantsOf(ground, task, { count, seed: 'bench', stray });
      const family = task.nodes[0]?.family ?? '';
      total.templates++;
      total.variants += tasks.length;
      total.with_rows_of_their_own += tasks.filter((one) => one.task.grounding !== undefined).length;
      total.full += tasks.length === count ? 1 : 0;
      more(wanted as Record<string, number>, family, count);
      more(kept as Record<string, number>, family, tasks.length);
      for (const reason of why) more(dropped as Record<string, number>, reason);
      if (args.includes('--print'))
        process.stdout.write(
          `\n[${task.lineage.template}]\n  ${[task.brief, ...tasks.map((one) => one.task.brief)].join('\n  ')}\n`,
        );
    }
    unloadWorld(world);
  }
  engine.close();
  const cpu = process.cpuUsage(started).user / 1000;
  return { ...total, cpu_ms_a_variant: Math.round(cpu / Math.max(1, total.variants)), wanted, kept, dropped };
};
