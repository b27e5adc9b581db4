/** Archetypes that training leaves out by default, and what the held-out briefs of the benchmark are about. */

import { archetypeIds } from '../../author/catalogue/archetype.js';
import { TreadleError } from '../../errors.js';

/** Groups that speak of one another; each brief of the benchmark is about one group and nothing else. */
export const HELD_OUT_GROUPS: readonly (readonly string[])[] = [
  ['clinical_scheduling', 'medical_claims'],
  ['hospitality_pms', 'restaurant_ops'],
  ['lending', 'retail_banking'],
  ['utilities_metering', 'field_service'],
  ['travel_booking', 'fleet'],
];

/** Every archetype of the groups: no training sample contains one of them unless the export is told otherwise. */
export const HELD_OUT: readonly string[] = HELD_OUT_GROUPS.flat();

/** `bench` for the benchmark's own, `none`, or ids between commas. Throws `unknown_archetype`. */
export const heldOutOf = (text: string): string[] => {
  const named = text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
    .flatMap((one) => (one === 'bench' ? HELD_OUT : one === 'none' ? [] : [one]));
  const stray = named.find((id) => !archetypeIds().includes(id));
  if (stray !== undefined)
    throw new TreadleError({
      code: 'unknown_archetype',
      message: `There is no service archetype ${stray}`,
      value: stray,
      next: `Choose among: ${archetypeIds().join(', ')}; or bench, or none.`,
    });
  return [...new Set(named)];
};
