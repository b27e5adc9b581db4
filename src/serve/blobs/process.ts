/** Whether processes run, by which files left by killed ones are told from files in use. */
import { readFileSync } from 'node:fs';
import { systemCode } from './disk.js';

export const runs = (pid: number): boolean => {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return systemCode(thrown) !== 'ESRCH';
  }
};

/** Field 22 of /proc/PID/stat: clock ticks from the machine's start to the process's; 0 where there is no /proc. */
export const startOf = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
};
