/** Keeps with every dataset the command that made it. */

import { join } from 'node:path';
import type { Command } from 'commander';
import { exists } from '../../../corpus/files.js';
import { writeRecord } from '../../../corpus/freeze/record.js';
import { ownVersion } from '../../version.js';

/** Options as they were typed, without the corpus, the folder and `--json`: what the rows hang on. */
export const typedOptions = (action: Command, argv: readonly string[]): string[] => {
  const kept: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [flag = '', glued] = (argv[i] ?? '').split(/=(.*)/s, 2);
    const option = action.options.find(({ long, short }) => flag !== '' && (flag === long || flag === short));
    // What is no option is the corpus.
    if (option === undefined) continue;
    const takes = option.required || option.optional;
    const next = argv[i + 1];
    const value =
      glued ?? (option.required || (option.optional && next !== undefined && !next.startsWith('-')) ? next : undefined);
    if (takes && glued === undefined && value !== undefined) i++;
    if (['--out', '--json'].includes(option.long ?? '')) continue;
    kept.push(option.long ?? flag, ...(takes && value !== undefined ? [value] : []));
  }
  return kept;
};

const USUAL: Readonly<Record<string, (options: Record<string, unknown>) => string>> = {
  export: () => 'sft',
  rl: (options) => `rl-${String(options.for)}`,
};

/** A hook behind every `treadle export ...`. `argv` is what follows the program's name. */
export const recordExport = (action: Command, argv: readonly string[] = process.argv.slice(2)): void => {
  const name = action.name();
  const options = action.opts();
  const corpus = String(action.processedArgs[0]);
  const out = typeof options.out === 'string' ? options.out : join(corpus, USUAL[name]?.(options) ?? name);
  if (!exists(join(out, 'README.md'))) return;
  const at = argv.indexOf(name);
  const named = name === 'export' ? ['export'] : ['export', name];
  writeRecord(out, ownVersion(), [...named, ...typedOptions(action, argv.slice(at + 1))]);
};
