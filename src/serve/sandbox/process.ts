/** One process of a sandbox, with what it starts: its output as it comes, and its end kept. */
import { resolve, sep } from 'node:path';
import { TreadleError } from '../../errors.js';
import { processEnvironment } from './environment.js';
import { type ProcessExit, type ProcessGroup, startGroup } from './process-group.js';
import { Tail } from './tail.js';

export interface ProcessOptions {
  /** Inside the sandbox's folder, and relative to it; the folder itself when absent. */
  cwd?: string;
  /** Added to a search path, the language, HOME and TMPDIR; nothing else of our environment is passed on. */
  env?: Readonly<Record<string, string>>;
  /** Each chunk as it comes; what it throws is ignored. */
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  /** How many of the last bytes of each stream are kept; 1 MiB when absent. */
  keepBytes?: number;
}

export interface ProcessOutput {
  stdout: string;
  stderr: string;
  /** Bytes written in all; more than are kept when it wrote a lot. */
  written: { stdout: number; stderr: number };
}

export interface SandboxProcess {
  readonly pid: number;
  /** Whether it or anything of its group runs, though it itself may have ended. */
  readonly isRunning: boolean;
  /** Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** When all that it printed was heard; not before every process that inherited its output has ended. Never rejects. */
  readonly drained: Promise<void>;
  /** False when it no longer reads. */
  write(text: string | Uint8Array): boolean;
  endInput(): void;
  output(): ProcessOutput;
  /** To its whole group. */
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, after two seconds SIGKILL. */
  end(): Promise<void>;
}

const insideOf = (folder: string, cwd: string): string => {
  const at = resolve(folder, cwd);
  if (at === folder || at.startsWith(folder + sep)) return at;
  throw new TreadleError({
    code: 'outside_folder',
    message: 'A process runs inside its sandbox',
    value: cwd,
    fault: 'agent',
  });
};

/** The group of the process, for whoever stops or ends many. */
export interface StartedProcess {
  group: ProcessGroup;
  process: SandboxProcess;
}

/** Throws `cannot_start` and `outside_folder`. */
export const startProcess = (
  folder: string,
  mark: string,
  [command, ...args]: readonly [string, ...string[]],
  options: ProcessOptions,
): StartedProcess => {
  const cwd = insideOf(folder, options.cwd ?? '.');
  const group = startGroup(command, args, { cwd, env: processEnvironment(folder, mark, options.env), mark });
  const tails = { stdout: new Tail(options.keepBytes ?? 1_048_576), stderr: new Tail(options.keepBytes ?? 1_048_576) };
  for (const stream of ['stdout', 'stderr'] as const)
    group[stream].on('data', (chunk: Buffer) => {
      tails[stream].push(chunk);
      try {
        options.onOutput?.(stream, chunk);
      } catch {
        // A listener's defect is not the process's, and must not end ours.
      }
    });
  const { stdout, stderr } = tails;
  const closed = [group.stdout, group.stderr].map((stream) => new Promise<void>((done) => stream.once('close', done)));
  return {
    group,
    process: {
      pid: group.pid,
      get isRunning() {
        return group.isAlive();
      },
      exited: group.exited,
      drained: Promise.all(closed).then(() => undefined),
      write: (text) => group.stdin.writable && group.stdin.write(text),
      endInput: () => {
        group.stdin.end();
      },
      output: () => ({
        stdout: stdout.text(),
        stderr: stderr.text(),
        written: { stdout: stdout.seen, stderr: stderr.seen },
      }),
      signal: (signal) => {
        group.signal(signal);
      },
      end: () => group.end(),
    },
  };
};
