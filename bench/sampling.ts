/**
 * What prefix-preserving sampling costs against whole trajectories (weft.txt 3.3.1; the cost, not the training value): a scripted
 * policy that errs in each stage with e = 0.05, 0.1, 0.2, composed tasks of 20 stages, k = 1, 2, 3 retries. Beside each figure
 * stands the closed form for independent errors. `--tasks N` (12; `--small`: 2), `--samples N` prefix-preserving samplings of a
 * task (8; 3), `--tries N` whole trajectories of a task (36; 12), twice as many at each higher rate, `--stages N` (20),
 * `--worlds N` built for them (4; 1).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '../src/artifacts/task.js';
import { noInterrupt } from '../src/cli/interrupt.js';
import { build } from '../src/cli/pipeline/build.js';
import { composeCorpus } from '../src/cli/pipeline/compose/run.js';
import { sessionFor } from '../src/cli/pipeline/rollouts.js';
import { aligned } from '../src/cli/pipeline/sampling/table.js';
import { countriesOf, industriesOf, sweep } from '../src/cli/pipeline/sweep.js';
import { makeUi } from '../src/cli/ui.js';
import { Corpus } from '../src/corpus/corpus.js';
import { cpuSeconds } from '../src/kit/clock.js';
import { addressOf } from '../src/kit/hash.js';
import { FATAL_SLIPS, slippingPolicy, slippingProducer } from '../src/rollout/agents/slipping.js';
import { addCost, type Cost, noCost, sumOf, tokensOf } from '../src/rollout/sampling/cost.js';
import { expectedPrefix, expectedWhole } from '../src/rollout/sampling/expected.js';
import { sessionHost } from '../src/rollout/sampling/host.js';
import type { SamplingPlan } from '../src/rollout/sampling/plan.js';
import { samplePrefix } from '../src/rollout/sampling/prefix.js';
import { sampleWhole } from '../src/rollout/sampling/whole.js';
import { simulatedUser } from '../src/rollout/users/user.js';
import { defaultProfiles } from '../src/tasks/compose/profiles.js';
import { dropGrounded, groundedWorld } from '../src/world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../src/world/loaded.js';
import { Engine } from '../src/world/state/engine.js';

const RATES = [0.05, 0.1, 0.2];
const RETRIES = [1, 2, 3];

interface Measured {
  e: number;
  k: number;
  method: 'prefix' | 'whole';
  /** Samplings of a task, and how many of them were accepted. */
  runs: number;
  accepted: number;
  cost: Cost;
  /** Attempts at stages. */
  stages: number;
}

interface Told {
  e: number;
  k: number;
  method: string;
  runs: number;
  accepted: number;
  acceptance: number;
  acceptance_expected: number;
  /** All that was spent, on tasks given up too, by accepted trajectories; null where none was accepted. */
  calls_per_accepted: number | null;
  tokens_per_accepted: number | null;
  stages_per_accepted: number | null;
  stages_expected: number;
  /** Measured by expected. */
  ratio: number | null;
}

const after = (args: readonly string[], option: string): string | undefined =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;

const rounded = (n: number, digits = 3): number => Number(n.toFixed(digits));

/** Tasks of just so many stages. */
const tasksOf = async (folder: string, count: number, worlds: number, stages: number): Promise<Map<string, Task[]>> => {
  const input = sweep(countriesOf('50'), industriesOf('all', 'sampling'), 'sampling');
  const options = { input, worlds, tasks: 1, seed: 'sampling', out: folder, pins: {}, skipDeterminism: true };
  await build(options, makeUi(false), noInterrupt, { jobs: 1, rows: false });
  const corpus = Corpus.open(folder);
  const range = {
    ...defaultProfiles(),
    profiles: { moderate: { stages: [stages, stages], services: [1, 8], domains: [1, 8], share: 1 } },
  };
  const { tasks } = await composeCorpus({
    corpus,
    worlds: corpus.worlds(),
    count,
    profiles: range as ReturnType<typeof defaultProfiles>,
    seed: 'sampling',
    jobs: 1,
    onDone: () => undefined,
  });
  const by = new Map<string, Task[]>();
  for (const { task } of tasks)
    if (task.disclosure.stages.length === stages) by.set(task.worldId, [...(by.get(task.worldId) ?? []), task]);
  return by;
};

const planOf = (world: LoadedWorld, task: Task, hash: string, e: number, index: number): SamplingPlan => {
  const slipping = { rate: e, kinds: FATAL_SLIPS };
  return {
    open: () => sessionHost(sessionFor(world, task, 'bench'), task, hash),
    task,
    hash,
    user: () => simulatedUser(task, 'full'),
    prompt: { hasUser: true },
    policyFor: ({ seed }) => slippingPolicy(task, `${seed}/${e}`, slipping, slippingProducer(slipping, 'bench')),
    sample: { seed: `bench/${e}`, index },
  };
};

const told = ({ e, k, method, runs, accepted, cost, stages }: Measured, of: number): Told => {
  const expected = (method === 'prefix' ? expectedPrefix : expectedWhole)(of, e, k);
  const per = (n: number): number | null => (accepted > 0 ? rounded(n / accepted, 1) : null);
  return {
    e,
    k,
    method,
    runs,
    accepted,
    acceptance: rounded(accepted / runs),
    acceptance_expected: rounded(expected.acceptance),
    calls_per_accepted: per(cost.calls),
    tokens_per_accepted: per(tokensOf(cost)),
    stages_per_accepted: per(stages),
    stages_expected: rounded(expected.stagesPerAccepted, 1),
    ratio: accepted > 0 ? rounded(stages / accepted / expected.stagesPerAccepted) : null,
  };
};

