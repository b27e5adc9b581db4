/** report.html of a build: written at its end, and again when something is measured later. */
import { rebuildIndex } from '../../corpus/catalog.js';
import type { Corpus } from '../../corpus/corpus.js';
import type { WorldEntry } from '../../corpus/listings.js';
import { writeReport } from '../report/report.js';
import { type DocumentOutcome, readOutcome } from './document.js';
import { type BuildRecord, type Loss, lossesOf, readRecord } from './record.js';

/** Findings that were added to a certificate after its world was kept. */
const failedLater = (corpus: Corpus): Loss[] =>
  corpus.worlds().flatMap((id) => {
    const failed = corpus.worldCertificate(id)?.findings.filter(({ pass }) => !pass) ?? [];
    return failed.map((finding) => ({
      what: `certificate of ${id}`,
      why: `${finding.id}: ${finding.evidence[0] ?? ''}`,
    }));
  });

export interface BuildReport {
  /** Path of report.html. */
  report: string;
  dropped: Loss[];
  worlds: readonly WorldEntry[];
}

/** Rebuilds the index and writes the report from what is on disk. */
export const writeBuildReport = (
  corpus: Corpus,
  record: BuildRecord,
  document: DocumentOutcome | undefined,
): BuildReport => {
  const { input, source, seed } = record;
  const title = input.kind === 'brief' ? 'Worlds from a brief' : `Worlds from ${input.name}`;
  const dropped = [...lossesOf(record), ...failedLater(corpus)];
  const { worlds } = rebuildIndex(corpus);
  const report = writeReport(corpus, worlds, { title, source, seed, dropped, ...(document ? { document } : {}) });
  return { report, dropped, worlds };
};

/** Up to so many worlds the report is written anew after each command that adds to it; of more it takes longer than they do. */
const FEW_WORLDS = 60;

/** The index anew, and where it is quickly made the report. */
export const refresh = (corpus: Corpus): void => {
  try {
    if (corpus.worlds().length <= FEW_WORLDS && rewriteReport(corpus) !== undefined) return;
  } catch {
    // A file that was edited elsewhere in the corpus spoils the report and not what was done.
  }
  rebuildIndex(corpus);
};

/** The report of a finished build once more; undefined for a corpus that no build made. */
export const rewriteReport = (corpus: Corpus): string | undefined => {
  const record = readRecord(corpus);
  return record ? writeBuildReport(corpus, record, readOutcome(corpus)).report : undefined;
};
