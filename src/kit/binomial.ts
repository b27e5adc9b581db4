/** Exact bounds on a share from a count (Clopper and Pearson 1934). */

/** ln C(n, k) term by term: counts here are at most some ten thousand. */
const logChoose = (n: number, k: number): number => {
  let sum = 0;
  for (let i = 1; i <= Math.min(k, n - k); i++) sum += Math.log((n - i + 1) / i);
  return sum;
};

/** P(X <= k) for X of n draws with probability p each; 0 <= k <= n, 0 <= p <= 1. */
export const binomialCdf = (k: number, n: number, p: number): number => {
  if (k >= n || p <= 0) return 1;
  if (p >= 1) return 0;
  let sum = 0;
  for (let i = 0; i <= k; i++) sum += Math.exp(logChoose(n, i) + i * Math.log(p) + (n - i) * Math.log1p(-p));
  return Math.min(1, sum);
};

const HALVINGS = 60;

/**
 * The one-sided exact upper bound: the largest share under which `found` or fewer in `n` draws would still come up with
 * probability `1 - confidence`. 1 where nothing was drawn. Drawing without replacement only makes it cautious.
 */
export const upperBound = (found: number, n: number, confidence = 0.95): number => {
  if (n <= 0 || found >= n) return 1;
  let [low, high] = [found / n, 1];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (binomialCdf(found, n, middle) > 1 - confidence) low = middle;
    else high = middle;
  }
  return high;
};
