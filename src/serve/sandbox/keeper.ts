/**
 * One small shell that outlives us by two seconds: its input is a pipe that only we hold, so however this process ends (kill -9
 * included), it reads the end of it and ends the process groups that are still on its list.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { MARK, OWNER } from './environment.js';

const SCRIPT = `
trap '' HUP INT TERM
live=
while read -r op id; do
  case $op in
    +) live="$live $id" ;;
    -) rest=; for one in $live; do [ "$one" = "$id" ] || rest="$rest $one"; done; live=$rest ;;
  esac
done
each() { for one in $live; do kill -s "$1" -- "-$one"; done; }
strays() { for file in $(grep -las "${MARK}=$OWNED[.]" /proc/[0-9]*/environ); do pid=\${file#/proc/}; kill -s KILL "\${pid%/environ}"; done; }
each TERM; each CONT
[ -z "$live" ] || sleep 2
each KILL
if [ -d /proc/self ]; then strays; strays; fi
`;

const groups = new Set<number>();
let shell: ChildProcess | undefined;
/** A shell that cannot live is not started for ever. */
let startsLeft = 8;

const tell = (line: string): void => {
  shell?.stdin?.write(`${line}\n`);
};

const begin = (): void => {
  if (startsLeft-- <= 0) return;
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    cwd: '/',
    detached: true,
    // Not under the mark's own name, so that the shell does not find itself.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', OWNED: OWNER },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell = child;
  const lost = (): void => {
    if (shell === child) shell = undefined;
  };
  child.on('error', lost);
  child.stdin?.on('error', lost);
  child.on('exit', () => {
    lost();
    if (shell === undefined && groups.size > 0) begin();
  });
  child.unref();
  (child.stdin as unknown as { unref(): void } | null)?.unref();
  for (const id of groups) tell(`+ ${id}`);
};

/** From now on the group dies with us. */
export const keepGroup = (id: number): void => {
  groups.add(id);
  if (shell === undefined) begin();
  else tell(`+ ${id}`);
};

/** The group is gone: its number may soon be another's. */
export const forgetGroup = (id: number): void => {
  if (groups.delete(id)) tell(`- ${id}`);
};
