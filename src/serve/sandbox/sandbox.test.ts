import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MARK } from './environment.js';
import { openSandbox, type Sandbox } from './sandbox.js';

let root: string;
const open: Sandbox[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'treadle-sandbox-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
  rmSync(root, { recursive: true, force: true });
});

const fresh = async (name = 'a', ...limits: [{ bytes: number; entries: number }?]): Promise<Sandbox> => {
  const sandbox = await openSandbox(join(root, name), ...limits);
  open.push(sandbox);
  return sandbox;
};
const sh = (sandbox: Sandbox, script: string, options = {}) => sandbox.start('/bin/sh', ['-c', script], options);
const until = async (holds: () => boolean): Promise<void> => {
  for (let i = 0; !holds(); i++) {
    if (i > 1_000) throw new Error('never came true');
    await sleep(10);
  }
};
const runs = (pid: number): boolean => {
  try {
    // A zombie is no longer a process that runs.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const pidIn = (file: string): number => Number(readFileSync(file, 'utf8'));
const written = (file: string) => (): boolean => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');
const thrown = (work: () => unknown): string => {
  try {
    work();
    return 'nothing';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('processes', () => {
  it('run in the folder with an environment of their own', async () => {
    process.env.SOME_SECRET = 'hunter2';
    const sandbox = await fresh();
    const started = sh(sandbox, 'pwd; env; cat; echo oops >&2; exit 3', { env: { MINE: 'yes' } });
    started.write('typed in');
    started.endInput();
    expect(await started.exited).toEqual({ code: 3, signal: null });
    await until(() => started.output().stdout.includes('typed in') && started.output().stderr !== '');
    const { stdout, stderr } = started.output();
    delete process.env.SOME_SECRET;
    expect(stdout.split('\n')[0]).toBe(sandbox.folder);
    expect(stdout).toContain(`HOME=${sandbox.folder}\n`);
    expect(stdout).toContain('MINE=yes\n');
    expect(stdout).not.toContain('hunter2');
    expect(stderr).toBe('oops\n');
    expect(stdout).toContain(`${MARK}=`);
    expect(started.write('too late')).toBe(false);
  });

  it('that cannot be started say so, and leave nothing behind', async () => {
    const sandbox = await fresh();
    expect(thrown(() => sandbox.start('no-such-command-here', []))).toBe('cannot_start');
    expect(thrown(() => sandbox.start('', []))).toBe('cannot_start');
    expect(thrown(() => sandbox.start('ls', ['a\0b']))).toBe('cannot_start');
    expect(thrown(() => sandbox.start('ls', [], { cwd: '../..' }))).toBe('outside_folder');
    expect(thrown(() => sandbox.start('ls', [], { cwd: 'nowhere' }))).toBe('cannot_start');
    expect(sandbox.processes()).toEqual([]);
  });

  it('that write without end are kept to their last bytes, and a listener that throws harms nobody', async () => {
    const sandbox = await fresh();
    let heard = 0;
    const started = sh(sandbox, 'yes 0123456789', {
      keepBytes: 1000,
      onOutput: (_: string, chunk: Buffer) => {
        heard += chunk.length;
        throw new Error('mine');
      },
    });
    await until(() => heard > 10_000_000);
    await started.end();
    const { stdout, written: count } = started.output();
    expect(stdout.length).toBeLessThanOrEqual(1000);
    expect(count.stdout).toBe(heard);
    expect(started.isRunning).toBe(false);
  });

  it('end with their children, also those that ignore SIGTERM or leave their group', async () => {
    const sandbox = await fresh();
    const file = (name: string): string => join(sandbox.folder, name);
    const stubborn = `trap '' TERM; (while :; do sleep 1; done) & echo $! > child; setsid sh -c 'trap "" TERM; echo $$ > stray; while :; do sleep 1; done' & wait`;
    const started = sh(sandbox, stubborn);
    await until(written(file('child')));
    if (process.platform === 'linux') await until(written(file('stray')));
    const pids = [started.pid, pidIn(file('child')), pidIn(file('stray'))];
    expect(pids.map(runs)).toEqual([true, true, true]);
    await sandbox.close();
    expect(pids.map(runs)).toEqual([false, false, false]);
    expect(existsSync(sandbox.folder)).toBe(false);
    await sandbox.close();
    expect(thrown(() => sh(sandbox, 'true'))).toBe('sandbox_closed');
  });

  it('that leave others behind still count as running until those have ended', async () => {
    const sandbox = await fresh();
    const started = sh(sandbox, 'sleep 600 & echo $! > left');
    await started.exited;
    expect(started.isRunning).toBe(true);
    await expect(sandbox.fork(join(root, 'b'))).rejects.toMatchObject({ code: 'processes_running', fault: 'agent' });
    expect(existsSync(join(root, 'b'))).toBe(false);
    started.signal('SIGKILL');
    await until(() => !runs(pidIn(join(sandbox.folder, 'left'))));
    await until(() => sandbox.processes().length === 0);
    open.push(await sandbox.fork(join(root, 'b')));
  });

  it('stand still while paused, and go on after', async () => {
    const sandbox = await fresh();
    const started = sh(sandbox, 'while :; do echo x; sleep 0.01; done');
    await until(() => started.output().written.stdout > 0);
    await sandbox.pause();
    await sleep(50);
    const before = started.output().written.stdout;
    await sleep(100);
    expect(started.output().written.stdout).toBe(before);
    expect(thrown(() => sh(sandbox, 'true'))).toBe('sandbox_paused');
    await sandbox.resume();
    await until(() => started.output().written.stdout > before);
    await sandbox.pause();
    await sandbox.close();
    expect(runs(started.pid)).toBe(false);
  });
});

describe('copies', () => {
  it('fork, save and load keep files, modes, times, links and odd names apart from the origin', async () => {
    const sandbox = await fresh();
    const prepare = sh(
      sandbox,
      `mkdir -p in/deep; echo one > in/file; chmod 750 in/file; touch -d @1000000000 in/file; printf x > "$(printf 'odd\\377name')"; echo y > 'ünï code'
       ln -s in/file near; ln -s "$PWD/in/file" far; ln -s /etc/hostname out; ln -s ../../nowhere up; mkfifo pipe; chmod 500 in`,
    );
    expect((await prepare.exited).code).toBe(0);
    await until(() => sandbox.processes().length === 0);
    const branch = await sandbox.fork(join(root, 'b'));
    open.push(branch);
    const file = (name: string): string => join(branch.folder, name);
    expect(readdirSync(branch.folder, { encoding: 'latin1' }).sort()).toEqual(
      ['far', 'in', 'near', 'odd\xffname', 'out', 'up', Buffer.from('ünï code').toString('latin1')].sort(),
    );
    expect([statSync(file('in')).mode & 0o777, statSync(file('in/file')).mode & 0o777]).toEqual([0o500, 0o750]);
    expect(statSync(file('in/file')).mtimeMs).toBe(1e12);
    await sh(branch, 'chmod 700 in; echo two > far').exited;
    expect(readFileSync(file('near'), 'utf8')).toBe('two\n');
    expect(readFileSync(join(sandbox.folder, 'near'), 'utf8')).toBe('one\n');

    await until(() => branch.processes().length === 0);
    await branch.save(join(root, 'kept'));
    writeFileSync(file('in/file'), 'three\n');
    writeFileSync(file('more'), '');
    const busy = sh(branch, 'sleep 600');
    await branch.load(join(root, 'kept'));
    expect(runs(busy.pid)).toBe(false);
    expect([readFileSync(file('near'), 'utf8'), existsSync(file('more'))]).toEqual(['two\n', false]);
    expect(readdirSync(root).sort()).toEqual(['a', 'b', 'kept']);
  });

  it.each([
    ['a big file', 'head -c 2000 /dev/zero > big'],
    ['a sparse one', 'truncate -s 1T sparse'],
    ['many small ones', 'for i in $(seq 30); do : > f$i; done'],
    ['depth', 'for i in $(seq 140); do mkdir d; cd d; done'],
    ['a path that is too long', `n=$(printf '%0200d' 0); for i in $(seq 30); do mkdir $n; cd $n; done`],
  ])('refuses %s with nothing half-made, and stays usable', async (_, script) => {
    const sandbox = await fresh('a', { bytes: 1000, entries: script.includes('mkdir') ? 1000 : 20 });
    await sh(sandbox, script).exited;
    await until(() => sandbox.processes().length === 0);
    await expect(sandbox.save(join(root, 'kept'))).rejects.toMatchObject({ code: 'folder_too_large', fault: 'agent' });
    expect(existsSync(join(root, 'kept'))).toBe(false);
    expect((await sh(sandbox, 'true').exited).code).toBe(0);
    await sandbox.close();
    expect(existsSync(sandbox.folder)).toBe(false);
  });

  it('never takes a folder that holds something, itself, or a link', async () => {
    const sandbox = await fresh();
    mkdirSync(join(root, 'mine'));
    writeFileSync(join(root, 'mine', 'thesis'), 'x');
    await expect(openSandbox(join(root, 'mine'))).rejects.toMatchObject({ code: 'folder_not_empty' });
    await expect(sandbox.fork(join(root, 'mine'))).rejects.toMatchObject({ code: 'folder_not_empty' });
    await expect(sandbox.fork(join(sandbox.folder, 'in'))).rejects.toMatchObject({ code: 'folder_failed' });
    await expect(openSandbox(join(root, 'mine', 'thesis'))).rejects.toMatchObject({ code: 'folder_failed' });
    expect(readFileSync(join(root, 'mine', 'thesis'), 'utf8')).toBe('x');
    symlinkSync(join(root, 'mine'), join(sandbox.folder, 'link'));
    await sandbox.close();
    expect(existsSync(join(root, 'mine', 'thesis'))).toBe(true);
  });

  it('a load that fails changes nothing', async () => {
    const sandbox = await fresh();
    writeFileSync(join(sandbox.folder, 'file'), 'kept');
    const busy = sh(sandbox, 'sleep 600');
    await expect(sandbox.load(join(root, 'no such'))).rejects.toMatchObject({ code: 'folder_failed' });
    expect([runs(busy.pid), readFileSync(join(sandbox.folder, 'file'), 'utf8')]).toEqual([true, 'kept']);
    expect(readdirSync(root)).toEqual(['a']);
  });

  it('nothing is started while a copy is made', async () => {
    const sandbox = await fresh();
    const saved = sandbox.save(join(root, 'kept'));
    expect(thrown(() => sh(sandbox, 'true'))).toBe('sandbox_busy');
    await saved;
    expect((await sh(sandbox, 'true').exited).code).toBe(0);
  });
});
