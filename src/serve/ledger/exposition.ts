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

interface Group<T> {
  labels: string[];
  value: T;
  /** Decides who is among the top. */
  calls: number;
}

/** What is counted together under one set of label values. */
export class Grouped<T> {
  readonly #groups = new Map<string, Group<T>>();

  /** `names` of the labels; `add` gives the sum of two values and may change the first. */
  constructor(
    readonly names: readonly string[],
    readonly empty: () => T,
    readonly add: (into: T, value: T) => T,
  ) {}

  count(labels: readonly string[], calls: number, value: T): void {
    sum(this, this.#groups, labels, calls, value);
  }

  /** The `most` groups with the most calls, and all others as one named `other`; labels that look alike once shown are one. */
  top(most: number): { labels: Record<string, string>; value: T }[] {
    const shown = new Map<string, Group<T>>();
    for (const { labels, calls, value } of this.#groups.values())
      sum(this, shown, labels.map(labelValue), calls, value);
    const groups = [...shown.values()].sort((a, b) => b.calls - a.calls);
    const kept = new Map<string, Group<T>>();
    const other = this.names.map(() => 'other');
    for (const [i, { labels, calls, value }] of groups.entries())
      sum(this, kept, i < most ? labels : other, calls, value);
    return [...kept.values()].map(({ labels, value }) => ({
      labels: Object.fromEntries(labels.map((label, i) => [this.names[i] as string, label])),
      value,
    }));
  }
}

const sum = <T>(
  { empty, add }: Pick<Grouped<T>, 'empty' | 'add'>,
  groups: Map<string, Group<T>>,
  labels: readonly string[],
  calls: number,
  value: T,
): void => {
  let key = '';
  for (const label of labels) key += `${label.length}:${label}`;
  const known = groups.get(key);
  if (known) {
    known.value = add(known.value, value);
    known.calls += calls;
  } else {
    groups.set(key, { labels: [...labels], value: add(empty(), value), calls });
  }
};
