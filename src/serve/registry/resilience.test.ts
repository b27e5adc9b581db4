/** What a registry in a folder survives: killed processes, full disks, damaged files, a second server. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toyTask } from '../../../test/rollout/toy.js';
import type { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { openRegistry, type Registry } from './registry.js';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-registry-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const refusal = (work: () => unknown): TreadleError => {
  try {
    work();
  } catch (thrown) {
    const error = thrown as TreadleError;
    expect(error.name).toBe('TreadleError');
    expect(error.next).toBeTruthy();
    expect(error.line()).not.toContain(folder);
    return error;
  }
  throw new Error('nothing was refused');
};
const task = (n: number): Json => toyTask(n) as unknown as Json;
const log = (): string => join(folder, 'log.jsonl');
const using = <T>(work: (registry: Registry) => T): T => {
  const registry = openRegistry({ folder });
  try {
    return work(registry);
  } finally {
    registry.close();
  }
};

const LOADER = new URL('../../../bench/loader.mjs', import.meta.url).href;
const REGISTRY = new URL('./registry.ts', import.meta.url).href;
const FOLDER_BLOBS = new URL('../blobs/folder.ts', import.meta.url).href;
/** A program that has `openRegistry`, `folderBlobs`, `folder` and `say`. */
const program = (body: string): string[] => [
  '--input-type=module',
  '-e',
  `import { register } from 'node:module'; import { writeSync } from 'node:fs';
   register(${JSON.stringify(LOADER)});
   const { openRegistry } = await import(${JSON.stringify(REGISTRY)});
   const { folderBlobs } = await import(${JSON.stringify(FOLDER_BLOBS)});
   const folder = process.argv[1];
   const say = (line) => writeSync(1, line + '\\n');
   ${body}`,
  folder,
];

/** Starts a program and waits for its first line. */
const started = async (body: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, program(body), { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
};

describe('a killed process', () => {
  const PUBLISHES = `const registry = openRegistry({ folder });
    for (let n = registry.list('server').length + 1; ; n++) {
      const { version } = registry.publish('server', 'w/s', { n, fill: 'x'.repeat(n % 7 === 0 ? 200_000 : 10) });
      say(String(version));
    }`;

  it('loses nothing that was acknowledged, and its lock', { timeout: 60_000 }, async () => {
    let before = 0;
    for (let round = 0; round < 4; round++) {
      const child = spawn(process.execPath, program(PUBLISHES), { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      let said = '';
      const killed = once(child, 'close');
      child.stdout?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.length > 200 * (round + 1)) child.kill('SIGKILL');
      });
      await killed;
      const acknowledged = Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1));
      expect(acknowledged).toBeGreaterThan(before);
      before = using((registry) => {
        const records = registry.list('server');
        expect(records.length).toBeGreaterThanOrEqual(acknowledged);
        for (const { version } of records)
          expect(registry.read('server', `w/s@${version}`)).toMatchObject({ n: version });
        expect(readdirSync(join(folder, 'contents', 'parts'))).toEqual([]);
        return records.length;
      });
    }
  });

  it('keeps others out while it lives, and not once it is dead', { timeout: 60_000 }, async () => {
    const child = await started(`openRegistry({ folder }); say('open'); setInterval(() => {}, 1000);`);
    expect(refusal(() => openRegistry({ folder }))).toMatchObject({
      code: 'folder_in_use',
      value: `process ${child.pid}`,
    });
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    using((registry) => expect(registry.list('task')).toEqual([]));
    expect(readdirSync(join(folder, 'lock'))).toEqual([]);
  });
});

