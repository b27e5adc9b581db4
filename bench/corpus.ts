/**
 * A corpus as `treadle build --worlds N --countries 50 --industries all` makes it, with as many workers as cores: how long, how
 * much memory, how many worlds pass all validators, and how alike worlds and tasks are (`near_twin_share`: tasks whose raw TF-IDF
 * cosine to another is above 0.99; the stricter shares are of tasks of three calls and more).
 * `--worlds N` (200; `--small`: 6), `--tasks N` a world (4; AgentMercury's corpus has 10), `--jobs N`, `--out DIR` keeps the corpus.
 * The children are the built ones: `npm run build` first. `rss_mib` is the most that all processes together held, of Linux' /proc.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { noInterrupt } from '../src/cli/interrupt.js';
import { build } from '../src/cli/pipeline/build.js';
import { countriesOf, industriesOf, sweep } from '../src/cli/pipeline/sweep.js';
import { makeUi } from '../src/cli/ui.js';
import { readIndex } from '../src/corpus/catalog.js';
import { Corpus } from '../src/corpus/corpus.js';
import { corpusStatistics } from '../src/corpus/statistics/statistics.js';
import { elapsedMs } from '../src/kit/clock.js';

const SEED = 'corpus';
const LOOK_MS = 500;

/** Proportional set size of a process in KiB: pages that processes share count once over all of them. */
const sizeOf = (pid: string): number => {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
};

/** This process and all below it. */
const family = (): string[] => {
  const parents = new Map<string, string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1];
      if (parent) parents.set(pid, parent);
    } catch {
      // It ended meanwhile.
    }
  }
  const own = [String(process.pid)];
  for (let i = 0; i < own.length; i++) for (const [pid, parent] of parents) if (parent === own[i]) own.push(pid);
  return own;
};

const watchMemory = (): { stop(): number | null } => {
  let most = 0;
  const look = (): void => {
    try {
      most = Math.max(
        most,
        family().reduce((sum, pid) => sum + sizeOf(pid), 0),
      );
    } catch {
      // Nothing of the kind on this system.
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return most > 0 ? Math.round(most / 1024) : null;
    },
  };
};

const numberAfter = (args: readonly string[], option: string, fallback: number): number => {
  const at = args.indexOf(option);
  const value = at >= 0 ? Number(args[at + 1]) : fallback;
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} takes a whole number, not ${args[at + 1]}`);
  return value;
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const worlds = numberAfter(args, '--worlds', args.includes('--small') ? 6 : 200);
  const tasks = numberAfter(args, '--tasks', 4);
  const jobs = numberAfter(args, '--jobs', availableParallelism());
  const kept = args.includes('--out') ? args[args.indexOf('--out') + 1] : undefined;
  const dir = kept ?? mkdtempSync(join(tmpdir(), 'treadle-corpus-'));
  const out = join(dir, 'corpus');
  const memory = watchMemory();
  const start = elapsedMs();
  try {
    const input = sweep(countriesOf('50'), industriesOf('all', SEED), SEED);
    const options = { input, worlds, tasks, seed: SEED, out, pins: {} };
    const summary = await build(options, makeUi(false), noInterrupt, { jobs, rows: false });
    const seconds = (elapsedMs() - start) / 1000;
    const corpus = Corpus.open(out);
    const counted = elapsedMs();
    const figures = corpusStatistics(corpus, readIndex(corpus));
    for (const { what, why } of summary.dropped.slice(0, 10)) console.log(`given up: ${what}: ${why.slice(0, 200)}`);
    return {
      worlds,
      certified: summary.certified,
      seconds: Number(seconds.toFixed(1)),
      rss_mib: memory.stop(),
      near_twin_share: figures.text.near_twin_share,
      mean_pairwise: figures.text.mean_pairwise,
      median_nearest: figures.text.median_nearest,
      twin_pairs_within_a_world: figures.text.pairs_within_a_world,
      long_tasks: figures.long_tasks.tasks,
      same_chain_share: figures.long_tasks.same_chain_share,
      masked_share: figures.long_tasks.masked_share,
      same_chain_and_masked_share: figures.long_tasks.both_share,
      tools: figures.tools,
      tables: figures.tables,
      service_combinations: figures.service_combinations,
      industries: figures.industries,
      sectors: figures.sectors.length,
      countries: figures.countries,
      distinct_tool_schemas: figures.distinct_tool_schemas,
      identical_list_share: figures.identical_list_share,
      identical_core_share: figures.identical_core_share,
      tasks: figures.tasks,
      statistics_seconds: Number(((elapsedMs() - counted) / 1000).toFixed(1)),
      jobs,
      stage_ms: summary.timesMs,
    };
  } finally {
    memory.stop();
    if (kept === undefined) rmSync(dir, { recursive: true, force: true });
  }
};
