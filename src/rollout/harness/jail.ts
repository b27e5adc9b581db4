/**
 * bubblewrap around a harness: it sees the system and its own installation read-only, its folder as /workspace, and neither the
 * rest of the disk nor other processes. The network is shared, since gateway and tools are reached on loopback.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram, installations, isTooMuch, searchPath } from './search-path.js';

export interface Jailed {
  command: string;
  args: readonly string[];
  /** On this machine: the harness's own folder. */
  folder: string;
  /** Read-only besides the system's and those of the search path. */
  reads: readonly string[];
  /** The search path inside. */
  path: readonly string[];
}

export interface Jail {
  kind: 'bubblewrap';
  /** What the folder is called inside. */
  workdir: string;
  wrap(jailed: Jailed): { command: string; args: string[] };
}

export type FoundJail = { jail: Jail } | { jail: undefined; why: string };

/** Of `/tmp` inside, which is memory. */
const TMP_BYTES = 512 * 1_048_576;
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/opt', '/nix'];
const WORKDIR = '/workspace';

const isSystem = (path: string): boolean => SYSTEM.some((folder) => path === folder || path.startsWith(`${folder}/`));

const APART = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--cap-drop', 'ALL', '--die-with-parent', '--new-session', '--hostname', 'workspace'],
];

const argumentsOf = (jailed: Jailed, hidden: readonly string[]): string[] => {
  const readable = [...installations(jailed.path), ...jailed.reads.filter((path) => !isTooMuch(path))]
    .filter((path) => !isSystem(path))
    .sort();
  return [
    ...APART,
    ...SYSTEM.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(TMP_BYTES), '--tmpfs', '/tmp'],
    ...readable.flatMap((path) => ['--ro-bind-try', path, path]),
    // Over what was just shown: a corpus beside the agent's code holds the references.
    ...hidden
      .filter((path) => readable.some((shown) => `${path}/`.startsWith(`${shown}/`)))
      .flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...['--bind', jailed.folder, WORKDIR, '--chdir', WORKDIR, '--remount-ro', '/'],
    ...['--', jailed.command, ...jailed.args],
  ];
};

const jailBy = (program: string, hidden: readonly string[]): Jail => ({
  kind: 'bubblewrap',
  workdir: WORKDIR,
  wrap: (jailed) => ({ command: program, args: argumentsOf(jailed, hidden) }),
});

/** A jail that was seen to work here, or why there is none. `hidden`: folders that nothing inside may see. */
export const findJail = async (hidden: readonly string[] = [], path = searchPath()): Promise<FoundJail> => {
  const program = findProgram('bwrap', path);
  if (program === undefined) return { jail: undefined, why: 'bubblewrap (bwrap) is not installed' };
  const jail = jailBy(program, hidden);
  // On a folder that is there anyhow; nothing is written.
  const tried = jail.wrap({ command: '/bin/sh', args: ['-c', 'exit 0'], folder: '/usr', reads: [], path: [] });
  try {
    await promisify(execFile)(tried.command, tried.args, { timeout: 20_000, env: {} });
    return { jail };
  } catch (thrown) {
    const said = String((thrown as { stderr?: unknown }).stderr ?? '').trim();
    return { jail: undefined, why: `bubblewrap does not run here: ${said.split('\n')[0] || String(thrown)}` };
  }
};