describe('the lock', () => {
  it('holds within one process too, and is given back on closing', () => {
    const registry = openRegistry({ folder });
    expect(refusal(() => openRegistry({ folder })).code).toBe('folder_in_use');
    registry.publish('task', 'w/t', task(1));
    registry.close();
    registry.close();
    using((again) => expect(again.list('task').length).toBe(1));
    expect(refusal(() => registry.publish('task', 'w/t', task(2))).code).toBe('registry_closed');
    expect(refusal(() => registry.resolve('task', 'w/t')).code).toBe('registry_closed');
  });
  it('is not held by numbers that others have now, nor by rubbish', () => {
    const id = '00000000-0000-4000-8000-000000000000';
    mkdirSync(join(folder, 'lock'));
    // This process's number in an earlier life, a living process that began at another time, a dead one, no claim at all.
    const claims = [`${process.pid}-1-${id}`, `${process.ppid}-1-${id}`, `999999999-1-${id}`, 'notes.txt'];
    for (const claim of claims) writeFileSync(join(folder, 'lock', claim), '');
    using((registry) => expect(registry.list('task')).toEqual([]));
  });
  it('is given back when the log cannot be read', () => {
    writeFileSync(log(), 'rubbish\n');
    expect(refusal(() => openRegistry({ folder })).code).toBe('damaged_registry');
    expect(readdirSync(join(folder, 'lock'))).toEqual([]);
  });
});

describe('the log', () => {
  beforeEach(() => {
    using((registry) => {
      for (let n = 1; n <= 3; n++) registry.publish('task', 'w/t', task(n));
      registry.deprecate('task', 'w/t@2', 'a reason: "ä", \u2028 and {"check":"}');
    });
  });
  const lines = (): string[] => readFileSync(log(), 'utf8').split('\n');

  it('is JSON lines', () => {
    for (const line of lines().slice(0, -1)) expect(JSON.parse(line)).toHaveProperty('check');
    using((registry) =>
      expect(registry.resolve('task', 'w/t@2').deprecated?.because).toBe('a reason: "ä", \u2028 and {"check":"}'),
    );
  });

  it('may end anywhere in its last line', () => {
    const whole = readFileSync(log());
    const start = whole.lastIndexOf(10, whole.length - 2) + 1;
    for (let length = start; length < whole.length; length += 7) {
      writeFileSync(log(), whole.subarray(0, length));
      using((registry) => {
        expect(registry.list('task').map(({ deprecated }) => deprecated)).toEqual([undefined, undefined, undefined]);
        registry.publish('task', 'w/t', task(4));
      });
      using((registry) => expect(registry.resolve('task', 'w/t').version).toBe(4));
    }
    writeFileSync(log(), Buffer.concat([whole, Buffer.alloc(300)]));
    using((registry) => expect(registry.resolve('task', 'w/t@2').deprecated).toBeTruthy());
    expect(readFileSync(log())).toEqual(whole);
  });

  it.each([
    ['a changed name', (all: string[]) => all.with(1, (all[1] as string).replace('w/t', 'w/u')), 2],
    ['a lost brace', (all: string[]) => all.with(1, (all[1] as string).slice(0, -1)), 2],
    ['a line of zeros', (all: string[]) => all.with(0, '\0\0\0'), 1],
    ['an empty line', (all: string[]) => all.toSpliced(2, 0, ''), 3],
    ['a lost line', (all: string[]) => all.toSpliced(1, 1), 2],
    ['a doubled line', (all: string[]) => all.toSpliced(1, 0, all[0] as string), 2],
    ['a damaged last line that is whole', (all: string[]) => all.with(3, '{"op":"publish"}'), 4],
    ['a line of another program', (all: string[]) => all.with(2, '{"op":"drop","check":"0000000000000000"}'), 3],
  ])('with %s is refused by its number', (_, breaks, line) => {
    const before = breaks(lines()).join('\n');
    writeFileSync(log(), before);
    expect(refusal(() => openRegistry({ folder }))).toMatchObject({ code: 'damaged_registry', value: line });
    expect(readFileSync(log(), 'utf8')).toBe(before);
  });

  it('leaves a content that was changed or lost to be told when it is read', () => {
    using((registry) => {
      const { hash } = registry.resolve('task', 'w/t@1');
      const file = join(folder, 'contents', hash.slice(0, 2), hash);
      appendFileSync(file, ' ');
      expect(refusal(() => registry.read('task', 'w/t@1')).code).toBe('changed_content');
      truncateSync(file, 5);
      expect(refusal(() => registry.read('task', 'w/t@1')).code).toBe('changed_content');
      rmSync(file);
      expect(refusal(() => registry.read('task', 'w/t@1')).code).toBe('no_content');
      expect(registry.read('task', 'w/t@3')).toEqual(task(3));
      registry.publish('task', 'w/other', task(1));
      expect(registry.read('task', 'w/t@1')).toEqual(task(1));
    });
  });

  it('mends a damaged content when the same is published again', () => {
    using((registry) => {
      const { hash } = registry.resolve('task', 'w/t');
      truncateSync(join(folder, 'contents', hash.slice(0, 2), hash), 5);
      expect(registry.publish('task', 'w/t', task(3)).version).toBe(3);
      expect(registry.read('task', 'w/t')).toEqual(task(3));
    });
  });
});

