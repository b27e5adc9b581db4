/**
 * Puts a finished export in the place of an earlier one. Both are whole at every moment: the new one waits in `.unfinished`, the
 * earlier one steps aside into it, and what fails in between is put back. A process that dies between the two renames is put right
 * by the next export (`recover`).
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const SCRATCH = '.unfinished';
const BEFORE = 'before';
/** What an export consists of. */
const OWN = ['data', 'README.md'] as const;

/** Files that exports write; others in `data` are somebody else's and stay. */
const ours = /^(train|validation)(-\d{5}-of-\d{5})?\.(jsonl|parquet)$/;

/** Takes up what a process left that died: an earlier export that stepped aside and was not replaced comes back. */
const recover = (out: string): void => {
  const before = join(out, SCRATCH, BEFORE);
  if (!existsSync(before)) return;
  // With both there, the new ones are: it died while it tidied up.
  if (OWN.every((name) => existsSync(join(out, name)))) return;
  for (const name of OWN.filter((one) => existsSync(join(before, one)))) {
    rmSync(join(out, name), { recursive: true, force: true });
    renameSync(join(before, name), join(out, name));
  }
};

/** An empty folder beside what is there. */
export const startScratch = (out: string): string => {
  recover(out);
  const scratch = join(out, SCRATCH);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(join(scratch, 'new', 'data'), { recursive: true });
  return scratch;
};

export const endScratch = (out: string): void => {
  const scratch = join(out, SCRATCH);
  if (existsSync(scratch)) rmSync(scratch, { recursive: true, force: true });
};

/** Files of others in the earlier `data` go along into the new one. */
const keepOthers = (old: string, fresh: string): void => {
  for (const entry of readdirSync(old, { withFileTypes: true }))
    if (entry.isFile() && !ours.test(entry.name) && !existsSync(join(fresh, entry.name)))
      renameSync(join(old, entry.name), join(fresh, entry.name));
};

/** Replaces `data` and `README.md` of `out` by those in `scratch/new`; puts them back when that fails. */
export const putInPlace = (out: string): void => {
  const scratch = join(out, SCRATCH);
  const before = join(scratch, BEFORE);
  mkdirSync(before, { recursive: true });
  const moved: [from: string, to: string][] = [];
  const move = (from: string, to: string): void => {
    renameSync(from, to);
    moved.push([from, to]);
  };
  try {
    for (const name of OWN) if (existsSync(join(out, name))) move(join(out, name), join(before, name));
    for (const name of OWN) move(join(scratch, 'new', name), join(out, name));
  } catch (thrown) {
    for (const [from, to] of moved.reverse()) renameSync(to, from);
    throw thrown;
  }
  if (existsSync(join(before, 'data'))) keepOthers(join(before, 'data'), join(out, 'data'));
};
