/** 8. cross-service: at least one invariant; trigger and target of each lie in different services, by what its statement reads. */
import type { WorldValidator } from '../validator.js';
import { takeNotes } from '../validator.js';
import { holdAgainst } from './invariant-notes.js';

export const crossService: WorldValidator = {
  id: 'cross_service',
  number: 8,
  title: 'Rules span two services',
  run: (subject) => {
    const notes = takeNotes();
    const studies = subject.studies();
    // Of a single service validator 7 has already said what is to be said.
    if (studies.length === 0 && subject.world.services.size > 1)
      notes.against(
        'the world has no invariant',
        'invariants',
        'Add a rule over two of its services that no single one can keep.',
      );
    holdAgainst(notes, studies, 'cross_service');
    for (const { invariant, reads, fault } of studies)
      if (!fault) notes.saw(`${invariant.id} reads ${reads.join(', ')}`);
    return notes.finding('cross_service');
  },
};
