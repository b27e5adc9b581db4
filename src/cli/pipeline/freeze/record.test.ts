/** The options that a dataset's record keeps: as typed, whatever their order, without corpus, folder and --json. */
import { Command, Option } from 'commander';
import { expect, it } from 'vitest';
import { typedOptions } from './record.js';

const action = new Command('rl')
  .argument('[corpus]')
  .addOption(new Option('--out <dir>'))
  .addOption(new Option('--seed <seed>'))
  .addOption(new Option('--mix [what]'))
  .option('--all')
  .option('--json');

it.each([
  [
    ['corpus', '--all', '--seed', '7', '--out', 'rows', '--json'],
    ['--all', '--seed', '7'],
  ],
  [
    ['--seed=7', 'corpus', '--out=rows'],
    ['--seed', '7'],
  ],
  [
    ['--seed', 'corpus', 'corpus'],
    ['--seed', 'corpus'],
  ],
  [
    ['--seed', '-1', 'corpus'],
    ['--seed', '-1'],
  ],
  [
    ['corpus', '--mix', '--all'],
    ['--mix', '--all'],
  ],
  [
    ['corpus', '--mix', 'users', '--seed=a=b'],
    ['--mix', 'users', '--seed', 'a=b'],
  ],
  [[], []],
])('%j', (typed, kept) => expect(typedOptions(action, typed)).toEqual(kept));
