/** The corpus a benchmark serves: worlds of the catalogue, each from another brief, with gated tasks. Made once, or found in a folder. */
import { rmSync } from 'node:fs';
import type { Certificate } from '../../src/artifacts/certificate.js';
import { assembleWorld, type BuiltWorld } from '../../src/author/assemble.js';
import { authorFromBrief } from '../../src/author/catalogue/author.js';
import type { WorldDraft } from '../../src/author/draft.js';
import { Corpus } from '../../src/corpus/corpus.js';
import { addressOf } from '../../src/kit/hash.js';
import { generateTasks } from '../../src/tasks/generate.js';
import { loadWorld, unloadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';

const TRADES = [
  'a private school',
  'a law firm',
  'a wholesale nursery',
  'a fleet of delivery vans',
  'an insurance company',
  'a hospital',
  'a software company with a help desk',
  'a construction company',
  'a hotel',
  'a machine shop making pump parts',
  'an online shop for climbing gear',
  'a dental practice',
  'a gym chain',
  'a recruitment agency',
  'a freight forwarder',
  'a solar installer',
  'a charity',
  'a museum',
  'a call centre',
  'a dairy farm',
];
const CITIES = ['Warsaw', 'Toronto', 'Manchester', 'Zurich', 'Porto'];

export interface CorpusPlan {
  worlds: number;
  tasks: number;
  /** Services a world is cut down to; whole worlds when absent. */
  services?: number;
}

export const briefOf = (index: number): string =>
  `${TRADES[index % TRADES.length]} in ${CITIES[Math.floor(index / TRADES.length) % CITIES.length]}`;

/** The directory, mail, and trade services up to `count`; rules that speak of others go. */
const cutTo = (draft: WorldDraft, count: number): WorldDraft => {
  const core = draft.services.filter(({ role }) => role === 'core').slice(0, 2);
  const trade = draft.services.filter(({ role }) => role === 'domain').slice(0, count - core.length);
  const rest = draft.services.filter((each) => ![...core, ...trade].includes(each));
  const services = [...core, ...trade, ...rest.slice(0, count - core.length - trade.length)];
  const has = (id: string): boolean => services.some(({ spec }) => spec.id === id);
  const invariants = draft.invariants.filter(({ trigger, target }) => has(trigger.service) && has(target.service));
  const kept = new Set(invariants.map(({ id }) => id));
  return {
    ...draft,
    services,
    invariants,
    links: draft.links.filter(({ from, to }) => has(from.service) && has(to.service)),
    policies: draft.policies.filter(({ invariant }) => invariant === undefined || kept.has(invariant)),
    processes: [],
  };
};

/** Not certified: it says whose certificate it is, so that publishing need not read the world, and claims nothing. */
const unproven = ({ world }: BuiltWorld): Certificate => ({
  treadle: 'certificate/1',
  kind: 'world',
  subject: addressOf(world),
  name: world.id,
  pass: false,
  findings: [],
});

const writeWorld = (corpus: Corpus, engine: Engine, index: number, plan: CorpusPlan, tasks: number): number => {
  const seed = `serve-${index}`;
  const whole = authorFromBrief(briefOf(index), { seed });
  const built = assembleWorld(engine, plan.services === undefined ? whole : cutTo(whole, plan.services));
  const loaded = loadWorld(engine, built);
  const library = tasks === 0 ? { tasks: [], dropped: [] } : generateTasks(loaded, { count: tasks, seed });
  unloadWorld(loaded);
  corpus.writeWorld({ ...built, certificates: { world: unproven(built) } });
  corpus.writeTasks(built.world.id, {
    tasks: library.tasks.map(({ task }) => task),
    certificates: Object.fromEntries(library.tasks.map(({ task, certificate }) => [task.id, certificate])),
    dropped: library.dropped,
  });
  return library.tasks.length;
};

/**
 * The corpus in `dir`, made where the folder is empty. A world that gives fewer tasks than its share is made up for by the next.
 * Deterministic: one plan, one set of bytes.
 */
export const corpusFor = async (dir: string, plan: CorpusPlan): Promise<Corpus> => {
  const corpus = Corpus.open(dir, true);
  const has = corpus.worlds().length;
  if (has >= plan.worlds) return corpus;
  if (has > 0) {
    // Half of one: its worlds do not say which briefs they are of.
    rmSync(corpus.path('worlds'), { recursive: true });
  }
  const engine = await Engine.start();
  let tasks = 0;
  for (let index = 0; index < plan.worlds; index++) {
    const share = Math.ceil((plan.tasks - tasks) / (plan.worlds - index));
    tasks += writeWorld(corpus, engine, index, plan, share);
  }
  engine.close();
  return corpus;
};
