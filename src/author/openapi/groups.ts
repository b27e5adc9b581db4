/** Sightings of one collection, before collections that speak of the same thing are merged. */
import { snake } from '../../kit/words.js';
import type { Sighting } from './sightings.js';
import type { OperationKind } from './types.js';

export interface Group {
  place: string;
  noun: string;
  sightings: Sighting[];
  schema: string | undefined;
  /** Property names of its fullest view, snake_case. */
  names: Set<string>;
  single: 'part' | 'one' | undefined;
}

const ITEM_KINDS = new Set<OperationKind>(['get', 'update', 'delete']);

/** A call names one of its rows. */
export const hasItems = (group: Group): boolean =>
  group.sightings.some(
    ({ kind, keyParam, keyElsewhere }) =>
      ITEM_KINDS.has(kind) && (keyParam !== undefined || (keyElsewhere && kind === 'get')),
  );

/** The schema is named after the collection, and rows can be named: the place where the schema is at home. */
export const speaksOf = (group: Group): boolean =>
  group.schema !== undefined && hasItems(group) && snake(group.schema).endsWith(group.noun);
