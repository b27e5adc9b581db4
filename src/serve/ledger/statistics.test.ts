import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolStatistics } from '../api.js';
import { Histogram } from './histogram.js';
import { type RecordedCall, Statistics } from './statistics.js';

const call = (over: Partial<RecordedCall> = {}): RecordedCall => ({
  service: 'bookings',
  serviceHash: 's'.repeat(64),
  tool: 'bookings_get',
  toolVersion: 'v'.repeat(64),
  ok: true,
  ms: 2,
  labels: {},
  ...over,
});

/** Milliseconds from a microsecond to a thousand seconds, every size as likely. */
const times = fc.array(
  fc.double({ min: -3, max: 6, noNaN: true }).map((power) => 10 ** power),
  { minLength: 1, maxLength: 300, size: 'max' },
);

const quantileOf = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(q * values.length)) - 1] as number;

const filled = (values: readonly number[]): Histogram => {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
};

describe('a latency histogram', () => {
  it('tells quantiles within 10 % and the longest exactly', () => {
    fc.assert(
      fc.property(times, (values) => {
        const told = filled(values).quantiles();
        expect(told.max).toBe(Math.max(...values));
        for (const [q, value] of [
          [0.5, told.p50],
          [0.95, told.p95],
          [0.99, told.p99],
        ] as const) {
          expect(Math.abs(value / quantileOf(values, q) - 1)).toBeLessThan(0.1);
        }
        expect(told.p50 <= told.p95 && told.p95 <= told.p99 && told.p99 <= told.max).toBe(true);
      }),
    );
  });

  it('is the same merged as recorded at once, and cumulates exactly', () => {
    fc.assert(
      fc.property(times, times, (left, right) => {
        const merged = filled(left);
        merged.merge(filled(right));
        const whole = filled([...left, ...right]);
        expect(merged.quantiles()).toEqual(whole.quantiles());
        expect(merged.cumulative()).toEqual(whole.cumulative());
        for (const [k, { count }] of whole.cumulative().entries()) {
          const bound = 10 ** ((k + 1) / 2 - 3);
          const upTo = (most: number) => [...left, ...right].filter((ms) => ms <= most).length;
          expect(count).toBeGreaterThanOrEqual(upTo(bound * (1 - 1e-9)));
          expect(count).toBeLessThanOrEqual(upTo(bound * (1 + 1e-9)));
        }
      }),
    );
  });

  it('takes what is no time for none, and what is longer than its range for what it is', () => {
    expect(new Histogram().quantiles()).toEqual({ p50: 0, p95: 0, p99: 0, max: 0 });
    expect(filled([Number.NaN, -5, 0, -0]).quantiles()).toEqual({ p50: 0, p95: 0, p99: 0, max: 0 });
    const long = filled([1, 5e6, Number.POSITIVE_INFINITY]);
    expect(long.max).toBe(Number.MAX_SAFE_INTEGER);
    expect(long.cumulative().at(-1)).toEqual({ seconds: 1000, count: 1 });
    expect(filled([3, 3, 3]).quantiles()).toEqual({ p50: 3, p95: 3, p99: 3, max: 3 });
  });
});

