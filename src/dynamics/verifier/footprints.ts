/** Which checks of a task an event touches: those whose footprint meets what it writes (dynamics.md, "The dynamic verifier"). */
import type { Check, Footprint } from '../../artifacts/check.js';
import type { Path } from '../../artifacts/scenario.js';
import type { Milestone } from '../../artifacts/task.js';
import type { Touch } from '../../artifacts/trace.js';
import { meets } from '../paths.js';

/** A footprint as places: one for each row and column it names. */
export const placesOf = ({ service, table, keys, cols }: Footprint): Path[] =>
  (keys ?? [undefined]).flatMap((key) =>
    (cols ?? [undefined]).map(
      (col): Path => ({
        service,
        table,
        ...(key === undefined ? {} : { key }),
        ...(col === undefined ? {} : { col }),
      }),
    ),
  );

/** What was really written, as places: a row that comes or goes is all of its columns. */
export const writtenPlaces = (touched: readonly Touch[]): Path[] =>
  touched.flatMap(({ service, table, key, change, cols }) =>
    change === 'update' && cols.length > 0
      ? cols.map((col): Path => ({ service, table, key, col }))
      : [{ service, table, key }],
  );

/** The frame is about everything; it allows what fired instead of being revised. */
export const isFrame = ({ kind }: Check): boolean => kind === 'unchanged';

/** Ids of the checks that read what is written, in their order. */
export const affectedChecks = (milestones: readonly Milestone[], writes: readonly Path[]): string[] =>
  milestones.flatMap(({ checks }) =>
    checks
      .filter(
        (check) =>
          !isFrame(check) &&
          check.footprint.some((print) => placesOf(print).some((place) => writes.some((write) => meets(place, write)))),
      )
      .map(({ id }) => id),
  );
