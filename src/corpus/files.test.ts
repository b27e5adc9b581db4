import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskError, namesIn, readData, removeFiles, writeJson, writeWhole, writeYaml } from './files.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-files-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('writing', () => {
  it('makes the folders and leaves no part', () => {
    writeWhole(join(dir, 'a', 'b', 'c.txt'), 'text');
    expect(readdirSync(join(dir, 'a', 'b'))).toEqual(['c.txt']);
  });
  it('that fails leaves what was there', () => {
    const path = join(dir, 'kept');
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), 'x');
    expect(() => writeWhole(path, 'text')).toThrow(expect.objectContaining({ code: 'not_a_file', value: path }));
    expect(readdirSync(dir)).toEqual(['kept']);
  });
  it('replaces a link and does not follow it', () => {
    writeFileSync(join(dir, 'mine'), 'mine');
    symlinkSync('mine', join(dir, 'link'));
    writeWhole(join(dir, 'link'), 'new');
    expect([readFileSync(join(dir, 'mine'), 'utf8'), readFileSync(join(dir, 'link'), 'utf8')]).toEqual(['mine', 'new']);
  });
  it('says what is in the way', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(() => writeJson(join(dir, 'file', 'below.json'), 1)).toThrow(
      expect.objectContaining({ code: 'not_a_folder' }),
    );
    expect(() => writeJson(join(dir, 'x'.repeat(400)), 1)).toThrow(expect.objectContaining({ code: 'bad_path' }));
  });
});

describe('reading', () => {
  it.each([
    { a: [1, 'ü', null, true] },
    [],
    'yes',
    '007',
    { 'a: b': '- c\n# d' },
    { t: '2024-01-01', n: '1e3', k: '~' },
  ])('gives back what was written: %j', (value) => {
    writeJson(join(dir, 'a.json'), value);
    writeYaml(join(dir, 'a.yaml'), value);
    expect([readData(join(dir, 'a.json')), readData(join(dir, 'a.yaml'))]).toEqual([value, value]);
  });
  it('refuses what is cut off, and what is not there', () => {
    writeFileSync(join(dir, 'a.json'), '{"a": [1,');
    expect(() => readData(join(dir, 'a.json'))).toThrow(expect.objectContaining({ code: 'unreadable_file' }));
    expect(() => readData(join(dir, 'b.json'))).toThrow(expect.objectContaining({ code: 'missing_file' }));
    expect(() => readData(dir)).toThrow(expect.objectContaining({ code: 'not_a_file' }));
  });
  it('a YAML bomb is refused', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let n = 0; n < 12; n++) {
      const [from, to] = [String.fromCharCode(97 + n), String.fromCharCode(98 + n)];
      bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(',')}]`);
    }
    writeFileSync(join(dir, 'bomb.yaml'), bomb.join('\n'));
    expect(() => readData(join(dir, 'bomb.yaml'))).toThrow(expect.objectContaining({ code: 'unreadable_file' }));
  });
});

describe('what the system says', () => {
  it.each([
    ['ENOSPC', 'write', 'disk_full'],
    ['EDQUOT', 'write', 'disk_full'],
    ['EFBIG', 'write', 'disk_full'],
    ['EROFS', 'write', 'read_only'],
    ['EACCES', 'write', 'read_only'],
    ['EACCES', 'read', 'unreadable_file'],
    ['EPERM', 'write', 'read_only'],
    ['ENOTDIR', 'write', 'not_a_folder'],
    ['EEXIST', 'write', 'not_a_folder'],
    ['EISDIR', 'read', 'not_a_file'],
    ['ELOOP', 'write', 'link_loop'],
    ['ENAMETOOLONG', 'write', 'bad_path'],
    ['EMFILE', 'read', 'too_many_files'],
    ['ENOENT', 'read', 'missing_file'],
    ['ENOENT', 'write', 'disk_error'],
    ['EIO', 'write', 'disk_error'],
  ] as const)('%s on %s is %s', (system, doing, code) => {
    const error = diskError(Object.assign(new Error(`${system}: words, more`), { code: system }), '/some/path', doing);
    expect(error).toMatchObject({ code, value: '/some/path', message: `Cannot ${doing} /some/path: ${system}: words` });
    expect(error.next).toBeTruthy();
  });
});

it('names are sorted; what is gone is none', () => {
  for (const name of ['b', 'a', 'C']) writeFileSync(join(dir, name), '');
  expect(namesIn(dir)).toEqual(['C', 'a', 'b']);
  removeFiles([join(dir, 'a'), join(dir, 'nothing')]);
  expect(namesIn(dir)).toEqual(['C', 'b']);
  expect(namesIn(join(dir, 'nowhere'))).toEqual([]);
});

it('gives up where nothing can be made', () => {
  expect(() => writeJson('/proc/treadle/below/a.json', 1)).toThrow(expect.objectContaining({ name: 'TreadleError' }));
});
