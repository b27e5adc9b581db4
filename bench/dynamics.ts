// Scenarios at scale, as `treadle dynamics` and `treadle rollout --scenarios` make and run them.
// `npm run bench -- dynamics [--scenarios N] [--corpus DIR] [--jobs N] [--small]`: worlds are built (40; `--small`: 2), or those of a
// built corpus are taken, which is only read; scenarios are made of their tasks, the re-solved reference rolls each of them out, kept
// on disk, and N (1,000; `--small`: 40) are played once more in this process: by the re-solved reference, by the old one as by an
// agent that believes what it reads, by doing nothing; and twice from a snapshot. `npm run build` comes first: workers are the built ones.
// `accepted_per_s` and `trajectories_s` are by the clock with `jobs` processes; `accepted_per_cpu_s` is of one core to itself.
// `overhead_share`: what ten live events add to a tool call, as a share of the call without, by processor time.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { noInterrupt } from '../src/cli/interrupt.js';
import { build } from '../src/cli/pipeline/build.js';
import { scenarioCounts } from '../src/cli/pipeline/dynamics/counts.js';
import { makeAllScenarios } from '../src/cli/pipeline/dynamics/crew.js';
import type { MadeScenarios } from '../src/cli/pipeline/dynamics/make.js';
import { crewRollouts } from '../src/cli/pipeline/roll/crew.js';
import { pickTasks, unitsOf } from '../src/cli/pipeline/roll/pick.js';
import { countriesOf, industriesOf, sweep } from '../src/cli/pipeline/sweep.js';
import { makeUi } from '../src/cli/ui.js';
import { Corpus } from '../src/corpus/corpus.js';
import type { TraceHead } from '../src/corpus/traces/line.js';
import { elapsedMs } from '../src/kit/clock.js';
import { overhead } from './dynamics/overhead.js';
import { playAll } from './dynamics/play.js';

const SEED = 'bench';
/** The paper's count of trajectories (dynaweave.txt). */
const PAPERS = 2095;

const after = (args: readonly string[], option: string): string | undefined =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;
const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

const built = async (dir: string, worlds: number, jobs: number): Promise<void> => {
  const input = sweep(countriesOf('50'), industriesOf('all', SEED), SEED);
  const options = { input, worlds, tasks: 14, seed: SEED, out: dir, pins: {}, skipDeterminism: true };
  await build(options, makeUi(false), noInterrupt, { jobs, rows: false });
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const isSmall = args.includes('--small');
  const jobs = Number(after(args, '--jobs') ?? availableParallelism());
  const wanted = Number(after(args, '--scenarios') ?? (isSmall ? 40 : 1000));
  const from = after(args, '--corpus');
  const dir = mkdtempSync(join(tmpdir(), 'treadle-dynamics-'));
  try {
    if (from) cpSync(from, dir, { recursive: true, filter: (path) => !/\/(traces|scenarios|exports)$/.test(path) });
    else await built(dir, isSmall ? 2 : 40, jobs);
    const corpus = Corpus.open(dir);
    const worlds = corpus.worlds();

    const made: MadeScenarios[] = [];
    const making = elapsedMs();
    await makeAllScenarios({
      dir,
      worlds,
      wanted: { settings: { seed: SEED, perTask: 6, most: 3 } },
      jobs,
      interrupt: noInterrupt,
      onMade: (one) => made.push(one),
    });
    const makingS = (elapsedMs() - making) / 1000;
    const counts = scenarioCounts(made);
    const cpuS = made.reduce((sum, one) => sum + one.cpuS, 0);
    process.stdout.write(`${counts.scenarios} scenarios in ${makingS.toFixed(1)} s\n`);

    const picked = pickTasks(corpus, { worlds, scenarios: 'all' }, SEED);
    const heads: TraceHead[] = [];
    const rolling = elapsedMs();
    const { failure } = await crewRollouts({
      corpus,
      options: {
        policy: 'reference',
        user: 'none',
        detail: 'full',
        retries: 0,
        timeout: 1,
        seed: SEED,
        n: 1,
        concurrency: 8,
        memory: 512,
        reward: 'all',
        penalty: {},
        scenarios: true,
      },
      picked,
      jobs,
      stop: new AbortController(),
      onKept: (head) => heads.push(head),
      onSkipped: () => undefined,
    });
    if (failure !== undefined) throw failure;
    const rollingS = (elapsedMs() - rolling) / 1000;
    const verified = heads.filter(({ verdict }) => verdict.pass).length;
    process.stdout.write(
      `${verified} of ${picked.reduce((sum, one) => sum + unitsOf(one), 0)} trajectories verified in ${rollingS.toFixed(1)} s\n`,
    );

    const played = await playAll(corpus, wanted, SEED);
    const cost = await overhead(corpus, isSmall ? 3 : 20);
    const wholeS = makingS + rollingS;
    return {
      worlds: counts.worlds,
      tasks: counts.tasks,
      scenarios: counts.scenarios,
      events: counts.events,
      sources: counts.sources,
      triggers: counts.triggers,
      events_a_scenario: counts.eventsAScenario,
      depth: counts.depth,
      candidates: counts.candidates,
      refused: counts.refusedByRule,
      accepted_per_s: rounded(counts.scenarios / makingS),
      accepted_per_cpu_s: rounded(counts.scenarios / cpuS),
      ...played,
      trajectories: verified,
      trajectories_s: rounded(wholeS, 1),
      minutes_for_2095: rounded(((wholeS / Math.max(1, verified)) * PAPERS) / 60),
      ...cost,
      jobs,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
