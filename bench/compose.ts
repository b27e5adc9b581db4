/**
 * Composed tasks over a corpus (weft.txt 3.1.2): quotas of the five profiles, stages, services, domains, what the gate executed,
 * what was dropped and why, and the processor time that one takes to compose, ground and certify.
 * `--tasks N` (1000; `--small`: 10), `--corpus DIR` a built corpus (else `--worlds N`, 40, `--small`: 3, are built first),
 * `--jobs N`, `--keep` writes the tasks into the corpus. The children are the built ones: `npm run build` first.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { noInterrupt } from '../src/cli/interrupt.js';
import { build } from '../src/cli/pipeline/build.js';
import { keepComposed } from '../src/cli/pipeline/compose/keep.js';
import { composeCorpus } from '../src/cli/pipeline/compose/run.js';
import { countriesOf, industriesOf, sweep } from '../src/cli/pipeline/sweep.js';
import { makeUi } from '../src/cli/ui.js';
import { Corpus } from '../src/corpus/corpus.js';
import { elapsedMs } from '../src/kit/clock.js';
import { median, quantile } from '../src/kit/quantiles.js';
import { defaultProfiles } from '../src/tasks/compose/profiles.js';
import { domainOf } from '../src/tasks/compose/supply.js';

const after = (args: readonly string[], option: string): string | undefined =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;

/** `skip_stage: 9 of 10 fail` of all certificates, added up. */
const killed = (evidence: readonly string[]): Record<string, { made: number; dead: number }> => {
  const out: Record<string, { made: number; dead: number }> = {};
  for (const line of evidence) {
    const [, kind = '', dead, made] = /^(\w+): (\d+) of (\d+) fail$/.exec(line) ?? [];
    if (kind === '') continue;
    const own = out[kind] ?? { made: 0, dead: 0 };
    out[kind] = { made: own.made + Number(made), dead: own.dead + Number(dead) };
  }
  return out;
};

const share = (part: number, all: number): number => (all === 0 ? 0 : Number((part / all).toFixed(4)));

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const small = args.includes('--small');
  const count = Number(after(args, '--tasks') ?? (small ? 10 : 1000));
  const jobs = Number(after(args, '--jobs') ?? availableParallelism());
  const given = after(args, '--corpus');
  const made = given ?? mkdtempSync(join(tmpdir(), 'treadle-compose-'));
  try {
    if (!given) {
      const worlds = Number(after(args, '--worlds') ?? (small ? 3 : 40));
      const input = sweep(countriesOf('50'), industriesOf('all', 'compose'), 'compose');
      const options = { input, worlds, tasks: 1, seed: 'compose', out: made, pins: {}, skipDeterminism: true };
      await build(options, makeUi(false), noInterrupt, { jobs, rows: false });
    }
    const corpus = Corpus.open(made);
    const worlds = corpus.worlds();
    const started = elapsedMs();
    let tried = 0;
    const result = await composeCorpus({
      corpus,
      worlds,
      count,
      profiles: defaultProfiles(),
      seed: 'compose',
      jobs,
      onDone: (n) => {
        const before = Math.floor(tried / 50);
        tried += n;
        if (Math.floor(tried / 50) > before) process.stderr.write(`  ${tried} tried\n`);
      },
    });
    const seconds = (elapsedMs() - started) / 1000;
    if (args.includes('--keep')) keepComposed(corpus, worlds, result);
    const { tasks, quotas, missing, dropped, rejected } = result;
    const stages = tasks.map(({ task }) => task.nodes.length);
    const archetypes = new Map<string, Map<string, string>>();
    for (const { task } of tasks) {
      if (archetypes.has(task.worldId)) continue;
      const { services } = corpus.readDescription(task.worldId);
      archetypes.set(task.worldId, new Map(services.map((spec) => [spec.id, spec.source.archetype ?? spec.id])));
    }
    const breadth = tasks.map(({ task }) => {
      const used = new Set(task.nodes.map(({ service }) => service));
      const kinds = [...used].map((id) => domainOf(archetypes.get(task.worldId)?.get(id) ?? id));
      return { services: used.size, domains: new Set(kinds).size };
    });
    const reasons: Record<string, number> = {};
    for (const { why } of dropped) {
      const line = (why.split(':')[0] ?? '').replace(/\d+/g, 'N');
      reasons[line] = (reasons[line] ?? 0) + 1;
    }
    const kills = killed(
      tasks.flatMap(({ certificate }) => certificate.findings.find(({ id }) => id === 'mutants_fail')?.evidence ?? []),
    );
    const alternatives = tasks.flatMap(
      ({ certificate }) => certificate.findings.find(({ id }) => id === 'alternatives_pass')?.evidence ?? [],
    );
    const lost = dropped.filter(({ why }) => why.startsWith('alternatives_pass')).length;
    const survived = dropped.filter(({ why }) => why.startsWith('mutants_fail')).length;
    const cpu = tasks.map(({ cpuMs }) => cpuMs);
    const edges = tasks.reduce((sum, { task }) => sum + task.edges.length, 0);
    return {
      tasks: tasks.length,
      worlds: worlds.length,
      quotas,
      quotas_met: Object.values(missing).every((n) => n === 0),
      stages_median: median(stages),
      stages_max: Math.max(0, ...stages),
      services_median: median(breadth.map(({ services }) => services)),
      several_services_share: share(breadth.filter(({ services }) => services > 1).length, tasks.length),
      several_domains_share: share(breadth.filter(({ domains }) => domains > 1).length, tasks.length),
      calls_median: median(tasks.map(({ task }) => task.reference.calls.length)),
      edges_per_stage: share(
        edges,
        stages.reduce((sum, n) => sum + n, 0),
      ),
      with_process_share: share(tasks.filter(({ task }) => task.process).length, tasks.length),
      reference_pass: share(
        tasks.filter(({ certificate }) =>
          certificate.findings.some(({ id, pass }) => id === 'reference_passes' && pass),
        ).length,
        tasks.length,
      ),
      null_pass: tasks.filter(({ certificate }) =>
        certificate.findings.some(({ id, pass }) => id === 'null_agent_fails' && !pass),
      ).length,
      alternatives_tried: alternatives.length,
      tasks_dropped_for_alternatives: lost,
      tasks_dropped_for_mutants: survived,
      mutant_kill: Object.fromEntries(
        Object.entries(kills).map(([kind, { made: all, dead }]) => [kind, share(dead, all)]),
      ),
      mutants: Object.fromEntries(Object.entries(kills).map(([kind, { made: all }]) => [kind, all])),
      tries: result.tries,
      dropped: reasons,
      rejected,
      cpu_ms_median: median(cpu),
      cpu_ms_p95: quantile(cpu, 0.95),
      seconds: Math.round(seconds),
    };
  } finally {
    if (!given) rmSync(made, { recursive: true, force: true });
  }
};
