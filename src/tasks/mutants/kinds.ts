/** All kinds of mutants. One line a kind. */
import { claimWithoutChange, doubleAnswer, noAnswer, shotgunAnswer, vagueAnswer, wrongAnswer } from './answers.js';
import { itemLeftOut, itemTooMany } from './items.js';
import { KNOWN_WRONGS } from './known.js';
import type { MutantKind } from './mutant.js';
import { entryLeftOut, wrongSibling } from './siblings.js';
import { extraOnRow, wrongTool } from './tools.js';
import {
  extraWrite,
  missingField,
  missingStep,
  secondCopy,
  shotgunWrite,
  twice,
  wrongEntity,
  wrongValue,
} from './writes.js';

export const MUTANT_KINDS: readonly MutantKind[] = [
  wrongEntity,
  wrongSibling,
  entryLeftOut,
  wrongValue,
  missingField,
  missingStep,
  secondCopy,
  twice,
  extraWrite,
  wrongTool,
  extraOnRow,
  shotgunWrite,
  claimWithoutChange,
  wrongAnswer,
  shotgunAnswer,
  doubleAnswer,
  noAnswer,
  vagueAnswer,
  itemLeftOut,
  itemTooMany,
  ...KNOWN_WRONGS,
];
