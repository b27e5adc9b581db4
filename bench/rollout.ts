// Rollouts at scale: composed tasks by the scripted policy, each kept on disk as it ends, as `treadle rollout` does it.
// `npm run bench -- rollout [--tasks N] [--corpus DIR] [--rollouts N] [--jobs N] [--small]`: 1,000 composed tasks (`--small`: 6),
// one rollout each. `--corpus` takes the composed tasks of a built corpus, which is only read; where it has fewer than N, each is
// rolled out as often as N rollouts take. Else worlds are built and tasks composed first (1.6 s of processor time a task), for
// which `npm run build` comes first. `--jobs N` shares the worlds among N processes, the built ones, and tells rates by the clock.
// Rates are by the clock and, since machines are shared, by processor time: `*_per_cpu_s` is what one core to itself would do.
// `own_share` is the share of the processor time in the loop that is not the tools': loop, policy, judging, keeping.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { noInterrupt } from '../src/cli/interrupt.js';
import { build } from '../src/cli/pipeline/build.js';
import { keepComposed } from '../src/cli/pipeline/compose/keep.js';
import { composeCorpus } from '../src/cli/pipeline/compose/run.js';
import type { Acting } from '../src/cli/pipeline/roll/attempt.js';
import { crewRollouts } from '../src/cli/pipeline/roll/crew.js';
import { type Picked, pickTasks } from '../src/cli/pipeline/roll/pick.js';
import { runRollouts } from '../src/cli/pipeline/roll/run.js';
import { RolloutSums } from '../src/cli/pipeline/rollout-sums.js';
import { countriesOf, industriesOf, sweep } from '../src/cli/pipeline/sweep.js';
import { makeUi } from '../src/cli/ui.js';
import { Corpus } from '../src/corpus/corpus.js';
import { cpuSeconds, elapsedMs } from '../src/kit/clock.js';
import { median } from '../src/kit/quantiles.js';
import { scriptedPolicy } from '../src/rollout/agents/scripted.js';
import { sampleSeed } from '../src/rollout/many.js';
import { rolloutTask } from '../src/rollout/rollout.js';
import type { ToolHost } from '../src/serve/tool-host.js';
import { defaultProfiles } from '../src/tasks/compose/profiles.js';
import { Engine } from '../src/world/state/engine.js';

const SEED = 'bench';

const after = (args: readonly string[], option: string): string | undefined =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;
const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** A corpus whose worlds and tasks are another's, linked; its traces are its own. */
const linked = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true });
  cpSync(join(from, 'treadle.json'), join(to, 'treadle.json'));
  symlinkSync(resolve(from, 'worlds'), join(to, 'worlds'));
};

const made = async (dir: string, count: number, small: boolean): Promise<void> => {
  const worlds = small ? 3 : 40;
  const input = sweep(countriesOf('50'), industriesOf('all', 'compose'), 'compose');
  const options = { input, worlds, tasks: 1, seed: 'compose', out: dir, pins: {}, skipDeterminism: true };
  const jobs = availableParallelism();
  await build(options, makeUi(false), noInterrupt, { jobs, rows: false });
  const corpus = Corpus.open(dir);
  const ids = corpus.worlds();
  const profiles = defaultProfiles();
  // Few worlds carry the longest tasks.
  const mix = small ? { mix: { simple: 1, standard: 1, moderate: 1, complex: 0, expert: 0 } } : {};
  const result = await composeCorpus({ corpus, worlds: ids, count, profiles, seed: 'compose', jobs, ...mix });
  keepComposed(corpus, ids, result);
  rmSync(corpus.path('traces'), { recursive: true, force: true });
};

/** A host that adds up the processor time of its tools. */
const timed = (host: ToolHost, onCall: (seconds: number) => void): ToolHost => ({
  tools: () => host.tools(),
  call: (name, args) => {
    const before = cpuSeconds();
    const outcome = host.call(name, args);
    onCall(cpuSeconds() - before);
    return outcome;
  },
});

