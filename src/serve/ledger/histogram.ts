/**
 * How long calls took: counts in buckets of equal ratio, 26 a decade from a microsecond to a thousand seconds. A quantile is
 * read between a bucket's bounds, so it is off by less than their ratio, 9.3 % (HdrHistogram's idea with fewer steps).
 */

const PER_DECADE = 26;
const DECADES = 9;
const BUCKETS = PER_DECADE * DECADES;
const LOWEST_MS = 0.001;
const TO_INDEX = PER_DECADE / Math.LN10;

/** Upper bound of a bucket, milliseconds; a value equal to it lies below. */
const upper = (bucket: number): number => LOWEST_MS * 10 ** ((bucket + 1) / PER_DECADE);

/** The last one is for everything beyond. The small step down keeps values that are a bound, give or take rounding, below it. */
const bucketOf = (ms: number): number => {
  if (!(ms > LOWEST_MS)) return 0;
  const index = Math.ceil(Math.log(ms / LOWEST_MS) * TO_INDEX - 1e-9) - 1;
  return Math.max(0, Math.min(index, BUCKETS));
};

export interface Quantiles {
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** A histogram as data, to be merged in another process. */
export interface HistogramParts {
  count: number;
  sum: number;
  max: number;
  min: number;
  low: number;
  counts: readonly number[];
}

export class Histogram {
  count = 0;
  /** Milliseconds. */
  sum = 0;
  max = 0;
  #min = Number.POSITIVE_INFINITY;
  /** Only the buckets between the fastest and the slowest call are kept; the first of them is `#low`. */
  #low = 0;
  #counts: number[] = [];

  /** Milliseconds; what is no time counts as 0. */
  record(given: number): void {
    const ms = given >= 0 ? Math.min(given, Number.MAX_SAFE_INTEGER) : 0;
    this.count++;
    this.sum += ms;
    if (ms > this.max) this.max = ms;
    if (ms < this.#min) this.#min = ms;
    this.#add(bucketOf(ms), 1);
  }

  #add(bucket: number, count: number): void {
    if (this.#counts.length === 0) this.#low = bucket;
    for (; bucket < this.#low; this.#low--) this.#counts.unshift(0);
    const at = bucket - this.#low;
    while (this.#counts.length <= at) this.#counts.push(0);
    this.#counts[at] = (this.#counts[at] as number) + count;
  }

  parts(): HistogramParts {
    const { count, sum, max } = this;
    // JSON has no infinity: one that counted nothing has no least either.
    return { count, sum, max, min: count === 0 ? 0 : this.#min, low: this.#low, counts: this.#counts };
  }

  /** Adds what another one counted. */
  merge(other: Histogram): void {
    this.absorb(other.parts());
  }

  absorb({ count, sum, max, min, low, counts }: HistogramParts): void {
    if (count === 0) return;
    this.count += count;
    this.sum += sum;
    this.max = Math.max(this.max, max);
    this.#min = Math.min(this.#min, min);
    for (let i = 0; i < counts.length; i++) {
      const calls = counts[i] as number;
      if (calls > 0) this.#add(low + i, calls);
    }
  }

  /** Milliseconds below which the share `q` (0..1) of all calls lies; 0 where there is none. */
  quantile(q: number): number {
    if (this.count === 0) return 0;
    const rank = Math.max(1, Math.ceil(q * this.count));
    let before = 0;
    for (const [i, count] of this.#counts.entries()) {
      if (before + count < rank) {
        before += count;
        continue;
      }
      const bucket = this.#low + i;
      if (bucket === BUCKETS) return this.max;
      const within = (rank - before - 0.5) / count;
      const value = upper(bucket) * 10 ** ((within - 1) / PER_DECADE);
      return Math.min(this.max, Math.max(this.#min, value));
    }
    return this.max;
  }

  quantiles(): Quantiles {
    return { p50: this.quantile(0.5), p95: this.quantile(0.95), p99: this.quantile(0.99), max: this.max };
  }

  /** Calls of at most 10^(k/2) microseconds, for k = 1 ... 18: bounds in seconds, counts cumulated. Exact: they are bucket bounds. */
  cumulative(): { seconds: number; count: number }[] {
    const half = PER_DECADE / 2;
    let count = 0;
    let next = 0;
    return Array.from({ length: DECADES * 2 }, (_, k) => {
      for (; next < (k + 1) * half; next++) count += this.#counts[next - this.#low] ?? 0;
      return { seconds: Number((10 ** ((k + 1) / 2 - 6)).toPrecision(3)), count };
    });
  }
}
