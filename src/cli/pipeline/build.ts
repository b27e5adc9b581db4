/** `treadle build`: the whole flow, slot by slot; what is finished is on disk before the next begins. */
import type { Pins } from '../../author/catalogue/author.js';
import type { WorldDraft } from '../../author/draft.js';
import { FreshPair } from '../../certify/determinism/pair.js';
import { Corpus } from '../../corpus/corpus.js';
import { hasFaces, type KeptFaces, keepFaces, writeWorldFaces } from '../../corpus/faces.js';
import { Engine } from '../../world/state/engine.js';
import { type Interrupt, noInterrupt } from '../interrupt.js';
import type { Ui } from '../ui.js';
import { chooseTasks } from './choice.js';
import { fillSlots, type SlotsPlan, slotsHere, slotsShared } from './crew/slots.js';
import { type DocumentOutcome, keepOutcome } from './document.js';
import { type Drafts, draftsOf } from './drafts.js';
import type { Input } from './input.js';
import { draftsByModel, type ModelMeans } from './model-drafts.js';
import { progressOf } from './progress.js';
import { openQueue } from './queue/open.js';
import { type BuildRecord, closeRecord, keepSlot, type Loss, openRecord, type Slot } from './record.js';
import { writeBuildReport } from './report.js';
import { exportCorpus } from './rows.js';
import { type Run, timed } from './slot.js';
import type { Briefs } from './sweep.js';

export interface BuildOptions {
  input: Input | Briefs;
  worlds: number;
  tasks: number;
  seed: string;
  out: string;
  pins: Pins;
  /** Leaves out the two fresh processes of validator 11; benchmarks of one process only. */
  skipDeterminism?: boolean;
}

/** With what a build is done; none of it changes a byte of a world. */
export interface BuildMeans {
  /** Worker processes; 1 (the default) does all in this one. */
  jobs?: number;
  /** Fresh processes that outlive this build, for many builds in a row; the caller closes them. One job only. */
  pair?: FreshPair;
  /** False leaves the training rows out: `treadle export` writes them from the same folder. */
  rows?: boolean;
  /** A model writes the services; one job only. */
  model?: ModelMeans;
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
  /** Its worlds answer as the API of the document: treadle serve --rest. */
  api?: true;
  /** Milliseconds a stage took in this run. */
  timesMs: Record<string, number>;
  report: string;
}

type Work = Pick<Run, 'options' | 'ui' | 'corpus' | 'timesMs'> & { keep: Run['keep'] };

const recordOf = (
  options: BuildOptions,
  document: DocumentOutcome | undefined,
  model: string | undefined,
): BuildRecord => {
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
      ...(model ? { model } : {}),
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

const finish = async (
  { corpus, options, ui, timesMs }: Work,
  record: BuildRecord,
  document: DocumentOutcome | undefined,
  wantsRows: boolean,
): Promise<BuildSummary> => {
  ui.progress('writing rows and report');
  const rows = wantsRows
    ? await timed(timesMs, 'export', () => exportCorpus(corpus, { out: corpus.path('sft'), seed: options.seed }))
    : { rows: 0 };
  closeRecord(corpus, record);
  const { report, dropped, worlds } = await timed(timesMs, 'report', () => writeBuildReport(corpus, record, document));
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
    timesMs: Object.fromEntries(Object.entries(timesMs).map(([stage, ms]) => [stage, Math.round(ms)])),
    report,
  };
};

const reuse = (drafting: Drafts, first: WorldDraft): Drafts => ({
  ...drafting,
  draft: (index, attempt) => (index === 0 && attempt === 0 ? first : drafting.draft(index, attempt)),
});

