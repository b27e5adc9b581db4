/** Runs the built executable as a user would. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Where commands run unless a test says otherwise: never in the checkout. */
const ELSEWHERE = tmpdir();

export interface Ran {
  status: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Root is held to permissions like everybody else. */
  bound?: boolean;
  timeoutMs?: number;
}

const environment = (extra: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  NO_COLOR: '1',
  ...extra,
});

export const treadle = (args: readonly string[], options: RunOptions = {}): Ran => {
  const bound = options.bound && process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override'] : [];
  const [command = '', ...rest] = [...bound, process.execPath, MAIN, ...args];
  const done = spawnSync(command, rest, {
    encoding: 'utf8',
    env: environment(options.env),
    timeout: options.timeoutMs ?? 120_000,
    killSignal: 'SIGKILL',
    maxBuffer: 64 << 20,
    cwd: options.cwd ?? ELSEWHERE,
  });
  return { status: done.status ?? -1, stdout: done.stdout, stderr: done.stderr };
};

/** Like `treadle`, without blocking this process: for commands that talk to a server of the test. */
export const treadleBeside = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: environment(options.env),
      cwd: options.cwd ?? ELSEWHERE,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data: Buffer) => {
      stdout += data.toString('utf8');
    });
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString('utf8');
    });
    child.on('close', (code) => resolve({ status: code ?? -1, stdout, stderr }));
  });

export const scratch = (): string => mkdtempSync(join(tmpdir(), 'treadle-test-'));

/** What a user sees of a failure: one line that starts with `error <code>:`. */
export const errorLine = (ran: Ran): string => ran.stderr.split('\n').find((line) => line.startsWith('error ')) ?? '';
