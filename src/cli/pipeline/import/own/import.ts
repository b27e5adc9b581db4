/** treadle import tasks: a folder's world and tasks; everything is read, checked and replayed before anything is written. */
import type { Certificate } from '../../../../artifacts/certificate.js';
import type { BuiltWorld } from '../../../../author/assemble.js';
import { type CertifiedWorld, certifyWorld } from '../../../../certify/certify.js';
import { readBytes } from '../../../../corpus/files.js';
import { TreadleError } from '../../../../errors.js';
import { loadWorld, unloadWorld } from '../../../../world/loaded.js';
import type { Engine } from '../../../../world/state/engine.js';
import { placed, readFolder } from './manifest.js';
import { assertKnown, type ImportedTask, judged, type Quarantined, readTasks } from './tasks.js';
import { worldIn } from './world.js';

export interface OwnImport {
  built: BuiltWorld;
  certified: CertifiedWorld;
  tasks: ImportedTask[];
  quarantined: Quarantined[];
  licence: Uint8Array | undefined;
}

export interface OwnImportOptions {
  seed: string;
  onTask?: (done: number, of: number) => void;
}

/** Writes nothing. Throws what is wrong with the folder, one thing in one line. */
export const importOwn = async (
  engine: Engine,
  dir: string,
  { seed, onTask }: OwnImportOptions,
): Promise<OwnImport> => {
  const folder = readFolder(dir);
  const read = readTasks(folder);
  const { licence } = folder.manifest;
  const own = licence === undefined ? undefined : readBytes(placed(folder, 'licence', licence));
  const built = await worldIn(engine, folder, seed);
  const world = loadWorld(engine, built);
  try {
    assertKnown(world, read);
    const tasks: ImportedTask[] = [];
    const quarantined: Quarantined[] = [];
    for (const [n, one] of read.entries()) {
      const outcome = judged(world, one);
      if ('reason' in outcome) quarantined.push(outcome);
      else tasks.push(outcome);
      onTask?.(n + 1, read.length);
    }
    if (tasks.length === 0)
      throw new TreadleError({
        code: 'no_tasks',
        message: `No reference of ${read.length} tasks holds; the first: ${quarantined[0]?.reason ?? ''}`,
        value: dir,
        next: 'Mend the references, or the rows that they need.',
      });
    return { built, certified: certifyWorld(world), tasks, quarantined, licence: own };
  } finally {
    unloadWorld(world);
  }
};

export interface GateLine {
  line: string;
  pass: number;
  fail: number;
}

/** What the gate says of all of them together, line by line in its order. */
export const gateLines = (certificates: readonly Certificate[]): GateLine[] => {
  const lines = new Map<string, GateLine>();
  for (const { findings } of certificates)
    for (const { id, pass } of findings) {
      const line = lines.get(id) ?? { line: id, pass: 0, fail: 0 };
      lines.set(id, line);
      line[pass ? 'pass' : 'fail']++;
    }
  return [...lines.values()];
};