/** By several processes. */
const shared = async (
  corpus: Corpus,
  picked: readonly Picked[],
  samples: number,
  jobs: number,
): Promise<Record<string, unknown>> => {
  const sums = new RolloutSums();
  const started = elapsedMs();
  const { failure } = await crewRollouts({
    corpus,
    options: {
      policy: 'scripted',
      user: 'none',
      detail: 'full',
      retries: 0,
      timeout: 1,
      seed: SEED,
      n: samples,
      concurrency: 8,
      memory: 512,
      reward: 'all',
      penalty: {},
    },
    picked,
    jobs,
    stop: new AbortController(),
    onKept: (head) => sums.add(head),
    onSkipped: () => undefined,
  });
  if (failure !== undefined) throw failure;
  const seconds = (elapsedMs() - started) / 1000;
  const { rollouts, passed, failed, cut, faults, usage } = sums.summary();
  return {
    tasks: picked.reduce((sum, of) => sum + of.tasks.length, 0),
    jobs,
    rollouts,
    calls: usage.calls,
    passed,
    failed,
    cut,
    faults,
    rollouts_per_s: rounded(rollouts / seconds),
    calls_per_s: rounded(usage.calls / seconds, 0),
    seconds: rounded(seconds, 1),
  };
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const small = args.includes('--small');
  const count = Number(after(args, '--tasks') ?? (small ? 6 : 1000));
  const given = after(args, '--corpus');
  const dir = mkdtempSync(join(tmpdir(), 'treadle-rollout-'));
  const engine = await Engine.start();
  try {
    const at = join(dir, 'corpus');
    if (given) linked(given, at);
    else await made(at, count, small);
    const corpus = Corpus.open(at);
    const picked = pickTasks(corpus, { worlds: corpus.worlds(), kinds: ['composed'], limit: count }, SEED);
    const tasks = picked.reduce((sum, of) => sum + of.tasks.length, 0);
    const samples = Math.ceil(Number(after(args, '--rollouts') ?? count) / tasks);
    const stages: number[] = [];
    const jobs = Number(after(args, '--jobs') ?? 0);
    if (jobs > 0) return await shared(corpus, picked, samples, jobs);
    let toolSeconds = 0;
    const acting: Acting = {
      seed: SEED,
      policyFor: (task, sample) => scriptedPolicy(task, sampleSeed(SEED, task.id, sample)),
      perform: (rollout, hash) => {
        stages.push(rollout.task.nodes.length);
        const host = timed(rollout.host, (seconds) => {
          toolSeconds += seconds;
        });
        return rolloutTask({ ...rollout, host }, hash);
      },
    };
    const sums = new RolloutSums();
    let peak = 0;
    const cpu = cpuSeconds();
    const started = elapsedMs();
    const { failure } = await runRollouts({
      corpus,
      engine,
      picked,
      acting,
      samples,
      again: 'unfinished',
      concurrency: 8,
      memory: 512 * 2 ** 20,
      stop: new AbortController(),
      onKept: (head) => {
        sums.add(head);
        peak = Math.max(peak, process.memoryUsage.rss());
      },
      onSkipped: () => undefined,
    });
    if (failure !== undefined) throw failure;
    const seconds = (elapsedMs() - started) / 1000;
    const cpuUsed = cpuSeconds() - cpu;
    const { rollouts, passed, failed, cut, faults, usage } = sums.summary();
    return {
      tasks,
      rollouts,
      stages_median: median(stages),
      calls: usage.calls,
      passed,
      failed,
      cut,
      faults,
      rollouts_per_s: rounded(rollouts / seconds),
      calls_per_s: rounded(usage.calls / seconds, 0),
      rollouts_per_cpu_s: rounded(rollouts / cpuUsed),
      calls_per_cpu_s: rounded(usage.calls / cpuUsed, 0),
      stages_per_cpu_s: rounded(stages.reduce((sum, n) => sum + n, 0) / cpuUsed, 0),
      own_share: rounded(1 - toolSeconds / cpuUsed, 4),
      tool_ms_a_call: rounded((toolSeconds / Math.max(1, usage.calls)) * 1000, 3),
      own_ms_a_call: rounded(((cpuUsed - toolSeconds) / Math.max(1, usage.calls)) * 1000, 3),
      rss_mib: rounded(peak / 2 ** 20, 0),
      seconds: rounded(seconds, 1),
      cpu_seconds: rounded(cpuUsed, 1),
    };
  } finally {
    engine.close();
    rmSync(dir, { recursive: true, force: true });
  }
};
