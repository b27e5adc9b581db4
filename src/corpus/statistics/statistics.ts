/** Figures of a whole corpus, from its small files: surfaces, task lists, certificates. No task and no image is read. */
import type { Corpus } from '../corpus.js';
import type { WorldEntry } from '../listings.js';
import { type ListedTask, type TextDiversity, type ToolDiversity, textDiversity, toolDiversity } from './diversity.js';
import { type IndustryLevel, industryLevels, sectorOf } from './industries.js';
import { chainOf, maskedText, tablesOf } from './masked.js';
import { SurfaceCounts, type SurfaceFigures } from './surfaces.js';

/** How often each value occurs, most frequent first; ties by name. */
export type Counts = [string, number][];

export interface CorpusStatistics extends SurfaceFigures {
  worlds: number;
  certified: number;
  certified_share: number;
  services: number;
  tasks: number;
  industries: number;
  /** How many codes of each level of NAICS 2017 the worlds are of; `of` is how many the classification has. */
  industry_levels: IndustryLevel[];
  sectors: Counts;
  countries: number;
  by_country: Counts;
  by_service: Counts;
  by_family: Counts;
  /** Per world: how many worlds have so many. */
  services_a_world: Counts;
  tools_a_world: Counts;
  tasks_a_world: Counts;
  calls_a_task: Counts;
  text: TextDiversity;
  long_tasks: ToolDiversity;
}

const tally = (values: Iterable<string>): Counts => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
};

/** Numbers in groups of `step`, ascending: `40-59`. */
const grouped = (values: readonly number[], step: number): Counts => {
  const counts = new Map<number, number>();
  for (const value of values) {
    const low = Math.floor(value / step) * step;
    counts.set(low, (counts.get(low) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([low, n]) => [step === 1 ? `${low}` : `${low}-${low + step - 1}`, n]);
};

/** A world's tasks as statistics compare them; corpora of before have to be read for it. */
const tasksOf = (corpus: Corpus, world: string): (ListedTask & { family: string })[] => {
  const { tasks } = corpus.listTasks(world);
  if (tasks.every(({ masked, chain, tables }) => masked !== undefined && chain && tables))
    return tasks.map(({ brief, family, masked = '', chain = [], tables = [] }) => ({
      world,
      brief,
      family,
      masked,
      chain,
      tables,
    }));
  return corpus.readTasks(world).tasks.map((task) => ({
    world,
    brief: task.brief,
    family: task.nodes[0]?.family ?? '',
    masked: maskedText(task),
    chain: chainOf(task),
    tables: tablesOf(task),
  }));
};

const TOOLS_A_GROUP = 20;

/** All figures; `onWorld` hears how far reading is. Deterministic in the corpus. */
export const corpusStatistics = (
  corpus: Corpus,
  { worlds }: { worlds: readonly WorldEntry[] },
  onWorld?: (done: number) => void,
): CorpusStatistics => {
  const surfaces = new SurfaceCounts();
  const tasks: (ListedTask & { family: string })[] = [];
  for (const [i, { id }] of worlds.entries()) {
    surfaces.add(corpus.readSurface(id));
    tasks.push(...tasksOf(corpus, id));
    onWorld?.(i + 1);
  }
  const certified = worlds.filter((world) => world.certified).length;
  const byCountry = tally(worlds.map(({ country }) => country));
  const industries = new Set(worlds.map(({ industry }) => industry).filter(Boolean));
  return {
    worlds: worlds.length,
    certified,
    certified_share: Number((certified / Math.max(1, worlds.length)).toFixed(4)),
    services: worlds.reduce((sum, { services }) => sum + services.length, 0),
    ...surfaces.figures(),
    tasks: tasks.length,
    industries: industries.size,
    industry_levels: industryLevels(industries),
    sectors: tally(worlds.map(({ industry }) => sectorOf(industry))),
    countries: byCountry.length,
    by_country: byCountry,
    by_service: tally(worlds.flatMap(({ services }) => services)),
    by_family: tally(tasks.map(({ family }) => family)),
    services_a_world: grouped(
      worlds.map(({ services }) => services.length),
      1,
    ),
    tools_a_world: grouped(
      worlds.map(({ tools }) => tools),
      TOOLS_A_GROUP,
    ),
    tasks_a_world: grouped(
      worlds.map((world) => world.tasks),
      1,
    ),
    calls_a_task: grouped(
      tasks.map(({ chain }) => chain.length),
      1,
    ),
    text: textDiversity(tasks),
    long_tasks: toolDiversity(tasks),
  };
};
