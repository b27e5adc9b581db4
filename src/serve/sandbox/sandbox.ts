/** The agent's own folder and processes, for harnesses that run on this machine. Not a jail: it is as safe as the user it runs as. */
import { resolve } from 'node:path';
import { TreadleError } from '../../errors.js';
import { copyFolder, FOLDER_LIMITS, type FolderLimits } from './copy-folder.js';
import { newMark } from './environment.js';
import { claimFolder, removeFolder, replaceFolder } from './folders.js';
import { type ProcessOptions, type SandboxProcess, type StartedProcess, startProcess } from './process.js';
import { markedProcesses, signalMarked } from './process-table.js';

export interface Sandbox {
  readonly folder: string;
  /** Those that run, oldest first. */
  processes(): SandboxProcess[];
  /** Throws `sandbox_closed`, `sandbox_paused`, `sandbox_busy` while it is copied, `cannot_start` and `outside_folder`. */
  start(command: string, args: readonly string[], options?: ProcessOptions): SandboxProcess;
  /** Stops every process (SIGSTOP) until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Another sandbox with a copy of the folder. Throws `processes_running`, since a process cannot be copied, and as `copyFolder`. */
  fork(folder: string): Promise<Sandbox>;
  /** Copies the folder. Throws as `fork`. */
  save(folder: string): Promise<void>;
  /** Ends every process, then has what `save` kept. When the copy fails, nothing has changed. */
  load(folder: string): Promise<void>;
  /** Ends every process and removes the folder. Closing twice is allowed. */
  close(): Promise<void>;
}

class FolderSandbox implements Sandbox {
  readonly folder: string;
  readonly #limits: FolderLimits;
  readonly #mark = newMark();
  readonly #started = new Set<StartedProcess>();
  #isPaused = false;
  #copies = 0;
  #closing: Promise<void> | undefined;

  constructor(folder: string, limits: FolderLimits) {
    this.folder = folder;
    this.#limits = limits;
  }

  processes(): SandboxProcess[] {
    return this.#running().map(({ process }) => process);
  }

  start(command: string, args: readonly string[], options: ProcessOptions = {}): SandboxProcess {
    this.#mustBeOpen();
    if (this.#isPaused)
      throw new TreadleError({ code: 'sandbox_paused', message: 'The sandbox is paused', next: 'Resume it first' });
    if (this.#copies > 0)
      throw new TreadleError({
        code: 'sandbox_busy',
        message: 'The sandbox is being copied',
        next: 'Try again in a moment',
        isRetryable: true,
      });
    const started = startProcess(this.folder, this.#mark, [command, ...args], options);
    this.#started.add(started);
    return started.process;
  }

  async pause(): Promise<void> {
    this.#mustBeOpen();
    this.#isPaused = true;
    for (const { group } of this.#running()) group.stop();
    await signalMarked(this.#mark, 'SIGSTOP');
  }

  async resume(): Promise<void> {
    this.#mustBeOpen();
    this.#isPaused = false;
    for (const { group } of this.#running()) group.continue();
    await signalMarked(this.#mark, 'SIGCONT');
  }

  async fork(folder: string): Promise<Sandbox> {
    await this.save(folder);
    return new FolderSandbox(resolve(folder), this.#limits);
  }

  async save(folder: string): Promise<void> {
    this.#mustBeOpen();
    await this.#still(async () => {
      const running = await this.#runningNow();
      if (running.length > 0)
        throw new TreadleError({
          code: 'processes_running',
          message: 'A sandbox cannot be copied while processes run in it',
          value: running.join(', '),
          next: 'End them, or wait until they have ended',
          fault: 'agent',
        });
      await copyFolder(this.folder, folder, this.#limits);
    });
  }

  async load(folder: string): Promise<void> {
    this.#mustBeOpen();
    await this.#still(async () => {
      const next = `${this.folder}.next`;
      await removeFolder(next);
      await copyFolder(folder, next, this.#limits);
      await this.#endAll();
      await replaceFolder(this.folder, next);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#endAll().then(() => removeFolder(this.folder));
    return this.#closing;
  }

  /** Nothing is started while `work` runs. */
  async #still(work: () => Promise<void>): Promise<void> {
    this.#copies++;
    try {
      await work();
    } finally {
      this.#copies--;
    }
  }

  #running(): StartedProcess[] {
    for (const started of this.#started)
      if (started.group.hasExited && !started.group.isAlive()) this.#started.delete(started);
    return [...this.#started];
  }

  /** Pids, also of those that left their group, without the dead that nobody has reaped yet. */
  async #runningNow(): Promise<number[]> {
    const asked = await Promise.all(
      this.#running().map(async ({ group }) => ((await group.isRunning()) ? [group.pid] : [])),
    );
    const groups = asked.flat();
    return groups.length > 0 ? groups : markedProcesses(this.#mark);
  }

  async #endAll(): Promise<void> {
    await Promise.all(this.#running().map(({ group }) => group.end()));
    // Also of those that have ended and left others behind.
    await signalMarked(this.#mark, 'SIGKILL');
  }

  #mustBeOpen(): void {
    if (this.#closing)
      throw new TreadleError({ code: 'sandbox_closed', message: 'The sandbox is closed', value: this.folder });
  }
}

/** An empty sandbox in `folder`, which must be absent or empty and is removed at the end. Throws `folder_not_empty`. */
export const openSandbox = async (folder: string, limits: FolderLimits = FOLDER_LIMITS): Promise<Sandbox> => {
  await claimFolder(folder);
  return new FolderSandbox(resolve(folder), limits);
};
