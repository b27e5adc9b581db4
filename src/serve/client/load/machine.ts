/** Whether this machine could hold a number of sessions or their agents. */
import { availableParallelism, freemem, totalmem } from 'node:os';

export interface MachineCheck {
  what: 'node' | 'cores' | 'memory' | 'open files';
  value: string;
  ok: boolean;
  /** What to do where it is not. */
  next?: string;
}

/** Handles besides one connection a session: the program's own files, sockets and pipes. */
const OTHER_FILES = 64;
const LEAST_FREE_MIB = 512;
const MIB = 1_048_576;

/** The soft limit of open files; undefined where the system has none to tell. */
const openFiles = (): number | 'unlimited' | undefined => {
  // Not in the types of Node 20, which has it.
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
  const before = report.excludeNetwork;
  // Its network part may wait for name servers.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
  report.excludeNetwork = before ?? false;
  return userLimits?.open_files?.soft;
};

const isNewEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19);
};

export const checkMachine = (sessions: number): MachineCheck[] => {
  const files = openFiles();
  const needed = sessions + OTHER_FILES;
  const limit = process.constrainedMemory();
  const total = Math.round((limit > 0 && limit < totalmem() ? limit : totalmem()) / MIB);
  const free = Math.round(Math.min(freemem() / MIB, total));
  const check = (what: MachineCheck['what'], value: string, ok: boolean, next: string): MachineCheck => ({
    what,
    value,
    ok,
    ...(ok ? {} : { next }),
  });
  return [
    check('node', process.versions.node, isNewEnough(process.versions.node), 'Install Node 20.19 or newer.'),
    check('cores', String(availableParallelism()), true, ''),
    check(
      'memory',
      `${free} of ${total} MiB free`,
      free >= LEAST_FREE_MIB,
      `Free some: a server needs ${LEAST_FREE_MIB} MiB to begin with.`,
    ),
    check(
      'open files',
      String(files ?? 'not known'),
      typeof files !== 'number' || files >= needed,
      `Raise it (ulimit -n ${needed}): each agent keeps a connection.`,
    ),
  ];
};
