/**
 * Worlds and tasks a CPU second: 50 worlds x 10 tasks from the catalogue (`--small`: 3 x 5), each from another brief. `cpu_s` is
 * this process's own; validator 11 runs everything again in two more processes, the same for all builds, whose time is
 * `determinism_cpu_s` (of Linux' /proc; null elsewhere) and counts in `worlds_per_cpu_s_all`. The children are the built ones:
 * `npm run build` first.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FreshPair } from '../src/certify/determinism/pair.js';
import { noInterrupt } from '../src/cli/interrupt.js';
import { build } from '../src/cli/pipeline/build.js';
import { readInput } from '../src/cli/pipeline/input.js';
import { makeUi } from '../src/cli/ui.js';
import { cpuSeconds, elapsedMs } from '../src/kit/clock.js';

const BRIEFS = [
  'a family bakery with 3 shops in Lyon',
  'a dental practice in Leeds',
  'an online shop for climbing gear in Innsbruck',
  'a property manager in Madrid with 400 flats',
  'a freight forwarder in Rotterdam',
  'a small hotel on Crete',
  'a software company with a help desk in Austin',
  'a machine shop making pump parts in Stuttgart',
  'a gym chain in Melbourne',
  'a language school in Montreal',
];

/** Leaves the two processes time to end: only then does the system count what they used. */
const ended = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 1_500));

const TICKS_A_SECOND = 100;

/** CPU seconds of the processes this one has started and seen end. */
const childrenCpuSeconds = (): number | undefined => {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
  } catch {
    return undefined;
  }
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const small = args.includes('--small');
  const [worlds, tasks] = small ? [3, 5] : [50, 10];
  const pair = new FreshPair();
  const dir = mkdtempSync(join(tmpdir(), 'treadle-bench-'));
  const ui = makeUi(false, true);
  const totals = { certified: 0, tasks: 0, dropped: 0 };
  const stages: Record<string, number> = {};
  try {
    // The first world pays for loading the data files and the wasm module; it is made once before and not counted.
    await build(
      {
        input: await readInput(BRIEFS[0] as string),
        worlds: 1,
        tasks: 2,
        seed: 'warm',
        out: join(dir, 'warm'),
        pins: {},
        skipDeterminism: true,
      },
      ui,
    );
    const cpu = cpuSeconds();
    const children = childrenCpuSeconds();
    const start = elapsedMs();
    for (const [i, brief] of BRIEFS.slice(0, small ? 1 : BRIEFS.length).entries()) {
      const share = small ? worlds : worlds / BRIEFS.length;
      const summary = await build(
        {
          input: await readInput(brief),
          worlds: share,
          tasks,
          seed: `bench-${i}`,
          out: join(dir, String(i)),
          pins: {},
        },
        ui,
        noInterrupt,
        { pair },
      );
      totals.certified += summary.certified;
      totals.tasks += summary.tasks;
      totals.dropped += summary.tasksDropped;
      for (const [stage, ms] of Object.entries(summary.timesMs)) stages[stage] = (stages[stage] ?? 0) + ms;
    }
    pair.close();
    await ended();
    const used = cpuSeconds() - cpu;
    const after = childrenCpuSeconds();
    const determinism = children === undefined || after === undefined ? null : after - children;
    return {
      worlds,
      tasks_a_world: tasks,
      certified: totals.certified,
      tasks: totals.tasks,
      tasks_dropped: totals.dropped,
      cpu_s: Number(used.toFixed(2)),
      determinism_cpu_s: determinism === null ? null : Number(determinism.toFixed(2)),
      wall_s: Number(((elapsedMs() - start) / 1000).toFixed(2)),
      worlds_per_cpu_s: Number((totals.certified / used).toFixed(3)),
      worlds_per_cpu_s_all: determinism === null ? null : Number((totals.certified / (used + determinism)).toFixed(3)),
      tasks_per_cpu_s: Number((totals.tasks / used).toFixed(2)),
      stage_ms: stages,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
