/** Calls and latencies as metrics: bounded in number whatever tools, runs and policies there are. */
import { type Family, Grouped } from './exposition.js';
import { Histogram } from './histogram.js';
import type { Row, Statistics } from './statistics.js';

const MOST_TOOLS = 1000;
const MOST_SERVICES = 100;
const MOST_RUNS = 100;

const zero = (): number => 0;
const plus = (a: number, b: number): number => a + b;

const merge = (into: Histogram, other: Histogram): Histogram => {
  into.merge(other);
  return into;
};

const outcomes = (row: Row): [string, number][] => {
  const failed = [...(row.failed ?? [])];
  const bad = failed.reduce((sum, [, calls]) => sum + calls, 0);
  const good = row.latency.count - bad;
  return good > 0 ? [['ok', good], ...failed] : failed;
};

const counter = (name: string, help: string, sums: Grouped<number>, most: number): Family => ({
  name,
  help,
  type: 'counter',
  values: sums.top(most),
});

const latencies = (name: string, help: string, sums: Grouped<Histogram>, most: number): Family => {
  const values = sums.top(most);
  return {
    name,
    help,
    type: 'histogram',
    values: values.flatMap(({ labels, value }) => [
      ...value.cumulative().map(({ seconds, count }) => ({
        metricName: `${name}_bucket`,
        labels: { ...labels, le: String(seconds) },
        value: count,
      })),
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: value.count },
      { metricName: `${name}_sum`, labels, value: value.sum / 1000 },
      { metricName: `${name}_count`, labels, value: value.count },
    ]),
  };
};

/** `other` is what is left of all calls, so it falls when a tool or run of it comes among the top; Prometheus sees a reset. */
export const callFamilies = (statistics: Statistics): Family[] => {
  const tools = new Grouped(['service', 'tool', 'outcome'], zero, plus);
  const runs = new Grouped(['run', 'policy_version'], zero, plus);
  const services = new Grouped(['service'], () => new Histogram(), merge);
  for (const row of statistics.rows()) {
    const calls = row.latency.count;
    const { service, tool } = row.key;
    for (const [outcome, number] of outcomes(row)) tools.count([service, tool, outcome], number, number);
    if (row.run !== undefined || row.policyVersion !== undefined)
      runs.count([row.run ?? '', row.policyVersion ?? ''], calls, calls);
    services.count([service], calls, row.latency);
  }
  const dropped: Family = {
    name: 'treadle_statistics_dropped_total',
    help: 'Calls counted without their labels, and calls not counted, because there were too many',
    type: 'counter',
    values: [
      { labels: { what: 'labels' }, value: statistics.labelsDropped },
      { labels: { what: 'call' }, value: statistics.callsDropped },
    ],
  };
  return [
    counter('treadle_calls_total', 'Tool calls; outcome is ok or whose fault the error was', tools, MOST_TOOLS),
    counter('treadle_run_calls_total', 'Tool calls of labelled sessions; the rest of many as other', runs, MOST_RUNS),
    latencies('treadle_call_duration_seconds', 'Wall-clock time of tool calls', services, MOST_SERVICES),
    dropped,
  ];
};
