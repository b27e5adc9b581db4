import { expect, it } from 'vitest';
import { durationMs } from './duration.js';

it('reads lengths of time', () => {
  expect(['250ms', '30s', '1h30m', '2 h', '1.5s', '1w', '0s'].map(durationMs)).toEqual([
    250, 30_000, 5_400_000, 7_200_000, 1_500, 604_800_000, 0,
  ]);
});

it('refuses what is none', () => {
  for (const text of ['', '5', 'h', '-1s', '1y', '1s!', 'NaNs', `${'9'.repeat(30)}w`])
    expect(durationMs(text)).toBeUndefined();
});
