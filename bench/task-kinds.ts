/**
 * Tasks of each family over worlds of a corpus: proposed, kept, and what stopped the rest, by line of the gate.
 * `npm run bench -- task-kinds DIR [--worlds N] [--from N] [--kind NAME] [--a-world N] [--tries N] [--print]`
 */
import { Corpus } from '../src/corpus/corpus.js';
import { rng } from '../src/kit/rng.js';
import { FAMILIES } from '../src/tasks/atomic/families.js';
import { strayCall } from '../src/tasks/generate.js';
import { prepareGround } from '../src/tasks/ground/ground.js';
import { emptySurvey, type Survey, survey } from '../src/tasks/kinds/survey.js';
import { loadWorld, unloadWorld } from '../src/world/loaded.js';
import { Engine } from '../src/world/state/engine.js';

const option = (args: readonly string[], name: string, fallback: string): string => {
  const at = args.indexOf(name);
  return at < 0 ? fallback : (args[at + 1] ?? fallback);
};

/** Answers with the counts by family; CPU in milliseconds a kept task. */
export const main = async (args: readonly string[]): Promise<unknown> => {
  const corpus = Corpus.open(args[0] ?? 'treadle-out');
  const from = Number(option(args, '--from', '0'));
  const worlds = corpus.worlds().slice(from, from + Number(option(args, '--worlds', '40')));
  const kinds = option(args, '--kind', '');
  const families = FAMILIES.filter(({ name }) => kinds === '' || kinds.split(',').includes(name));
  const options = { wanted: Number(option(args, '--a-world', '2')), tries: Number(option(args, '--tries', '12')) };
  const engine = await Engine.start();
  const all = new Map<string, Survey & { cpu: number }>(
    families.map(({ name }) => [name, { ...emptySurvey(), cpu: 0 }]),
  );
  for (const id of worlds) {
    const world = loadWorld(engine, corpus.readWorld(id));
    const ground = prepareGround(world);
    const stray = strayCall(ground, rng('kinds', id, 'stray'));
    for (const family of families) {
      const found = all.get(family.name) as Survey & { cpu: number };
      const started = process.cpuUsage();
      const before = found.kept.length;
      survey(ground, family, { ...options, random: rng('kinds', id, family.name), stray }, found);
      found.cpu += process.cpuUsage(started).user / 1000;
      if (args.includes('--print'))
        for (const { task } of found.kept.slice(before))
          process.stdout.write(
            `\n[${task.lineage.template}] ${task.reference.calls.length} calls\n  ${task.brief}\n  -> ${task.reference.answer}\n`,
          );
    }
    unloadWorld(world);
  }
  engine.close();
  const table = Object.fromEntries(
    [...all].map(([name, { tried, proposed, kept, stopped, without, cpu }]) => [
      name,
      {
        tried,
        proposed,
        kept: kept.length,
        stopped,
        without,
        cpu_ms_a_task: Math.round(cpu / Math.max(1, kept.length)),
      },
    ]),
  );
  if (args.includes('--print'))
    for (const [, { evidence }] of all) for (const line of evidence) process.stdout.write(`stopped ${line}\n`);
  return { worlds: worlds.length, kinds: table };
};
