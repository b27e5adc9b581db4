/** Metric families for prom-client's registry from values counted elsewhere, with label values that cannot break a scrape. */
import type { Metric, Registry } from 'prom-client';

export interface Sample {
  labels?: Record<string, string | number>;
  value: number;
  /** Of histograms: the family's name with `_bucket`, `_sum` or `_count`. */
  metricName?: string;
}

export interface Family {
  name: string;
  help: string;
  type: 'gauge' | 'counter' | 'histogram';
  values: Sample[];
}

const LONGEST = 128;

/** At most 128 characters of well-formed text without control characters; prom-client escapes the rest. */
export const labelValue = (text: string): string =>
  Buffer.from(text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text)
    .toString()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it takes out
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ');

/** A registry asks a metric for nothing but `get()`; counts are kept elsewhere, so there is nothing to observe here. */
export const addFamily = (registry: Registry, family: Family): void => {
  const metric = { name: family.name, get: async () => ({ ...family, aggregator: 'sum' }) };
  registry.registerMetric(metric as unknown as Metric);
};

/** What is counted together under one set of label values. */
export class Grouped<T> {
  readonly #groups = new Map<string, { labels: string[]; value: T; calls: number }>();

  constructor(
    readonly names: readonly string[],
    readonly empty: () => T,
  ) {}

  /** The value to add to; the labels are those of `names`, in order. `calls` decides who is among the top. */
  at(labels: readonly string[], calls: number): { value: T } {
    const shown = labels.map(labelValue);
    const key = JSON.stringify(shown);
    const known = this.#groups.get(key) ?? { labels: shown, value: this.empty(), calls: 0 };
    known.calls += calls;
    this.#groups.set(key, known);
    return known;
  }

  /** The `most` groups with the most calls, and all others as one named `other`. */
  top(most: number, add: (into: T, value: T) => T): { labels: Record<string, string>; value: T }[] {
    const groups = [...this.#groups.values()].sort((a, b) => b.calls - a.calls);
    const kept = groups.slice(0, most);
    const rest = groups.slice(most);
    const other = this.names.map(() => 'other');
    const key = JSON.stringify(other);
    if (rest.length > 0) {
      const value = rest.reduce((sum, group) => add(sum, group.value), this.empty());
      const same = kept.find(({ labels }) => JSON.stringify(labels) === key);
      if (same) same.value = add(same.value, value);
      else kept.push({ labels: other, value, calls: 0 });
    }
    return kept.map(({ labels, value }) => ({
      labels: Object.fromEntries(labels.map((label, i) => [this.names[i] as string, label])),
      value,
    }));
  }
}
