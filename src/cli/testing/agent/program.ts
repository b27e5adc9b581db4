/** One run of somebody's agent as they run it themselves: their folder, their environment; ended with all that it started. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asTreadleError, TreadleError } from '../../../errors.js';
import { deadlineOf } from '../../../rollout/deadline.js';
import type { HarnessCommand } from '../../../rollout/harness/types.js';
import { newMark } from '../../../serve/sandbox/environment.js';
import { removeFolder } from '../../../serve/sandbox/folders.js';
import { type StartedProcess, startProcess } from '../../../serve/sandbox/process.js';

export interface AgentRun {
  /** Told its private folder, which is removed at the end. */
  command(workdir: string): HarnessCommand;
  /** Runs in that folder with nothing of our environment but the search path and `env`; else as a command of the user's own. */
  isolated: boolean;
  /** Names of variables that an isolated agent gets. */
  env: readonly string[];
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface AgentEnd {
  /** Its status, or the signal that ended it; absent where we ended it, or it never began. */
  exit?: { code: number | null; signal: string | null };
  /** Why we ended it (`deadline`, `cut`, `output_limit`), or why it did not begin. */
  stopped?: TreadleError;
  stdout: string;
  stderr: string;
}

/** Bytes that an agent may print, and how many of the last are kept. */
const MOST_BYTES = 64 * 1_048_576;
const KEPT_BYTES = 1_048_576;
/** How long the last of the output may take to arrive. */
const DRAIN_MS = 1_000;

/** Ours and nobody else's: an agent must not reach a server's admin door. */
const OWN = /^TREADLE_(ADMIN_TOKEN|API_KEY|USER_API_KEY|DEBUG)$/;

const environmentOf = (names: readonly string[] | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && !OWN.test(name) && (names === undefined || names.includes(name)) ? [[name, value]] : [],
    ),
  );

const tooMuch = (): TreadleError =>
  new TreadleError({
    code: 'output_limit',
    message: `The agent printed more than ${MOST_BYTES} bytes`,
    fault: 'policy',
  });

const watched = async (
  { process: own }: StartedProcess,
  overflowed: Promise<TreadleError>,
  { timeoutMs, signal }: AgentRun,
): Promise<Pick<AgentEnd, 'exit' | 'stopped'>> => {
  const deadline = deadlineOf(timeoutMs, signal);
  try {
    const end = await deadline.within(() => Promise.race([own.exited, overflowed]));
    if (end instanceof TreadleError) return { stopped: end };
    await Promise.race([own.drained, sleep(DRAIN_MS, undefined, { ref: false })]);
    return { exit: end };
  } catch (thrown) {
    return { stopped: asTreadleError(thrown, 'infrastructure', 'rollout_failed') };
  } finally {
    deadline.clear();
  }
};

/** Never throws; nothing of the agent is left afterwards. */
export const runAgent = async (run: AgentRun): Promise<AgentEnd> => {
  let workdir: string | undefined;
  let started: StartedProcess | undefined;
  try {
    workdir = await mkdtemp(join(tmpdir(), 'treadle-agent-'));
    const { command, args, env } = run.command(workdir);
    let overflow: (error: TreadleError) => void = () => undefined;
    const overflowed = new Promise<TreadleError>((done) => {
      overflow = done;
    });
    let printed = 0;
    started = startProcess(run.isolated ? workdir : resolve('.'), newMark(), [command, ...args], {
      env: { ...environmentOf(run.isolated ? run.env : undefined), ...env },
      keepBytes: KEPT_BYTES,
      onOutput: (_, chunk) => {
        printed += chunk.length;
        if (printed > MOST_BYTES) overflow(tooMuch());
      },
    });
    started.process.endInput();
    const end = await watched(started, overflowed, run);
    const { stdout, stderr } = started.process.output();
    return { ...end, stdout, stderr };
  } catch (thrown) {
    return { stopped: asTreadleError(thrown, 'infrastructure', 'agent_not_started'), stdout: '', stderr: '' };
  } finally {
    await started?.process.end();
    if (workdir !== undefined) await removeFolder(workdir).catch(() => undefined);
  }
};
