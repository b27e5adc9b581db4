/** What really runs, from /proc: processes that left their group (setsid, daemons), and groups of which only zombies are left. */
import { readdir, readFile } from 'node:fs/promises';
import { MARK } from './environment.js';

interface ProcessTable {
  /** Live processes by the mark in their environment. */
  marked: Map<string, number[]>;
  /** Groups with a member that is no zombie: in a container whose first process reaps nobody, zombies stay for ever. */
  groups: Set<number>;
}

/** Fields of /proc/N/stat after the name, which may hold anything: state, parent, group. */
const STAT = /\) (\S) \d+ (\d+) [^)]*$/;

const readInto = async (table: ProcessTable, pid: string): Promise<void> => {
  try {
    const stat = STAT.exec(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (stat === null || stat[1] === 'Z' || stat[1] === 'X') return;
    table.groups.add(Number(stat[2]));
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    const entry = environment.split('\0').find((one) => one.startsWith(`${MARK}=`));
    const mark = entry?.slice(MARK.length + 1);
    if (mark === undefined) return;
    const known = table.marked.get(mark);
    if (known) known.push(Number(pid));
    else table.marked.set(mark, [Number(pid)]);
  } catch {
    // Gone meanwhile, or not ours.
  }
};

const scan = async (): Promise<ProcessTable> => {
  const table: ProcessTable = { marked: new Map(), groups: new Set() };
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  // In slices, so that a thousand processes do not hold up every other read of this process.
  for (let at = 0; at < pids.length; at += 16)
    await Promise.all(pids.slice(at, at + 16).map((pid) => readInto(table, pid)));
  return table;
};

let running: Promise<ProcessTable> | undefined;
let next: Promise<ProcessTable> | undefined;

/** Many ask at once when many sessions close: whoever comes during a scan shares the one after it. */
const freshTable = (): Promise<ProcessTable> => {
  if (running === undefined) {
    running = scan().finally(() => {
      running = undefined;
    });
    return running;
  }
  next ??= running.then(() => {
    next = undefined;
    return freshTable();
  });
  return next;
};

const hasTable = process.platform === 'linux';

/** Whether a group that still takes signals has members that run; true where there is no /proc to tell. */
export const hasRunningMembers = async (group: number): Promise<boolean> =>
  !hasTable || (await freshTable()).groups.has(group);

/**
 * Pids of live processes that carry the mark, whatever group they are in. Empty where there is no /proc; a process that cleared its
 * own environment is not found, which only a container could mend.
 */
export const markedProcesses = async (mark: string): Promise<number[]> =>
  hasTable ? ((await freshTable()).marked.get(mark) ?? []) : [];

/** Sends the signal to all that carry the mark, again until no new ones turn up, at most five times. */
export const signalMarked = async (mark: string, signal: NodeJS.Signals): Promise<void> => {
  const seen = new Set<number>();
  for (let round = 0; round < 5; round++) {
    const fresh = (await markedProcesses(mark)).filter((pid) => !seen.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      seen.add(pid);
      try {
        process.kill(pid, signal);
      } catch {
        // Gone meanwhile.
      }
    }
  }
};
