/** The walk through a sample: shows a task, takes a line, stores the decision at once, goes on. */
import type { Review } from '../../artifacts/review.js';
import type { Corpus } from '../../corpus/corpus.js';
import { addReview } from '../../corpus/review/records.js';
import type { SampleTask } from '../../corpus/review/sample.js';
import { TreadleError } from '../../errors.js';
import { KEYS, type Typed, typed } from './decision.js';
import { taskLines } from './task-lines.js';

export interface WalkOptions {
  by: string;
  now: () => string;
  /** Lines as they come; the end of them is as good as `quit`. */
  lines: AsyncIterator<string>;
  /** A person types: mistakes are told and asked again. Otherwise they are refused with the number of the line. */
  isTyped: boolean;
  print: (line: string) => void;
  prompt: (text: string) => void;
}

export const recordOf = (
  { hash, id, world }: SampleTask,
  decision: Review['decision'],
  comment: string,
  by: string,
  at: string,
): Review => ({ treadle: 'review/1', subject: hash, name: id, world, by, decision, comment, at });

const shownBy = (corpus: Corpus, { id, hash, world }: SampleTask, reviews: readonly Review[]): string[] => {
  const { tasks, certificates } = corpus.readTasks(world);
  const task = tasks.find((one) => one.id === id);
  if (!task) return ['The task is no longer there.'];
  const named = reviews.filter(({ name }) => name === id);
  return taskLines({
    task,
    certificate: certificates[id],
    services: corpus.readDescription(world).services,
    reviews: named.filter(({ subject }) => subject === hash),
    voided: named.filter(({ subject }) => subject !== hash),
  });
};

/**
 * Walks through `sample` from the first task this reviewer has not decided. Decisions are added to `reviews` and to the disk one by
 * one. Returns how many were made. Throws `bad_decision` for a piped line that is none; what came before it is kept.
 */
export const walk = async (
  corpus: Corpus,
  sample: readonly SampleTask[],
  reviews: Review[],
  options: WalkOptions,
): Promise<number> => {
  const { by, now, lines, isTyped, print, prompt } = options;
  const isDecided = ({ hash }: SampleTask): boolean =>
    reviews.some((one) => one.subject === hash && one.by === by && one.decision !== 'comment');
  const following = (from: number): number => {
    for (let i = from; i < sample.length; i++) if (!isDecided(sample[i] as SampleTask)) return i;
    return sample.length;
  };
  let [read, made] = [0, 0];
  const next = async (asked: string): Promise<string | undefined> => {
    prompt(asked);
    const { value, done } = await lines.next();
    if (done) return undefined;
    read++;
    return value;
  };
  const refuse = (why: string, value: string): void => {
    if (!isTyped)
      throw new TreadleError({
        code: 'bad_decision',
        message: `Line ${read} of the decisions: ${why}`,
        value,
        next: `A line is one of ${KEYS}; the ${made} before it are stored.`,
      });
    print(`${why}: ${KEYS}`);
  };
  let at = following(0);
  let isShown = false;
  while (at < sample.length) {
    const task = sample[at] as SampleTask;
    if (!isShown) {
      print('');
      print(`${at + 1} of ${sample.length}  ${task.id}  ${task.kind}, profile ${task.profile}, world ${task.world}`);
      for (const line of shownBy(corpus, task, reviews)) print(line);
      isShown = true;
    }
    const line = await next(`${KEYS} > `);
    if (line === undefined) return made;
    const said = typed(line);
    let decision: Exclude<Typed, { key: 'unsaid' }>;
    if (said.key === 'unsaid') {
      const { of } = said;
      const words = isTyped ? await next(of === 'reject' ? 'Why? > ' : 'Comment > ') : '';
      if (words === undefined) return made;
      if (words.trim() === '') {
        refuse(of === 'reject' ? 'a rejection needs a reason' : 'a comment needs words', line);
        continue;
      }
      decision = { key: of, comment: words.trim() };
    } else decision = said;
    if (decision.key === 'quit') return made;
    if (decision.key === 'unknown') {
      refuse('not a decision', line);
      continue;
    }
    if (!('comment' in decision)) {
      at = decision.key === 'back' ? Math.max(0, at - 1) : following(at + 1);
      isShown = false;
      continue;
    }
    const review = recordOf(task, decision.key, decision.comment, by, now());
    addReview(corpus, review);
    reviews.push(review);
    made++;
    if (decision.key === 'comment') continue;
    at = following(at + 1);
    isShown = false;
  }
  return made;
};
