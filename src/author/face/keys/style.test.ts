import { expect, it } from 'vitest';
import { idOf } from '../../../world/ids.js';
import { boundsOfView } from './bounds.js';
import { styleWithin } from './style.js';

it('makes numbers of keys that are numbers, whatever their path names by the same word', () => {
  const bounds = boundsOfView({ enum: ['Primary', 'Art'], types: new Set(['string']), facts: new Map() } as never);
  if (!bounds) throw new Error('An enum bounds');
  const style = styleWithin(bounds, true);
  expect(style).toMatchObject({ style: 'integer' });
  for (let n = 0; n < 50; n++) expect(Number.isSafeInteger(idOf(style, 'seed', n))).toBe(true);
  expect(['Primary', 'Art']).toContain(idOf(styleWithin(bounds, false), 'seed', 0));
});
