/** What a model may do for tasks besides writing them: judge, reword, with counts of what came of it. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Task } from '../../artifacts/task.js';
import type { Desk } from '../../author/model/desk.js';
import { kindOfReason } from '../../author/model/reasons.js';
import type { ModelTally } from '../../corpus/library.js';
import { addressOf } from '../../kit/hash.js';
import { judgeTask, type Semantic } from './judge.js';
import { rewordTask, type Words } from './reword.js';

export const emptyModelTally = (model: string): ModelTally => ({
  model,
  judged: { accepted: 0, refused: 0, unclear: 0 },
  reworded: { changed: 0, kept: {} },
});

/** The gate's line of a verdict. */
export const SEMANTIC = 'semantic_acceptance';

/** The certificate with the verdict as a line of its own; without a verdict as it was. */
export const withVerdict = (certificate: Certificate, model: string, verdict: Semantic): Certificate => {
  if ('unclear' in verdict) return certificate;
  const { does, reason } = verdict;
  const line: Certificate['findings'][number] = {
    id: SEMANTIC,
    pass: does,
    evidence: [`${model}: ${reason || (does ? 'it does what is asked' : 'it does not do what is asked')}`],
    ...(does
      ? {}
      : { repair: { part: 'task', hint: 'Let the brief ask for what the reference does, or the reference do it.' } }),
  };
  return { ...certificate, pass: certificate.pass && does, findings: [...certificate.findings, line] };
};

export interface ModelWork {
  judge: boolean;
  reword: boolean;
}

/** The judge and the rewriter of one command, over one desk and so over one budget. */
export class TaskModels {
  readonly desk: Desk;
  readonly work: ModelWork;
  #tally: ModelTally;

  constructor(desk: Desk, work: ModelWork) {
    this.desk = desk;
    this.work = work;
    this.#tally = emptyModelTally(desk.model.model);
  }

  get model(): string {
    return this.desk.model.model;
  }

  /** Counts since the last time, and why nothing more is asked where that is so. */
  take(): ModelTally {
    const tally = this.#tally;
    this.#tally = emptyModelTally(this.model);
    const ended = this.desk.ended?.why;
    return ended === undefined ? tally : { ...tally, ended };
  }

  /** `account` is made only where there is a judge; undefined where there is none. */
  async judge(id: string, account: () => string): Promise<Semantic | undefined> {
    if (!this.work.judge) return undefined;
    const verdict = await judgeTask(this.desk, id, account());
    this.#tally.judged['unclear' in verdict ? 'unclear' : verdict.does ? 'accepted' : 'refused']++;
    return verdict;
  }

  /** Other words for a task; undefined where it keeps its own, which is counted with the reason. */
  async words(task: Task): Promise<Words | undefined> {
    if (!this.work.reword) return undefined;
    const made = await rewordTask(this.desk, task);
    if ('words' in made) return made.words;
    this.keep(made.kept);
    return undefined;
  }

  /** The task has other words now. */
  changed(): void {
    this.#tally.reworded.changed++;
  }

  /** The task keeps its own words. */
  keep(reason: string): void {
    const { kept } = this.#tally.reworded;
    const kind = kindOfReason(reason);
    kept[kind] = (kept[kind] ?? 0) + 1;
  }
}

/** What a task asks and how it is met, whatever it is called. */
export const essenceOf = ({ brief, reference, grounding }: Task): string =>
  addressOf({ brief, reference, ...(grounding ? { grounding } : {}) });
