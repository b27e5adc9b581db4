import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costFigures } from './costbench.js';
import { mean, share } from './estimate.js';
import { composite, type FaultRun, recoveryCost, toolMazeFigures } from './toolmaze.js';

/** DynaWeave, Table 3: NP; TSR P1-P4 and its mean; PRR P1-P4 and its mean; RC P1-P4 and its mean; Avg. */
const TABLE_3: [string, number, number[], number[], number[], number][] = [
  [
    'GPT-5.5',
    70,
    [67.25, 26.75, 16.75, 14, 31.19],
    [86.09, 29.49, 18.89, 14.75, 37.31],
    [35.61, 73.02, 81.33, 83.83, 68.45],
    35.94,
  ],
  [
    'Deepseek-V4-Pro',
    69.75,
    [68, 34.75, 12, 9.75, 31.12],
    [84.7, 37.74, 12.41, 12, 36.71],
    [29.98, 63.55, 85.19, 87.55, 66.57],
    36.33,
  ],
  [
    'GLM-5.1',
    75.75,
    [60, 32.5, 8, 8.5, 27.25],
    [67.19, 35.33, 9.04, 10.15, 30.43],
    [37.86, 66.47, 88.65, 89.11, 70.52],
    32.28,
  ],
  [
    'Gemini-3.1-Pro-Preview',
    71.25,
    [59.75, 30, 6.75, 9, 26.38],
    [73.49, 33.52, 8.09, 10.84, 31.48],
    [37.53, 67.64, 88.64, 87.24, 70.26],
    32.19,
  ],
  [
    'GPT-4o',
    59.25,
    [47, 33.5, 9.25, 11.5, 25.31],
    [70.49, 27.72, 12.72, 12.71, 30.91],
    [35.97, 78.34, 81.77, 80.54, 69.16],
    31.29,
  ],
];

describe('the composite score', () => {
  it.each(TABLE_3)('of %s is the table’s', (_, np, tsr, prr, rc, avg) => {
    const four = (values: number[]): number => values.slice(0, 4).reduce((sum, value) => sum + value, 0) / 4;
    expect(Math.abs(composite(np, tsr.slice(0, 4), four(prr), four(rc)) - avg)).toBeLessThanOrEqual(0.01);
    for (const values of [tsr, prr, rc])
      expect(Math.abs(four(values) - (values[4] as number))).toBeLessThanOrEqual(0.01);
  });
});

const run = (over: Partial<FaultRun>): FaultRun => ({
  passed: true,
  wasStruck: false,
  cost: 4,
  referenceCost: 4,
  mostCost: 12,
  ...over,
});

describe('runs under faults', () => {
  it('count for TSR whether struck or not, for PRR only struck, for RC only recovered', () => {
    const figures = toolMazeFigures([
      run({}),
      run({ passed: false }),
      run({ profile: 'P1' }),
      run({ profile: 'P1', wasStruck: true, cost: 8 }),
      run({ profile: 'P1', wasStruck: true, passed: false, cost: 12 }),
      run({ profile: 'P1', passed: false }),
    ]);
    expect(figures.np.value).toBe(50);
    const { tsr, prr, rc, notRecovered } = figures.profiles.P1;
    expect([tsr.value, prr.value, rc.value, notRecovered.value]).toEqual([50, 50, 50, 50]);
    expect([tsr.n, prr.n, rc.n]).toEqual([4, 2, 1]);
    // Three profiles were never run.
    expect([figures.tsr, figures.prr, figures.rc, figures.avg]).toEqual([undefined, undefined, undefined, undefined]);
    expect(figures.profiles.P4.tsr).toMatchObject({ value: undefined, n: 0 });
  });

  it('over all four profiles give the composite of their means', () => {
    const runs = [
      run({}),
      ...(['P1', 'P2', 'P3', 'P4'] as const).map((profile) => run({ profile, wasStruck: true, cost: 6 })),
    ];
    expect(toolMazeFigures(runs)).toMatchObject({ tsr: 100, prr: 100, rc: 25, avg: (100 + 100 + 75) / 3 });
  });

  it.each([
    [4, 0],
    [2, 0],
    [8, 50],
    [12, 100],
    [99, 100],
  ])('that took %i calls cost %i', (cost, percent) => expect(recoveryCost(run({ cost }))).toBe(percent));
  it('whose budget is the reference’s cost are all or nothing', () => {
    expect(recoveryCost(run({ cost: 4, mostCost: 4 }))).toBe(0);
    expect(recoveryCost(run({ cost: 5, mostCost: 4 }))).toBe(100);
  });
});

it('costs are those of correct runs; invalid calls are of all', () => {
  const base = { optimum: 5, calls: 10, invalidCalls: 1 };
  const figures = costFigures([
    { ...base, passed: true, cost: 6 },
    { ...base, passed: true, cost: 8 },
    { ...base, passed: false, cost: 50, invalidCalls: 4 },
  ]);
  expect(figures).toMatchObject({
    costGap: { value: 2, n: 2 },
    normaliser: 1,
    tcr: { n: 3 },
    itur: { value: 20, n: 30 },
  });
  expect(figures.tcr.value).toBeCloseTo(66.67, 1);
  expect(costFigures([])).toMatchObject({ costGap: { value: undefined }, tcr: { n: 0 } });
});

describe('intervals', () => {
  it('are Wilson’s for shares', () => {
    const { low, high } = share(8, 10);
    // Wilson (1927), 8 of 10 at 95 %: 0.4902 to 0.9433.
    expect(low).toBeCloseTo(49.02, 1);
    expect(high).toBeCloseTo(94.33, 1);
    expect(share(0, 10).low).toBe(0);
    expect(share(10, 10).high).toBe(100);
  });

  it('hold their value, lie within the data, and are the same each time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 40 }), (values) => {
        const { value, low, high } = mean(values) as { value: number; low: number; high: number };
        expect(low).toBeLessThanOrEqual(value + 1e-9);
        expect(high).toBeGreaterThanOrEqual(value - 1e-9);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values));
        expect(high).toBeLessThanOrEqual(Math.max(...values));
        expect(mean(values)).toEqual(mean(values));
      }),
      { numRuns: 20 },
    );
  });
});