describe('tool statistics', () => {
  it('counts calls, faults and codes by version and label, as a plain count does', () => {
    const part = fc.record({
      service: fc.constantFrom('a', 'b', '__proto__'),
      serviceHash: fc.constantFrom('h1', 'h2'),
      tool: fc.constantFrom('get', 'set', 'constructor'),
      toolVersion: fc.constantFrom('v1', 'v2'),
      ok: fc.boolean(),
      fault: fc.constantFrom('agent', 'world', undefined),
      code: fc.constantFrom('not_found', '__proto__', undefined),
      ms: fc.double({ min: 0, max: 1e4, noNaN: true }),
      labels: fc.record(
        { run: fc.constantFrom('r1', 'r2'), policyVersion: fc.constantFrom('p1', 'p2'), step: fc.nat() },
        { requiredKeys: [] },
      ),
    });
    const keyOf = ({ service, serviceHash, tool, toolVersion }: RecordedCall | ToolStatistics) =>
      JSON.stringify([service, serviceHash, tool, toolVersion]);
    const full = (it: RecordedCall | ToolStatistics) =>
      JSON.stringify([keyOf(it), it.labels.run, it.labels.policyVersion]);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 200, size: 'max' }), (calls) => {
        const statistics = new Statistics();
        for (const one of calls) statistics.record(one);
        for (const [rows, key] of [
          [statistics.report(), full],
          [statistics.merged(), keyOf],
        ] as const) {
          const groups = new Map<string, RecordedCall[]>();
          for (const one of calls) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
          expect(rows.map(key).toSorted()).toEqual([...groups.keys()].toSorted());
          for (const row of rows) {
            const mine = groups.get(key(row)) as RecordedCall[];
            expect(row.calls).toBe(mine.length);
            expect(row.ms.max).toBe(Math.max(...mine.map(({ ms }) => ms)));
            for (const [field, counts] of [
              ['fault', row.failed],
              ['code', row.codes],
            ] as const) {
              const failed = mine.filter(({ ok }) => !ok).map((it) => it[field] ?? 'unknown');
              const wanted = [...new Set(failed)].map((name) => [name, failed.filter((it) => it === name).length]);
              expect(Object.entries(counts).toSorted()).toEqual(wanted.toSorted());
            }
          }
        }
        const filter = { service: 'a', run: 'r1' };
        const passing = calls.filter((it) => it.service === 'a' && it.labels.run === 'r1').length;
        for (const rows of [statistics.report(filter), statistics.merged(filter)])
          expect(rows.reduce((sum, row) => sum + row.calls, 0)).toBe(passing);
      }),
      { numRuns: 25 },
    );
  });

  it('reports what the schema says', () => {
    const statistics = new Statistics();
    statistics.record(call({ labels: { run: 'r', policyVersion: 'p', step: 3, group: 'g' }, ms: Number.NaN }));
    statistics.record(call({ ok: false, fault: 'agent', code: 'not_found', ms: Number.POSITIVE_INFINITY }));
    for (const row of [...statistics.report(), ...statistics.merged()]) expect(ToolStatistics.parse(row)).toEqual(row);
    expect(statistics.report().map(({ labels }) => labels)).toEqual([{}, { run: 'r', policyVersion: 'p' }]);
    expect(statistics.merged()).toHaveLength(1);
    expect(statistics.report({ tool: 'no_such_tool' })).toEqual([]);
  });

  it('lets labels go first when there are too many rows, then calls, and counts both', () => {
    const statistics = new Statistics(20);
    for (let i = 0; i < 100; i++) statistics.record(call({ labels: { run: `run_${i}` } }));
    expect(statistics.report()).toHaveLength(19);
    expect(statistics.labelsDropped).toBe(82);
    expect(statistics.merged()[0]?.calls).toBe(100);
    for (let i = 0; i < 10; i++) statistics.record(call({ tool: `tool_${i}` }));
    expect(statistics.rows()).toHaveLength(20);
    expect(statistics.callsDropped).toBe(9);
    statistics.record(call({ labels: { run: 'run_3' } }));
    expect(statistics.report({ run: 'run_3' })[0]?.calls).toBe(2);
  });

  it('counts the tools that agents make up as one, and codes beyond 64 as other', () => {
    const statistics = new Statistics();
    for (let i = 0; i < 500; i++) {
      statistics.record(
        call({ service: '', tool: `x${i}`.repeat(100), toolVersion: '', ok: false, code: 'unknown_tool' }),
      );
      statistics.record(call({ ok: false, fault: 'world', code: `code_${i}` }));
    }
    const [unknown, known] = statistics.report();
    expect(unknown).toMatchObject({ tool: 'unknown_tool', calls: 500, codes: { unknown_tool: 500 } });
    expect(Object.keys(known?.codes ?? {})).toHaveLength(65);
    expect(known?.codes.other).toBe(436);
  });
});

describe('statistics of several processes', () => {
  const one = fc.record({
    tool: fc.constantFrom('get', 'set'),
    ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
    ok: fc.boolean(),
    run: fc.constantFrom(undefined, 'a', 'b'),
  });

  it('are those of one that counted everything', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), one), { maxLength: 60 }), (calls) => {
        const parts = [new Statistics(), new Statistics(), new Statistics()];
        const whole = new Statistics();
        for (const [where, { tool, ms, ok, run }] of calls) {
          const made = call({
            tool,
            ms,
            ok,
            ...(ok ? {} : { code: 'no', fault: 'agent' }),
            labels: run ? { run } : {},
          });
          whole.record(made);
          parts[where]?.record(made);
        }
        const merged = new Statistics();
        for (const part of parts) merged.absorb(JSON.parse(JSON.stringify(part.parts())));
        expect(merged.report()).toEqual(whole.report());
        expect(merged.merged({ run: 'a' })).toEqual(whole.merged({ run: 'a' }));
      }),
      { numRuns: 100 },
    );
  });
});