describe('a full disk', () => {
  // `ulimit -f` makes writes past a size fail as a full disk does; the blocks are of 1 KiB in bash.
  const limited = (blocks: number, body: string) =>
    spawnSync(
      'bash',
      ['-c', `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, 'bash', process.execPath, ...program(body)],
      { encoding: 'utf8', timeout: 60_000 },
    );

  it('publishes nothing by halves, keeps what was there, and goes on when there is room', { timeout: 120_000 }, () => {
    using((registry) => {
      for (let n = 1; n <= 3; n++) registry.publish('server', 'kept', { kept: n });
    });
    const { stdout, stderr } = limited(
      8,
      `const registry = openRegistry({ folder });
       const attempt = (work) => { try { return work(); } catch (error) { return { code: error.code, fault: error.fault, isRetryable: error.isRetryable }; } };
       say(JSON.stringify(attempt(() => registry.publish('server', 'big', { fill: 'x'.repeat(20000) }))));
       let n = 0; let failed;
       while (!failed?.code) failed = attempt(() => registry.publish('server', 'many', { n: ++n }));
       say(JSON.stringify(failed));
       say(JSON.stringify(attempt(() => registry.publish('server', 'many', { n }))));
       say(JSON.stringify({ listed: registry.list('server', 'many').length, n, kept: registry.read('server', 'kept') }));
       const blobs = folderBlobs(folder + '/blobs');
       await blobs.put('a/b', new Uint8Array(100));
       say(JSON.stringify(await blobs.put('a/b', new Uint8Array(20000)).catch((error) => ({ code: error.code, fault: error.fault, isRetryable: error.isRetryable }))));
       say(JSON.stringify({ length: (await blobs.get('a/b')).length, keys: await blobs.list('') }));
       process.exit(0);`,
    );
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const full = { code: 'disk_full', fault: 'infrastructure', isRetryable: true };
    expect([said[0], said[1], said[2]], stderr).toEqual([full, full, full]);
    const { listed, n } = said[3] as { listed: number; n: number };
    expect(listed).toBe(n - 1);
    expect(said[3]?.kept).toEqual({ kept: 3 });
    expect(said[4]).toEqual(full);
    expect(said[5]).toEqual({ length: 100, keys: ['a/b'] });
    using((registry) => {
      expect(registry.list('server').length).toBe(3 + listed);
      expect(refusal(() => registry.resolve('server', 'big')).code).toBe('unknown_record');
      expect(registry.publish('server', 'many', { n }).version).toBe(n);
      expect(registry.read('server', `many@${n}`)).toEqual({ n });
    });
    const contents = readdirSync(join(folder, 'contents'), { recursive: true }) as string[];
    expect(contents.filter((name) => name.startsWith('parts/'))).toEqual([]);
    expect(contents.filter((name) => name.includes('/')).length).toBe(3 + n);
    expect(readdirSync(join(folder, 'blobs', 'parts'))).toEqual([]);
  });

  it('of a folder nobody may write is said', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(refusal(() => openRegistry({ folder: file })).code).toBe('registry_failed');
    if (process.getuid?.() === 0) return;
    chmodSync(folder, 0o500);
    expect(refusal(() => openRegistry({ folder })).code).toBe('registry_failed');
    chmodSync(folder, 0o700);
  });
});
