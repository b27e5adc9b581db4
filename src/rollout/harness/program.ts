/** One run of a harness as a program: in a folder and environment of its own, jailed where that is possible, ended with all it started. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asTreadleError, TreadleError } from '../../errors.js';
import type { ProcessExit } from '../../serve/sandbox/process-group.js';
import { openSandbox, type Sandbox } from '../../serve/sandbox/sandbox.js';
import { type Deadline, deadlineOf } from '../deadline.js';
import type { Jail } from './jail.js';
import { programOf, searchPath } from './search-path.js';
import type { HarnessCommand } from './types.js';

export type Ended =
  | ({ how: 'exited' } & ProcessExit)
  /** By us: `deadline`, `cut`, `output_limit`, or what the gateway gave as the end of its budget. */
  | { how: 'stopped'; by: TreadleError }
  | { how: 'not_started'; by: TreadleError };

export interface ProgramEnd {
  ended: Ended;
  /** The last of what it printed, at most KEPT_BYTES each. */
  stdout: string;
  stderr: string;
}

export interface ProgramPlan {
  jail: Jail | undefined;
  /** Where its folder is made; removed at the end. */
  root: string;
  /** Told the work folder as the program will see it. */
  command(workdir: string): HarnessCommand;
  deadlineMs: number;
  /** Bytes it may print before it is ended. */
  outputBytes: number;
  /** Resolves when there is nothing more to be had from the model. */
  spent: Promise<TreadleError>;
  signal?: AbortSignal | undefined;
}

const KEPT_BYTES = 4 * 1_048_576;
/** How long a harness may take to end by itself once its model answers no more. */
const SPENT_MS = 10_000;
/** How long what it printed may take to arrive after its end; a child that keeps the pipe open is not waited for longer. */
const DRAIN_MS = 1_000;

const writeFiles = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    const path = resolve(folder, name);
    if (!path.startsWith(folder + sep))
      throw new TreadleError({ code: 'outside_folder', message: 'A harness file lies in its folder', value: name });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode: 0o600 });
  }
};

const start = (sandbox: Sandbox, plan: ProgramPlan, made: HarnessCommand, onOutput: (bytes: number) => void) => {
  const { jail } = plan;
  const folders = searchPath(made.path);
  const command = programOf(made.command, folders);
  const path = folders.join(':');
  const env = { PATH: path, ...(jail ? { HOME: jail.workdir, TMPDIR: '/tmp' } : {}), ...made.env };
  const run = jail
    ? jail.wrap({ command, args: made.args, folder: sandbox.folder, reads: made.reads ?? [], path: folders })
    : { command, args: made.args };
  return sandbox.start(run.command, run.args, {
    env,
    keepBytes: KEPT_BYTES,
    onOutput: (_, chunk) => onOutput(chunk.length),
  });
};

const tooMuch = (bytes: number): TreadleError =>
  new TreadleError({ code: 'output_limit', message: `The harness printed more than ${bytes} bytes`, fault: 'policy' });

const stopped = (by: TreadleError): Ended => ({ how: 'stopped', by });

const runIn = async (sandbox: Sandbox, plan: ProgramPlan, deadline: Deadline): Promise<ProgramEnd> => {
  const made = plan.command(plan.jail?.workdir ?? sandbox.folder);
  await writeFiles(sandbox.folder, made.files);
  let printed = 0;
  let overflow: (error: TreadleError) => void = () => undefined;
  const overflowed = new Promise<TreadleError>((done) => {
    overflow = done;
  });
  const process = start(sandbox, plan, made, (bytes) => {
    printed += bytes;
    if (printed > plan.outputBytes) overflow(tooMuch(plan.outputBytes));
  });
  if (made.stdin !== undefined) process.write(made.stdin);
  process.endInput();
  const exited = process.exited.then((exit): Ended => ({ how: 'exited', ...exit }));
  try {
    const ended = await deadline.within(() =>
      Promise.race([
        exited,
        overflowed.then(stopped),
        plan.spent.then((by) => Promise.race([exited, sleep(SPENT_MS, stopped(by), { ref: false })])),
      ]),
    );
    if (ended.how === 'exited') await Promise.race([process.drained, sleep(DRAIN_MS, undefined, { ref: false })]);
    return { ended, ...outputOf(process) };
  } catch (thrown) {
    return { ended: stopped(asTreadleError(thrown, 'infrastructure', 'rollout_failed')), ...outputOf(process) };
  }
};

const outputOf = (process: { output(): { stdout: string; stderr: string } }) => {
  const { stdout, stderr } = process.output();
  return { stdout, stderr };
};

/** Never throws: what keeps a harness from being started is an end of its run too. Nothing of it is left afterwards. */
export const runProgram = async (plan: ProgramPlan): Promise<ProgramEnd> => {
  const deadline = deadlineOf(plan.deadlineMs, plan.signal);
  let sandbox: Sandbox | undefined;
  try {
    if (deadline.signal.aborted)
      return { ended: stopped(deadline.signal.reason as TreadleError), stdout: '', stderr: '' };
    sandbox = await openSandbox(await mkdtemp(join(plan.root, 'treadle-harness-')));
    return await runIn(sandbox, plan, deadline);
  } catch (thrown) {
    const by = asTreadleError(thrown, 'infrastructure', 'harness_not_started');
    return { ended: { how: 'not_started', by }, stdout: '', stderr: '' };
  } finally {
    deadline.clear();
    await sandbox?.close().catch(() => undefined);
  }
};
