/** What reviews say of tasks as they are now. */
import type { Review } from '../../artifacts/review.js';

export type Standing = 'accepted' | 'rejected';

/**
 * The decision on each subject, by hash. Each reviewer's latest acceptance or rejection counts; who rejects outweighs who accepts.
 * Comments decide nothing.
 */
export const standings = (reviews: readonly Review[]): Map<string, Standing> => {
  const latest = new Map<string, Map<string, Review>>();
  for (const review of reviews) {
    if (review.decision === 'comment') continue;
    const own = latest.get(review.subject) ?? new Map<string, Review>();
    own.set(review.by, review);
    latest.set(review.subject, own);
  }
  return new Map(
    [...latest].map(([subject, own]) => {
      const isRejected = [...own.values()].some(({ decision }) => decision === 'reject');
      return [subject, isRejected ? 'rejected' : 'accepted'] as const;
    }),
  );
};

/** Why a task is not among the accepted ones. */
export type NotAccepted = 'rejected' | 'changed_since_review' | 'not_reviewed';

/** By task: its current hash was accepted (undefined), or why not. A review of another hash of the same id is void. */
export const acceptance = (reviews: readonly Review[]): ((id: string, hash: string) => NotAccepted | undefined) => {
  const decided = standings(reviews);
  const named = new Set(reviews.filter(({ decision }) => decision !== 'comment').map(({ name }) => name));
  return (id, hash) => {
    const standing = decided.get(hash);
    if (standing === 'accepted') return undefined;
    return standing === 'rejected' ? standing : named.has(id) ? 'changed_since_review' : 'not_reviewed';
  };
};

/** Reviews of what is no longer there as it was: void. */
export const voidReviews = (reviews: readonly Review[], current: ReadonlySet<string>): Review[] =>
  reviews.filter(({ subject, decision }) => decision !== 'comment' && !current.has(subject));
