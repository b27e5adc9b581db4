/**
 * Near-twins in a library: tasks whose text is the same once names, numbers and dates are masked, and tasks whose chain of
 * tools is the same. 20 worlds x 20 tasks from the catalogue (`--small`: 3 x 8).
 */

import { assembleWorld } from '../src/author/assemble.js';
import { authorFromBrief } from '../src/author/catalogue/author.js';
import { chainOf, maskedText } from '../src/corpus/statistics/masked.js';
import { generateTasks } from '../src/tasks/generate.js';
import { loadWorld, unloadWorld } from '../src/world/loaded.js';
import { Engine } from '../src/world/state/engine.js';

const BRIEFS = [
  'a private school in Warsaw',
  'a law firm in Toronto',
  'a wholesale nursery in Kerala',
  'a fleet of delivery vans in Manchester',
  'an insurance company in Zurich',
  'a hospital in Dublin',
  'a software company in Austin',
  'a construction company in Oslo',
  'a hotel in Porto',
  'a machine shop in Stuttgart',
  'an online shop for climbing gear in Innsbruck',
  'a dental practice in Leeds',
  'a gym chain in Sao Paulo',
  'a recruitment agency in Singapore',
  'a freight forwarder in Rotterdam',
  'a solar installer in Adelaide',
  'a charity in Nairobi',
  'a museum in Vienna',
  'a call centre in Manila',
  'a dairy farm in New Zealand',
];

/** Share of items that have an equal among the others. */
const twins = (items: readonly string[]): number => {
  const seen = new Map<string, number>();
  for (const item of items) seen.set(item, (seen.get(item) ?? 0) + 1);
  const twin = items.filter((item) => (seen.get(item) ?? 0) > 1).length;
  return items.length === 0 ? 0 : Number((twin / items.length).toFixed(4));
};

const mean = (values: readonly number[]): number =>
  Number((values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)).toFixed(4));

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const small = args.includes('--small');
  const [worlds, count] = small ? [3, 8] : [20, 20];
  const engine = await Engine.start();
  const texts: string[] = [];
  const chains: string[] = [];
  const within = { text: [] as number[], chain: [] as number[] };
  const calls: Record<string, number> = {};
  const families: Record<string, number> = {};
  let dropped = 0;
  for (const [i, brief] of BRIEFS.slice(0, worlds).entries()) {
    const world = loadWorld(engine, assembleWorld(engine, authorFromBrief(brief, { seed: `twins-${i}` })));
    const library = generateTasks(world, { count, seed: `twins-${i}` });
    dropped += library.dropped.length;
    const own = library.tasks.map(({ task }) => ({
      text: maskedText(task),
      chain: chainOf(task).join(' > '),
    }));
    texts.push(...own.map(({ text }) => text));
    chains.push(...own.map(({ chain }) => chain));
    within.text.push(twins(own.map(({ text }) => text)));
    within.chain.push(twins(own.map(({ chain }) => chain)));
    for (const { task } of library.tasks) {
      const length = String(task.reference.calls.length);
      calls[length] = (calls[length] ?? 0) + 1;
      const family = task.nodes[0]?.family ?? '';
      families[family] = (families[family] ?? 0) + 1;
    }
    unloadWorld(world);
  }
  engine.close();
  return {
    worlds,
    tasks: texts.length,
    dropped,
    text_twins: twins(texts),
    text_twins_within_a_world: mean(within.text),
    chain_twins: twins(chains),
    chain_twins_within_a_world: mean(within.chain),
    calls,
    families,
  };
};
