/**
 * One writer at a time: of a world's rollouts, and one run over a corpus. A claim is a file that names its process and when that
 * began, so that a killed one's claim is known to be void. It stands before the others are looked at: two that come at once may
 * both be refused and never both be let in. Guards processes of one machine.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TreadleError } from '../../errors.js';
import { runs, startOf } from '../../serve/blobs/process.js';
import type { Corpus } from '../corpus.js';
import { diskError } from '../files.js';

const CLAIM = /^([^~]*)~([0-9]+)-([0-9]+)-[0-9a-f-]{36}$/;
const TRIES = 20;

/** Claims of this process: its number may have been that of a killed one before it. */
const held = new Set<string>();

const isLive = (claim: string, pid: number, start: string): boolean =>
  pid === process.pid ? held.has(claim) : runs(pid) && startOf(pid) === start;

/** Writes the claim; the folder may be taken away in between by the last who let go. */
const stand = (dir: string, own: string): void => {
  for (let n = 1; ; n++) {
    try {
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, own), '', { flag: 'wx' });
      return;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT' || n >= TRIES) throw thrown;
    }
  }
};

const taken = (pid: number, world: string): TreadleError =>
  new TreadleError({
    code: 'traces_in_use',
    message: world ? `Rollouts of ${world} are being written` : 'Another run works on this corpus',
    value: pid === process.pid ? 'this process' : `process ${pid}`,
    next: 'Wait until it has ended, or stop it; then run the same command again.',
  });

/** Claims a world's rollouts, or with '' the corpus for a run. Answers with the release. Throws `traces_in_use`, and what the disk says. */
export const claimTraces = (corpus: Corpus, world: string): (() => void) => {
  const dir = corpus.path('traces', 'claims');
  const own = `${world}~${process.pid}-${startOf(process.pid)}-${randomUUID()}`;
  const release = (): void => {
    held.delete(own);
    try {
      rmSync(join(dir, own), { force: true });
      rmdirSync(dir);
    } catch {
      // Others hold claims, or nobody can write here any more: a claim without its process is void.
    }
  };
  try {
    stand(dir, own);
    held.add(own);
    for (const claim of readdirSync(dir)) {
      const [, name, pid, start = ''] = CLAIM.exec(claim) ?? [];
      if (name !== world || claim === own) continue;
      if (isLive(claim, Number(pid), start)) throw taken(Number(pid), world);
      rmSync(join(dir, claim), { force: true });
    }
  } catch (thrown) {
    release();
    throw thrown instanceof TreadleError ? thrown : diskError(thrown, dir, 'write');
  }
  return release;
};
