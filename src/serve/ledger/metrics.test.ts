import { register } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { ServerInfo } from '../api.js';
import { type MetricsSource, metricsText } from './metrics.js';
import { type RecordedCall, Statistics } from './statistics.js';

const info: ServerInfo = {
  version: '0.1.0',
  sessions: { open: 3, closed: 1 },
  residence: {},
  capacity: 1000,
  worlds: { loaded: 2, known: 10 },
  rssMiB: 100,
  uptimeSeconds: 5,
};

const source = (statistics: Statistics, over: Partial<MetricsSource> = {}): MetricsSource => ({
  info: () => info,
  statistics,
  ledgers: { bytesInMemory: 17, bytesOnDisk: 4, failing: undefined },
  residences: () => ({ active: 2, parked: 1 }),
  parkedBytes: () => ({ parked: 12, disk: 0 }),
  refusedOpens: () => ({ at_capacity: 4 }),
  deferred: () => 6,
  ...over,
});

const call = (over: Partial<RecordedCall> = {}): RecordedCall => ({
  service: 'bookings',
  serviceHash: 'h',
  tool: 'get',
  toolVersion: 'v',
  ok: true,
  ms: 2,
  labels: {},
  ...over,
});

const SAMPLE = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? (-?[0-9.e+-]+|\+Inf)$/;

/** Reads the text format strictly: every line is one, families are declared once, no series is there twice. */
const scrape = (text: string): Map<string, number> => {
  const series = new Map<string, number>();
  const declared = new Set<string>();
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const type = /^# TYPE ([a-z_]+) (gauge|counter|histogram)$/.exec(line);
    if (type) {
      expect(declared.has(type[1]!)).toBe(false);
      declared.add(type[1]!);
      expect(type[1]!.endsWith('_total')).toBe(type[2] === 'counter');
    } else if (!/^# HELP [a-z_]+ .+$/.test(line)) {
      const found = SAMPLE.exec(line);
      if (!found) expect.fail(line.slice(0, 300));
      const key = `${found[1]}{${found[2] ?? ''}}`;
      if (series.has(key)) expect.fail(`twice: ${key}`);
      series.set(key, Number(found[3]!.replace('+Inf', 'Infinity')));
      const family = found[1]!.replace(/_(bucket|sum|count)$/, '');
      if (!declared.has(found[1]!) && !declared.has(family)) expect.fail(`undeclared: ${key}`);
      if (!family.startsWith('treadle_')) expect.fail(`foreign: ${key}`);
    }
  }
  return series;
};

describe('metrics', () => {
  it('tell of sessions, calls, latencies, ledgers and the process', async () => {
    const statistics = new Statistics();
    for (let i = 0; i < 10; i++) statistics.record(call({ labels: { run: 'r1', policyVersion: 'p1' }, ms: 5 }));
    statistics.record(call({ ok: false, fault: 'agent', code: 'not_found', ms: 500 }));
    const series = scrape(await metricsText(source(statistics)));
    expect(Object.fromEntries(series)).toMatchObject({
      'treadle_sessions{status="open"}': 3,
      'treadle_sessions_resident{residence="parked"}': 1,
      'treadle_sessions_capacity{}': 1000,
      'treadle_worlds{state="loaded"}': 2,
      'treadle_parked_bytes{residence="parked"}': 12,
      'treadle_refused_opens_total{reason="at_capacity"}': 4,
      'treadle_refusing{}': 0,
      'treadle_calls_deferred{}': 6,
      'treadle_ledger_bytes{residence="memory"}': 17,
      'treadle_calls_total{service="bookings",tool="get",outcome="ok"}': 10,
      'treadle_calls_total{service="bookings",tool="get",outcome="agent"}': 1,
      'treadle_run_calls_total{run="r1",policy_version="p1"}': 10,
      'treadle_call_duration_seconds_bucket{service="bookings",le="0.00316"}': 0,
      'treadle_call_duration_seconds_bucket{service="bookings",le="0.01"}': 10,
      'treadle_call_duration_seconds_bucket{service="bookings",le="+Inf"}': 11,
      'treadle_call_duration_seconds_count{service="bookings"}': 11,
      'treadle_call_duration_seconds_sum{service="bookings"}': 0.55,
    });
    expect(series.get('treadle_process_resident_bytes{}')).toBeGreaterThan(1e6);
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('come out whole with nothing to tell, and tell of a disk and a server that fail', async () => {
    const failing = { bytesInMemory: 1, bytesOnDisk: 0, failing: {} } as unknown as MetricsSource['ledgers'];
    const refusing = (): ServerInfo => ({ ...info, sessions: {}, refusing: 'full' });
    const series = scrape(await metricsText(source(new Statistics(), { ledgers: failing, info: refusing })));
    expect(series.get('treadle_ledger_disk_failing{}')).toBe(1);
    expect(series.get('treadle_refusing{}')).toBe(1);
  });

  it('survive labels of every kind', async () => {
    const statistics = new Statistics();
    const hostile = [
      'a"b\\c\nd',
      '\\',
      '"',
      '\n',
      '# HELP x y\nfake_metric 1',
      'x'.repeat(10_000),
      `${'x'.repeat(9_999)}y`,
      '\ud800',
      '\udfff\ud800',
      `${'x'.repeat(124)}\u{1f600}\u{1f600}`,
      '\u0000\u0001\r\t\u007f\u2028',
      '{}=,"',
      'a,tool:b',
      'other',
      '',
      '__proto__',
      'ünïcödé \u{1f600}',
    ];
    for (const text of hostile) {
      statistics.record(call({ service: text, tool: text, labels: { run: text, policyVersion: text } }));
      statistics.record(call({ ok: false, fault: text, code: text }));
    }
    const counts = Object.fromEntries(hostile.map((text) => [text, 1]));
    const sessions = { ...info, sessions: counts };
    const text = await metricsText(source(statistics, { info: () => sessions, refusedOpens: () => counts }));
    const series = scrape(text);
    expect(text).not.toContain('\r');
    expect(Buffer.from(text).toString()).toBe(text);
    let calls = 0;
    for (const [key, value] of series) if (key.startsWith('treadle_calls_total')) calls += value;
    expect(calls).toBe(hostile.length * 2);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(1000);
  });

  it('stay bounded: the runs with the most calls by name, the others as one', async () => {
    const statistics = new Statistics();
    for (let i = 0; i < 5000; i++) {
      const labels = { run: i === 7 ? 'other' : `run_${i}`, policyVersion: i === 7 ? 'other' : 'p' };
      const one = call({ service: `s${i}`, tool: `t${i}`, labels });
      for (let k = 0; k < (i < 50 ? 3 : 1); k++) statistics.record(one);
    }
    const series = scrape(await metricsText(source(statistics)));
    const runs = [...series].filter(([key]) => key.startsWith('treadle_run_calls_total'));
    expect(runs).toHaveLength(100);
    expect(runs.reduce((sum, [, value]) => sum + value, 0)).toBe(5100);
    expect(series.get('treadle_run_calls_total{run="other",policy_version="other"}')).toBe(4900 + 3);
    expect(series.get('treadle_run_calls_total{run="run_49",policy_version="p"}')).toBe(3);
    const tools = [...series].filter(([key]) => key.startsWith('treadle_calls_total'));
    expect(tools).toHaveLength(1001);
    expect(tools.reduce((sum, [, value]) => sum + value, 0)).toBe(5100);
    expect(series.get('treadle_call_duration_seconds_count{service="other"}')).toBe(5100 - 50 * 3 - 50);
    expect(series.size).toBeLessThan(4000);
  });
});
