/** `treadle build`: the whole flow, slot by slot; what is finished is on disk before the next begins. */
import type { Pins } from '../../author/catalogue/author.js';
import type { WorldDraft } from '../../author/draft.js';
import { FreshPair } from '../../certify/determinism/pair.js';
import { rebuildIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { Engine } from '../../world/state/engine.js';
import { type Interrupt, noInterrupt } from '../interrupt.js';
import { writeReport } from '../report/report.js';
import type { Ui } from '../ui.js';
import { type DocumentOutcome, keepOutcome } from './document.js';
import { type Drafting, draftsOf } from './drafts.js';
import type { Input } from './input.js';
import { type BuildRecord, type Loss, lossesOf, openRecord } from './record.js';
import { exportCorpus } from './rows.js';
import { fillSlot, type Run, timed } from './slot.js';

export interface BuildOptions {
  input: Input;
  worlds: number;
  tasks: number;
  seed: string;
  out: string;
  pins: Pins;
  /** Leaves out the two fresh processes of validator 11; benchmarks of one process only. */
  skipDeterminism?: boolean;
}

export interface BuildSummary {
  out: string;
  worlds: number;
  certified: number;
  tasks: number;
  tasksDropped: number;
  rollouts: number;
  passed: number;
  rows: number;
  dropped: Loss[];
  /** What became of the document's operations. */
  document?: DocumentOutcome;
  /** Milliseconds a stage took in this run. */
  timesMs: Record<string, number>;
  report: string;
}

/** Validator 11 over all worlds, which the two fresh processes ran beside this one; the finding goes into each certificate. */
const proveDeterminism = async (run: Run): Promise<void> => {
  if (!run.pair || run.pair.isIdle) return;
  run.ui.progress('waiting for the two fresh processes');
  const findings = await timed(run, 'determinism', () => run.pair?.findings());
  for (const [id, finding] of findings ?? []) run.corpus.addFinding(id, finding);
  await run.interrupt.check('all worlds are made');
};

/** Certificates that failed after their world was kept. */
const failedLater = (corpus: Corpus): Loss[] =>
  corpus.worlds().flatMap((id) => {
    const failed = corpus.worldCertificate(id)?.findings.filter(({ pass }) => !pass) ?? [];
    return failed.map((finding) => ({
      what: `certificate of ${id}`,
      why: `${finding.id}: ${finding.evidence[0] ?? ''}`,
    }));
  });

const recordOf = (options: BuildOptions, document: DocumentOutcome | undefined): BuildRecord => {
  const { kind, name, hash, text } = options.input;
  const { country, industry, archetypes } = options.pins;
  const source = document
    ? `API document ${name}: ${document.title}, ${document.operations.length} operations`
    : text.slice(0, 4000);
  return {
    treadle: 'build/1',
    input: { kind, name, hash },
    source,
    pins: {
      ...(country ? { country } : {}),
      ...(industry ? { industry } : {}),
      ...(archetypes ? { archetypes: [...archetypes] } : {}),
    },
    worlds: options.worlds,
    tasks: options.tasks,
    seed: options.seed,
    slots: {},
  };
};

const finish = async (run: Run, document: DocumentOutcome | undefined): Promise<BuildSummary> => {
  const { corpus, options, record } = run;
  run.ui.progress('writing rows and report');
  const rows = await timed(run, 'export', () => exportCorpus(corpus, { out: corpus.path('sft'), seed: options.seed }));
  const title = options.input.kind === 'brief' ? 'Worlds from a brief' : `Worlds from ${options.input.name}`;
  const dropped = [...lossesOf(record), ...failedLater(corpus)];
  const { worlds } = rebuildIndex(corpus);
  const report = await timed(run, 'report', () =>
    writeReport(corpus, worlds, {
      title,
      source: record.source,
      seed: options.seed,
      dropped,
      ...(document ? { document } : {}),
    }),
  );
  const sum = (pick: (world: (typeof worlds)[number]) => number): number =>
    worlds.reduce((total, world) => total + pick(world), 0);
  return {
    out: options.out,
    worlds: worlds.length,
    certified: worlds.filter(({ certified }) => certified).length,
    tasks: sum(({ tasks }) => tasks),
    tasksDropped: sum((world) => world.dropped),
    rollouts: sum(({ rollouts }) => rollouts),
    passed: sum(({ passed }) => passed),
    rows: rows.rows,
    dropped,
    ...(document ? { document } : {}),
    timesMs: Object.fromEntries(Object.entries(run.timesMs).map(([stage, ms]) => [stage, Math.round(ms)])),
    report,
  };
};

const reuse = (drafting: Drafting, first: WorldDraft): Drafting => ({
  ...drafting,
  draft: (index, attempt) => (index === 0 && attempt === 0 ? first : drafting.draft(index, attempt)),
});

/**
 * Builds or goes on building. A world or task that fails is dropped with its reason. Throws for bad input, for a folder that
 * cannot be used, and `interrupted`; whatever was finished by then stays, and the same call goes on with it. `pair`: fresh
 * processes that outlive this build, for many builds in a row; the caller closes them.
 */
export const build = async (
  options: BuildOptions,
  ui: Ui,
  interrupt: Interrupt = noInterrupt,
  pair?: FreshPair,
): Promise<BuildSummary> => {
  const drafting = draftsOf(options.input, options.seed, options.pins);
  // Whether the input can be used at all shows before a folder is made for it.
  const first = drafting.draft(0, 0);
  const corpus = Corpus.open(options.out, true);
  const record = openRecord(corpus, recordOf(options, drafting.document));
  if (drafting.document) keepOutcome(corpus, drafting.document);
  const engine = await Engine.start();
  const own = options.skipDeterminism ? undefined : (pair ?? new FreshPair());
  const run: Run = { options, ui, corpus, engine, record, pair: own, timesMs: {}, interrupt };
  try {
    for (let index = 0; index < options.worlds; index++) {
      await interrupt.check(`${index} of ${options.worlds} worlds are finished`);
      await fillSlot(run, index === 0 ? reuse(drafting, first) : drafting, index);
    }
    await proveDeterminism(run);
  } finally {
    if (!pair) own?.close();
    engine.close();
  }
  return finish(run, drafting.document);
};
