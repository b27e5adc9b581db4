/** Makers of events that need no facts and feeds of a task, only its calls, the rows and the columns that refer to others: imported tasks have no more. */
import type { Rng } from '../../../kit/rng.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { dearer } from './dearer.js';
import { keepsOne } from './keeps-one.js';
import { housesMoved } from './moved.js';
import { notices } from './notices.js';
import { otherChoices } from './other-choice.js';
import { otherTerms } from './other-term.js';
import { overtaken } from './overtaken.js';
import { rumours } from './rumours.js';
import { runsShort } from './runs-short.js';
import { soldOut } from './sold-out.js';
import { withdrawn } from './withdrawn.js';

export const CHOICE_MAKERS: readonly ((stage: Stage, random: Rng) => Candidate[])[] = [
  otherChoices,
  keepsOne,
  otherTerms,
  housesMoved,
  withdrawn,
  soldOut,
  dearer,
  runsShort,
  overtaken,
  notices,
  rumours,
];
