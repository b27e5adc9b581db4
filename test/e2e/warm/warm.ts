/**
 * Commands in a process that is warm: most of a short command is Node compiling Treadle, which proves nothing the second time.
 *
 * For what a command does, not for how its process starts, prints, is signalled or ends: that is `treadle` of ../cli.ts, which
 * warm.test.ts compares it with. Tests in one file share the process with those of others.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ran } from '../cli.js';

interface WarmOptions {
  timeoutMs?: number;
}

const PLACE = join(process.env.TREADLE_TEST_WARM ?? '', process.env.VITEST_POOL_ID ?? '');
const TIMEOUT_MS = 120_000;
const sleeping = new Int32Array(new SharedArrayBuffer(4));

/** Where this worker's process listens; waits while it is being started. */
const listening = (): { pid: number; port: number } => {
  for (let tries = 0; tries < 1500; tries++) {
    if (existsSync(PLACE)) return JSON.parse(readFileSync(PLACE, 'utf8')) as { pid: number; port: number };
    Atomics.wait(sleeping, 0, 0, 20);
  }
  throw new Error(`no warm process at ${PLACE}: is test/e2e/warm/setup.mjs among the global setups?`);
};

const lineOf = (args: readonly string[]): string => `${JSON.stringify({ args, cwd: tmpdir() })}\n`;

const answerOf = (text: string, pid: number, args: readonly string[]): Ran => {
  if (text) return JSON.parse(text) as Ran;
  // It died of the command, or hangs in it: the next command gets another one.
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
  return { status: -1, stdout: '', stderr: `the warm process did not answer: treadle ${args.join(' ')}` };
};

/** Runs a command line and waits for its end, like `treadle`. */
export const warm = (args: readonly string[], { timeoutMs = TIMEOUT_MS }: WarmOptions = {}): Ran => {
  const { pid, port } = listening();
  // Node cannot wait for a socket, so that a shell does it: cheap, and to be timed out.
  const script = 'exec 3<>"/dev/tcp/127.0.0.1/$1"; cat >&3; cat <&3';
  const asked = spawnSync('bash', ['-c', script, 'bash', `${port}`], {
    input: lineOf(args),
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 << 20,
  });
  return answerOf(asked.status === 0 ? asked.stdout : '', pid, args);
};

/** The same without blocking this process: for commands that talk to a server of the test. */
export const warmBeside = async (
  args: readonly string[],
  { timeoutMs = TIMEOUT_MS }: WarmOptions = {},
): Promise<Ran> => {
  const { pid, port } = listening();
  const text = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(lineOf(args)));
    let heard = '';
    socket.setEncoding('utf8');
    socket.setTimeout(timeoutMs, () => socket.destroy());
    socket.on('data', (data: string) => {
      heard += data;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
  });
  return answerOf(text, pid, args);
};
