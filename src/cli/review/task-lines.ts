/** A task as a reviewer reads it: what `treadle show` says of it, and what was decided before. */
import type { Review } from '../../artifacts/review.js';
import { forWhom, type ShownTask, taskSections } from '../show/task.js';

/** One earlier record in a line. */
export const reviewLine = ({ decision, by, at, comment }: Review): string =>
  `${decision} by ${by}, ${at}${comment ? `: ${comment}` : ''}`;

export interface ReviewedTask extends ShownTask {
  /** Of its current hash. */
  reviews: readonly Review[];
  /** Of the same id with another hash. */
  voided: readonly Review[];
}

export const taskLines = ({ reviews, voided, ...shown }: ReviewedTask): string[] => [
  forWhom(shown.task),
  ...taskSections(shown, (pass) => (pass ? 'ok' : 'FAILED')).flatMap(({ title, lines }) => [title, ...lines]),
  ...(reviews.length > 0 ? ['Earlier', ...reviews.map((review) => `  ${reviewLine(review)}`)] : []),
  ...voided.map((review) => `  void, the task was another one then: ${reviewLine(review)}`),
];
