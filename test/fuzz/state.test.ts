import { expect, test } from 'vitest';
import { Engine } from '../../src/world/state/engine.js';
import { slabsFor } from '../../src/world/state/slabs.js';
import { fuzzState } from './state-fuzz.js';

const PAGE = 2048;

test.each([1, 2, 3])('seed %i: 3,000 operations agree with plain databases', async (seed) => {
  const engine = await Engine.start();
  const before = slabsFor(PAGE).live;
  const report = fuzzState(engine, seed, 3000);
  expect(report.statements).toBeGreaterThan(1500);
  expect(report.refused).toBeGreaterThan(100);
  expect(report.diffs).toBeGreaterThan(30);
  // Every page came back when the last state that held it was dropped.
  expect(slabsFor(PAGE).live).toBe(before);
  engine.close();
});
