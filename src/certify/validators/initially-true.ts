/** 9. initially true, not vacuous: every invariant holds at the start, and speaks of a row or can be made to in a few calls. */
import type { WorldValidator } from '../validator.js';
import { takeNotes } from '../validator.js';
import { holdAgainst } from './invariant-notes.js';

export const initiallyTrue: WorldValidator = {
  id: 'initially_true',
  number: 9,
  title: 'Rules hold at the start',
  run: (subject) => {
    const notes = takeNotes();
    const studies = subject.studies();
    holdAgainst(notes, studies, 'initially_true');
    for (const { invariant, fires, breaks, fault } of studies) {
      if (fault?.validator === 'initially_true' || fault?.validator === 'cross_service') continue;
      const reach = fires > 0 ? `speaks of ${fires} row(s)` : `speaks of a row after ${breaks?.length ?? 0} call(s)`;
      notes.saw(`${invariant.id} holds and ${reach}`);
    }
    return notes.finding('initially_true');
  },
};
