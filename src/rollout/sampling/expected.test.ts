import { expect, it } from 'vitest';
import { rng } from '../../kit/rng.js';
import { expectedPrefix, expectedWhole } from './expected.js';

it.each([
  [20, 0.1, 1],
  [20, 0.2, 3],
  [6, 0.5, 0],
  [1, 0.3, 2],
])('%i stages of error rate %d with %i retries come out as a simulation does', (stages, e, retries) => {
  const random = rng('expected', String(stages), String(e));
  let [accepted, attempts, tries, whole] = [0, 0, 0, 0];
  const runs = 20_000;
  for (let run = 0; run < runs; run++) {
    let passed = 0;
    for (let n = 0; passed < stages && n <= retries; n++) {
      attempts++;
      if (random.chance(e)) continue;
      passed++;
      n = -1;
    }
    if (passed === stages) accepted++;
    for (let n = 0, done = false; !done && n <= retries; n++) {
      tries++;
      done = Array.from({ length: stages }, () => !random.chance(e)).every(Boolean);
      if (done) whole++;
    }
  }
  const prefix = expectedPrefix(stages, e, retries);
  expect(Math.abs(accepted / runs / prefix.acceptance - 1)).toBeLessThan(0.1);
  expect(Math.abs(attempts / accepted / prefix.stagesPerAccepted - 1)).toBeLessThan(0.1);
  const other = expectedWhole(stages, e, retries);
  expect(Math.abs(whole / runs / other.acceptance - 1)).toBeLessThan(0.1);
  expect(Math.abs((tries * stages) / whole / other.stagesPerAccepted - 1)).toBeLessThan(0.1);
});

it('without errors both cost the stages and accept everything; always failing accepts nothing', () => {
  for (const expected of [expectedPrefix, expectedWhole])
    expect(expected(20, 0, 3)).toEqual({ acceptance: 1, stagesPerAccepted: 20 });
  expect(expectedPrefix(3, 1, 2)).toEqual({ acceptance: 0, stagesPerAccepted: Number.POSITIVE_INFINITY });
});
