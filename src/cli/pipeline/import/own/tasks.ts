/** The tasks of an import: read and held against the world before any is run; each reference replayed, each task judged by the gate. */
import { join } from 'node:path';
import type { Certificate } from '../../../../artifacts/certificate.js';
import type { Task } from '../../../../artifacts/task.js';
import { readBytes } from '../../../../corpus/files.js';
import { TreadleError } from '../../../../errors.js';
import { judgeByHand } from '../../../../tasks/by-hand/admit.js';
import { type HandTask, handTaskOf } from '../../../../tasks/by-hand/form.js';
import { nearest } from '../../../../tasks/by-hand/near.js';
import { Page } from '../../../../tasks/by-hand/page.js';
import type { LoadedWorld } from '../../../../world/loaded.js';
import { type Folder, idOfFile } from './manifest.js';

export interface ReadTask {
  id: string;
  page: Page;
  written: HandTask;
}

export interface ImportedTask {
  task: Task;
  certificate: Certificate;
}

export interface Quarantined {
  task: string;
  reason: string;
}

const ID = /^[a-z][a-z0-9_-]{0,79}$/;

/** Reads every file. Throws `bad_task` with file and line for the first that is not as docs/tasks-by-hand.md has it. */
export const readTasks = (folder: Folder): ReadTask[] => {
  const byId = new Map<string, string>();
  const byBrief = new Map<string, string>();
  return folder.tasks.map((name) => {
    const page = Page.read(name, Buffer.from(readBytes(join(folder.dir, name))).toString('utf8'));
    const written = handTaskOf(page);
    const id = written.id ?? `${folder.id.replaceAll('_', '-').slice(0, 40)}-${idOfFile(name)}`.slice(0, 80);
    if (!ID.test(id)) throw page.refusal(['id'], 'the file’s name makes no id', id, 'Give one: id: refund-late-order.');
    if (written.world !== undefined && written.world !== folder.id)
      throw page.refusal(['world'], 'the task is for another world than the folder’s', written.world, 'Leave it out.');
    const [twin, alike] = [byId.get(id), byBrief.get(written.brief)];
    if (twin !== undefined) throw page.refusal(['id'], `${twin} has that id already`, id, 'Choose another one.');
    if (alike !== undefined)
      throw page.refusal(['brief'], 'another task has this brief word for word', alike, 'Ask for something else.');
    byId.set(id, name);
    byBrief.set(written.brief, name);
    return { id, page, written };
  });
};

/** Throws `bad_task` with the line for a tool that the world lacks: no replay could say more. */
export const assertKnown = (world: LoadedWorld, tasks: readonly ReadTask[]): void => {
  for (const { page, written } of tasks)
    for (const [n, { tool }] of written.reference.calls.entries())
      if (!world.tools.has(tool))
        throw page.refusal(
          ['reference', 'calls', n, 'tool'],
          'the world has no tool of that name',
          tool,
          `Nearest: ${nearest(tool, [...world.tools.keys()])}.`,
        );
};

/** Judged, or the reason why its reference cannot stand; anything that is no fault of the task goes on up. */
export const judged = (world: LoadedWorld, { id, page, written }: ReadTask): ImportedTask | Quarantined => {
  try {
    return judgeByHand(world, page, written, id, true);
  } catch (thrown) {
    if (!(thrown instanceof TreadleError) || thrown.code !== 'bad_task') throw thrown;
    return { task: id, reason: thrown.line() };
  }
};
