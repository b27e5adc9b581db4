/** What differs between two sessions of one world. */
import { isDeepStrictEqual } from 'node:util';
import type { Session } from '../serve/sessions/session.js';
import { diffStates } from '../world/state/diff.js';
import type { RowChange } from '../world/state/types.js';

/** Row changes from one session to the other, by service; services without any are left out. */
export const changesBetween = (before: Session, after: Session): Map<string, RowChange[]> => {
  const out = new Map<string, RowChange[]>();
  for (const { id, keys } of after.world.services.values()) {
    // Of a service that neither has a copy of, both show the initial state.
    if (!before.states.has(id) && !after.states.has(id)) continue;
    const changes = diffStates(before.view(id), after.view(id), keys);
    if (changes.length > 0) out.set(id, changes);
  }
  return out;
};

/** Whether a file of the workspace is another in the second session. */
export const filesChanged = (before: Session, after: Session): boolean => {
  const [old, now] = [before.workspace.files(), after.workspace.files()];
  return old.size !== now.size || (now.size > 0 && !isDeepStrictEqual(old, now));
};