/** Slots in this process, one after another. */
const workAlone = async (work: Work, slots: SlotsPlan, drafting: Drafts, means: BuildMeans): Promise<void> => {
  const { options } = work;
  const { interrupt } = slots;
  const engine = await Engine.start();
  const own = options.skipDeterminism ? undefined : (means.pair ?? new FreshPair());
  const run: Run = { ...work, engine, pair: own, interrupt };
  try {
    const authored = means.model ? draftsByModel(engine, options, means.model, work.ui) : drafting;
    await slotsHere(slots, run, authored, means.model !== undefined);
    await interrupt.check('all worlds are made');
  } finally {
    if (!means.pair) own?.close();
    engine.close();
  }
};

/** Slots in several processes; they write worlds, this one remembers. */
const workTogether = async (work: Work, slots: SlotsPlan, processes: number): Promise<void> => {
  const { options, ui, timesMs, keep } = work;
  const { record } = slots;
  const told = progressOf(ui, options.worlds);
  await slotsShared({
    ...slots,
    options,
    processes,
    keep,
    onDone: (index) => told.done(record.slots[String(index)]?.world !== undefined),
    onMemory: (rss) => told.memory(rss),
    onTimes: (times) => {
      for (const [stage, ms] of Object.entries(times)) timesMs[stage] = (timesMs[stage] ?? 0) + ms;
    },
  });
};

/** Remembers slots, and gives their worlds the document's API; those that were made before get it now. */
const keeperOf = (corpus: Corpus, record: BuildRecord, faces: KeptFaces | undefined): Run['keep'] => {
  if (faces) keepFaces(corpus, faces);
  const face = ({ world }: Slot): void => {
    if (faces && world !== undefined && corpus.hasWorld(world) && !hasFaces(corpus, world))
      writeWorldFaces(corpus, world, faces.faces);
  };
  for (const slot of Object.values(record.slots)) face(slot);
  return (index, slot) => {
    face(slot);
    keepSlot(corpus, record, index, slot);
  };
};

/**
 * Builds or goes on building. A world or task that fails is dropped with its reason. Throws for bad input, for a folder that
 * cannot be used, and `interrupted`; whatever was finished by then stays, and the same call goes on with it, with as many jobs
 * as it likes. While it works no other process can in that folder (`corpus_in_use`).
 */
export const build = async (
  options: BuildOptions,
  ui: Ui,
  interrupt: Interrupt = noInterrupt,
  means: BuildMeans = {},
): Promise<BuildSummary> => {
  const drafting = draftsOf(options.input, options.seed, options.pins);
  // Whether a single input can be used at all shows before a folder is made for it.
  const first = options.input.kind === 'briefs' || means.model ? undefined : drafting.draft(0, 0);
  const corpus = Corpus.open(options.out, true);
  const queue = await openQueue(corpus, 'build');
  let isOver = false;
  try {
    const record = openRecord(corpus, recordOf(options, drafting.document, means.model?.options.model));
    if (drafting.document) keepOutcome(corpus, drafting.document);
    const faces = means.model ? undefined : drafting.faces?.();
    const keep = keeperOf(corpus, record, faces);
    const work: Work = { options, ui, corpus, timesMs: {}, keep };
    const slots: SlotsPlan = { queue, filled: await fillSlots(queue, corpus, record), record, interrupt };
    const jobs = Math.min(means.jobs ?? 1, options.worlds);
    if (jobs > 1 && !means.model) await workTogether(work, slots, jobs);
    else await workAlone(work, slots, first ? reuse(drafting, first) : drafting, means);
    // A world alone has nothing to choose from.
    if (options.worlds > 1) {
      ui.progress('choosing tasks that no other world has');
      const onWorld = (index: number): Promise<void> =>
        interrupt.check(`tasks of ${index} of ${options.worlds} worlds are chosen`);
      await timed(work.timesMs, 'choice', () => chooseTasks(corpus, record, onWorld));
    }
    const summary = await finish(work, record, drafting.document, means.rows ?? true);
    isOver = true;
    return faces && faces.faces.length > 0 && summary.worlds > 0 ? { ...summary, api: true } : summary;
  } finally {
    await queue.close(isOver);
  }
};