interface Try {
  passed: boolean;
  cost: Cost;
}

/** The same tries taken k + 1 at a time, each batch up to its first that passed: what sampling with k retries makes of them. */
const batched = (tries: readonly Try[], k: number): Pick<Measured, 'runs' | 'accepted' | 'cost'> => {
  const out = { runs: 0, accepted: 0, cost: noCost() };
  for (let at = 0; at + k < tries.length; at += k + 1) {
    const batch = tries.slice(at, at + k + 1);
    const first = batch.findIndex(({ passed }) => passed);
    out.runs++;
    if (first >= 0) out.accepted++;
    addCost(out.cost, sumOf(batch.slice(0, first < 0 ? batch.length : first + 1).map(({ cost }) => cost)));
  }
  return out;
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const small = args.includes('--small');
  const number = (option: string, full: number, little: number): number =>
    Number(after(args, option) ?? (small ? little : full));
  const stages = number('--stages', 20, 20);
  const samples = number('--samples', 8, 3);
  const tries = number('--tries', 36, 12);
  const folder = mkdtempSync(join(tmpdir(), 'treadle-sampling-'));
  const engine = await Engine.start();
  try {
    const tasks = await tasksOf(folder, number('--tasks', 12, 2), number('--worlds', 4, 1), stages);
    const corpus = Corpus.open(folder);
    const cells = RATES.flatMap((e) => RETRIES.map((k) => ({ e, k })));
    const prefix = cells.map(
      (cell): Measured => ({ ...cell, method: 'prefix', runs: 0, accepted: 0, cost: noCost(), stages: 0 }),
    );
    const whole = cells.map(
      (cell): Measured => ({ ...cell, method: 'whole', runs: 0, accepted: 0, cost: noCost(), stages: 0 }),
    );
    const failures = { attempts: 0, expected: 0, failed: 0 };
    const started = cpuSeconds();
    let count = 0;
    for (const [id, own] of tasks) {
      const world = loadWorld(engine, corpus.readWorld(id), { lazy: true });
      for (const task of own) {
        const hash = addressOf(task);
        const ground = groundedWorld(world, task.grounding);
        for (const measured of prefix)
          for (let index = 0; index < samples; index++) {
            const plan = planOf(ground, task, hash, measured.e, index);
            const { accepted, cost, dropped } = await samplePrefix({ ...plan, retries: measured.k });
            const all = sumOf([cost.kept, cost.dropped]);
            measured.runs++;
            if (accepted) measured.accepted++;
            addCost(measured.cost, all);
            measured.stages += all.attempts;
            failures.attempts += all.attempts;
            failures.expected += all.attempts * measured.e;
            failures.failed += dropped.length;
          }
        for (const [n, e] of RATES.entries()) {
          const made: Try[] = [];
          for (let index = 0; index < tries * 2 ** n; index++) {
            const { accepted, cost } = await sampleWhole({ ...planOf(ground, task, hash, e, index), retries: 0 });
            made.push({ passed: accepted, cost: sumOf([cost.kept, cost.dropped]) });
          }
          for (const measured of whole.filter((cell) => cell.e === e)) {
            const { runs, accepted, cost } = batched(made, measured.k);
            measured.runs += runs;
            measured.accepted += accepted;
            addCost(measured.cost, cost);
            measured.stages += cost.attempts * stages;
          }
        }
        dropGrounded(world, ground);
        count++;
        process.stderr.write(`  ${count} tasks\n`);
      }
      unloadWorld(world);
    }
    const rows = cells.flatMap((_, n) => [prefix[n], whole[n]].flatMap((one) => (one ? [told(one, stages)] : [])));
    const shown = (n: number | null): string => (n === null ? '-' : String(n));
    const heads = ['', 'accepted', 'expected', 'calls', 'tokens (characters/4)', 'stages', 'expected', 'ratio'];
    const table = rows.map((row) => [
      `e ${row.e} k ${row.k} ${row.method}`,
      `${row.accepted} of ${row.runs}`,
      shown(row.acceptance_expected),
      shown(row.calls_per_accepted),
      shown(row.tokens_per_accepted),
      shown(row.stages_per_accepted),
      shown(row.stages_expected),
      shown(row.ratio),
    ]);
    process.stdout.write(`Per accepted trajectory:\n${aligned([heads, ...table]).join('\n')}\n`);
    const saved = cells.map(({ e, k }, n) => {
      const [a, b] = [rows[2 * n], rows[2 * n + 1]];
      const share = (x: number | null | undefined, y: number | null | undefined): number | null =>
        x == null || y == null ? null : rounded(1 - x / y);
      return {
        e,
        k,
        calls: share(a?.calls_per_accepted, b?.calls_per_accepted),
        tokens: share(a?.tokens_per_accepted, b?.tokens_per_accepted),
      };
    });
    return {
      tasks: count,
      stages,
      tokens: 'characters/4',
      /** Failed attempts by those that the error rates let expect: 1 where every slip fails its stage, and nothing else does. */
      stage_error_ratio: failures.expected > 0 ? rounded(failures.failed / failures.expected) : null,
      rows,
      saved,
      cpu_seconds: Math.round(cpuSeconds() - started),
    };
  } finally {
    engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
