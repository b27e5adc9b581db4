/** Lockfiles that are none: edited, of another version, or made to reach where they should not. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TreadleError } from '../../errors.js';
import { corpusDifferences, differenceWords, exportDifferences } from './compare.js';
import { type LockBody, readLock, sealed, writeLock } from './lock.js';
import { datasetHashes, lockedExport, writeRecord } from './record.js';

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)];
const body = (): LockBody => ({
  treadle: 'lock/1',
  version: '0.1.0',
  worlds: {
    w: {
      hash: A,
      snapshot: A,
      services: { billing: A },
      tasks: { t: A },
      traces: [
        {
          id: 'one',
          hash: A,
          again: { task: 't', policy: 'reference', seed: '1', index: 0, user: 'none', detail: 'full' },
        },
        { id: 'two', hash: A },
      ],
    },
  },
  files: { 'reviews.jsonl': A },
  exports: [{ dir: 'sft', command: ['export', '--all'], inputs: {}, files: { 'README.md': A } }],
});

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
  file = join(dir, 'treadle.lock.json');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const codeOf = (): string => {
  try {
    readLock(file);
    return 'read';
  } catch (thrown) {
    return thrown instanceof TreadleError ? thrown.code : String(thrown);
  }
};
const sealedWith = (change: (lock: LockBody) => void): string => {
  const changed = body();
  change(changed);
  writeFileSync(file, JSON.stringify(sealed(changed)));
  return codeOf();
};

it('what was written is read', () => {
  writeLock(file, body());
  expect(readLock(file)).toEqual(sealed(body()));
});

it.each([
  ['edited', (text: string) => text.replace(A, B), 'changed_file'],
  ['of another version', (text: string) => text.replace('lock/1', 'lock/2'), 'other_version'],
  ['of something else', () => '{"treadle":"corpus/1"}', 'unreadable_file'],
  ['cut off', (text: string) => text.slice(0, -20), 'unreadable_file'],
  ['null', () => 'null', 'unreadable_file'],
  ['empty', () => '', 'unreadable_file'],
  ['a list', () => '[]', 'unreadable_file'],
])('a lockfile that is %s is refused', (_, change, code) => {
  writeLock(file, body());
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  expect(codeOf()).toBe(code);
});
it('one that is not there', () => expect(codeOf()).toBe('missing_file'));

it.each<[string, (lock: LockBody) => void]>([
  [
    'a command that is no export',
    (lock) => {
      lock.exports[0]!.command = ['serve', '/'];
    },
  ],
  [
    'a folder of its own choice',
    (lock) => {
      lock.exports[0]!.command.push('--out', '/tmp/x');
    },
  ],
  [
    'one glued to its option',
    (lock) => {
      lock.exports[0]!.command.push('--out=/tmp/x');
    },
  ],
  [
    'files above',
    (lock) => {
      lock.exports[0]!.files = { '../../x': A };
    },
  ],
  [
    'files anywhere',
    (lock) => {
      lock.exports[0]!.files = { '/etc/passwd': A };
    },
  ],
  [
    'a world that is a path',
    (lock) => {
      lock.worlds = { '../w': lock.worlds.w! };
    },
  ],
  [
    'a task that is a path',
    (lock) => {
      lock.worlds.w!.tasks = { '../t': A };
    },
  ],
  [
    'a policy that it does not know',
    (lock) => {
      Object.assign(lock.worlds.w!.traces[0]!.again!, { policy: 'model' });
    },
  ],
  [
    'a field that it does not know',
    (lock) => {
      Object.assign(lock, { more: 1 });
    },
  ],
])('a well-sealed lockfile with %s is refused', (_, change) => expect(sealedWith(change)).toBe('unreadable_file'));

describe('differences', () => {
  const wordsOf = (change: (now: LockBody) => void, broken: { world: string; why: string }[] = []): string[] => {
    const now = body();
    change(now);
    return corpusDifferences(body(), now, broken).map(differenceWords);
  };
  it.each<[string, (now: LockBody) => void, string[]]>([
    ['nothing', () => {}, []],
    [
      'a version',
      (now) => {
        now.version = '0.2.0';
      },
      ['version Treadle 0.1.0, now 0.2.0 changed'],
    ],
    [
      'a world',
      (now) => {
        now.worlds.w!.hash = B;
      },
      ['world w changed'],
    ],
    [
      'its data',
      (now) => {
        now.worlds.w!.snapshot = B;
      },
      ['snapshot w changed'],
    ],
    [
      'a service',
      (now) => {
        now.worlds.w!.services = { crm: A };
      },
      ['service w/billing is gone', 'service w/crm is new'],
    ],
    [
      'a task',
      (now) => {
        now.worlds.w!.tasks.t = B;
      },
      ['task w/t changed'],
    ],
    [
      'a rollout',
      (now) => {
        now.worlds.w!.traces.pop();
      },
      ['rollout w/two is gone'],
    ],
    [
      'their order',
      (now) => {
        now.worlds.w!.traces.reverse();
      },
      ['order rollouts of w changed'],
    ],
    [
      'a file',
      (now) => {
        now.files = {};
      },
      ['file reviews.jsonl is gone'],
    ],
    [
      'the world itself',
      (now) => {
        now.worlds = {};
      },
      ['world w is gone'],
    ],
  ])('%s', (_, change, words) => expect(wordsOf(change)).toEqual(words));
  it('a world that cannot be read says why', () => {
    expect(
      wordsOf(
        (now) => {
          now.worlds = {};
        },
        [{ world: 'w', why: 'torn' }],
      ),
    ).toEqual(['world w cannot be read: torn']);
  });
  it('of an export, its files and those that it reads', () => {
    const [locked] = body().exports;
    expect(exportDifferences(locked!, undefined).map(differenceWords)).toEqual(['export sft is gone']);
    const now = { files: { 'README.md': B, x: A }, inputs: {} };
    expect(exportDifferences({ ...locked!, inputs: { 'vocab.json': A } }, now).map(differenceWords)).toEqual([
      'file vocab.json is gone',
      'export sft/README.md changed',
      'export sft/x is new',
    ]);
  });
});

it('a dataset is frozen with its command, without what Python leaves beside it', () => {
  const rows = join(dir, 'rows');
  writeRecord(rows, '0.1.0', ['export', 'rl', '--for', 'trl']);
  writeFileSync(join(rows, 'README.md'), '# rows');
  const locked = lockedExport(dir, rows);
  expect([locked.dir, locked.command, Object.keys(locked.files)]).toEqual([
    'rows',
    ['export', 'rl', '--for', 'trl'],
    ['README.md', 'export.json'],
  ]);
  expect(datasetHashes(join(dir, 'none'))).toBeUndefined();
});
