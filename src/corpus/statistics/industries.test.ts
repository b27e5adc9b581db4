import { expect, it } from 'vitest';
import { industryLevels, sectorOf } from './industries.js';

it('counts codes by level, the numbers of a span once', () => {
  const levels = industryLevels(['31-33', '32', '62', '311', '3118', '31181', '311811', '311812', '']);
  expect(levels.map(({ codes }) => codes)).toEqual([2, 1, 1, 1, 2]);
  expect(levels.reduce((sum, { of }) => sum + of, 0)).toBe(2196);
});

it('finds the sector of any code', () =>
  expect(['3118', '45', '492110', '62', ''].map(sectorOf)).toEqual(['31-33', '44-45', '48-49', '62', 'none']));
