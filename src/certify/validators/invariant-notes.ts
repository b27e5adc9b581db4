/** What the studies of a world's invariants hold against it, for the validator that judges it. */
import type { InvariantFault, InvariantStudy } from '../invariants/study.js';
import type { Notes } from '../validator.js';

/** Notes down the faults of one validator; true when there were any. */
export const holdAgainst = (
  notes: Notes,
  studies: readonly InvariantStudy[],
  validator: InvariantFault['validator'],
): boolean => {
  const faults = studies.flatMap(({ invariant, fault }) =>
    fault?.validator === validator ? [{ invariant, fault }] : [],
  );
  for (const { invariant, fault } of faults) notes.against(`${invariant.id}: ${fault.line}`, 'invariants', fault.hint);
  return faults.length > 0;
};
