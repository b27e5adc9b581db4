/** 10. violable and repairable: public calls make each invariant false, others make it true again; both were run and are kept. */
import type { ToolCall } from '../invariants/calls.js';
import type { WorldValidator } from '../validator.js';
import { takeNotes } from '../validator.js';
import { holdAgainst } from './invariant-notes.js';

const MOST_SHOWN = 400;

const written = (calls: readonly ToolCall[]): string =>
  calls
    .map(({ tool, args }) => `${tool}(${JSON.stringify(args)})`)
    .join('; ')
    .slice(0, MOST_SHOWN);

export const violable: WorldValidator = {
  id: 'violable',
  number: 10,
  title: 'Rules can be broken and mended',
  run: (subject) => {
    const notes = takeNotes();
    const studies = subject.studies();
    holdAgainst(notes, studies, 'violable');
    for (const { invariant, breaks, mends, broken, fault } of studies)
      if (!fault && breaks && mends)
        notes.saw(
          `${invariant.id} broken by ${written(breaks)} for ${(broken ?? []).slice(0, 3).join(', ')}; mended by ${written(mends)}`,
        );
    return notes.finding('violable');
  },
};
