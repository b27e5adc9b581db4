/** Bad input gets one clear line with the offending value and the next step, a non-zero status, and loses nothing. */

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorLine, scratch, treadle } from './cli.js';
import { warm, warmBeside } from './warm/warm.js';

const document = (name: string): string => fileURLToPath(new URL(`../fixtures/documents/${name}`, import.meta.url));
const INPUT = document('billing.yaml');
const DESK = document('tickets.json');

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const good = join(dir, 'good');

beforeAll(() => {
  const built = warm(['build', INPUT, '--tasks', '3', '--out', good, '--json']);
  expect(built.status, built.stderr).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};

const refused = (args: string[], code: string, says: RegExp): void => {
  const ran = warm(args);
  expect(ran.status, ran.stderr + ran.stdout).toBe(2);
  expect(errorLine(ran)).toMatch(new RegExp(`^error ${code}: `));
  expect(errorLine(ran)).toMatch(says);
  expect(ran.stderr).not.toMatch(/\n\s+at /);
};

describe('documents', () => {
  it('that are not OpenAPI', () =>
    refused(['build', file('recipe.json', '{"flour": 500}'), '--out', join(dir, 'o1')], 'not_openapi', /openapi/i));
  it('that are cut off', () =>
    refused(
      ['build', file('cut.json', '{"openapi": "3.0.0", "paths": {"/a": {"get": {'), '--out', join(dir, 'o2')],
      'truncated',
      /cut|end/i,
    ));
  it('that are not there', () =>
    refused(['build', join(dir, 'nowhere.yaml'), '--out', join(dir, 'o3')], 'missing_file', /nowhere\.yaml/));
  it('that nobody can write to', () => {
    const doc = {
      openapi: '3.0.0',
      info: { title: 'Weather', version: '1' },
      paths: Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e'].map((name) => [
          `/${name}s`,
          {
            get: {
              responses: {
                200: {
                  description: 'ok',
                  content: {
                    'application/json': {
                      schema: {
                        type: 'array',
                        items: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } },
                      },
                    },
                  },
                },
              },
            },
          },
        ]),
      ),
    };
    refused(['build', file('weather.json', JSON.stringify(doc)), '--out', join(dir, 'o4')], 'get_only', /write|read/i);
  });
  it('of 20 MB are read', () => {
    const small = JSON.parse(readFileSync(DESK, 'utf8'));
    const doc = { ...small, 'x-history': Array.from({ length: 20_000 }, (_, n) => `${n} ${'x'.repeat(1000)}`) };
    const ran = warm(['author', file('large.json', JSON.stringify(doc)), '--json']);
    expect(ran.status, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout).document.operations).toHaveLength(7);
  });
  it('that are larger than can be read', () => {
    const path = join(dir, 'huge.json');
    writeFileSync(path, '');
    truncateSync(path, 70 << 20);
    refused(['build', path, '--out', join(dir, 'o5')], 'too_large', /limit/);
  });
  it('with references in a circle', () => {
    const ran = warm(['author', document('circular.yaml'), '--json']);
    expect(ran.status, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout).document.entities.length).toBeGreaterThan(0);
  });
  it('with remote references: they are named and not followed', () => {
    const ran = warm(['author', document('remote.yaml'), '--json']);
    expect(ran.status, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout).document.refs.length).toBeGreaterThan(0);
  });
  it('that cannot be fetched', () =>
    refused(['build', 'http://127.0.0.1:9/openapi.json', '--out', join(dir, 'o6')], 'unreachable', /download/));
  it('that are a folder', () => refused(['build', dir, '--out', join(dir, 'o7')], 'not_a_file', /folder/));
  it('that are a path to nowhere', () =>
    refused(['build', './nowhere', '--out', join(dir, 'o7')], 'missing_file', /path/));
  it('leaves no folder behind', () =>
    expect(['o1', 'o2', 'o3', 'o4', 'o5', 'o6', 'o7'].filter((name) => existsSync(join(dir, name)))).toEqual([]));
});

describe('briefs', () => {
  it('that are empty', () => refused(['build', '   ', '--out', join(dir, 'b1')], 'empty_brief', /treadle build/));
  it('that have no words', () =>
    refused(['build', '!!! ??? 🙂', '--out', join(dir, 'b2')], 'unreadable_brief', /sentence/));
  it('leave no folder behind', () => expect(['b1', 'b2'].filter((name) => existsSync(join(dir, name)))).toEqual([]));
  it('full of odd characters are read, and nothing of them reaches the terminal', () => {
    const odd = 'Bäckerei \u202e\u200b\ufeff \u{1f950}\u{1f1eb}\u{1f1f7} 面包店 \u001b[31m в Лионе e\u0301\u0301\u0301';
    const ran = warm(['author', odd]);
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stdout + ran.stderr).not.toContain('\u001b');
    const bad = warm(['build', odd, '--out', join(good, 'treadle.json')]);
    expect(bad.stderr).not.toContain('\u001b');
  });
  it('in another language are read, or their defaults are said', () => {
    const ran = warm(['author', 'Fahrradwerkstatt in Leipzig mit 6 Mitarbeitern', '--json']);
    expect(ran.status).toBe(0);
    expect(JSON.parse(ran.stdout).worlds[0].company.country).toBe('DE');
  });
  it('of 50,000 characters are cut, and that is said', () => {
    const ran = warm(['author', `A hotel in Porto. ${'We have many rooms and guests. '.repeat(1700)}`, '--json']);
    expect(ran.status).toBe(0);
    expect(JSON.stringify(JSON.parse(ran.stdout).worlds[0].brief.evidence)).toMatch(/characters/);
  });
});

describe('corpus folders', () => {
  const copy = (name: string): string => {
    const to = join(dir, name);
    cpSync(good, to, { recursive: true });
    return to;
  };
  const worldOf = (corpus: string): string => readdirSync(join(corpus, 'worlds'))[0] as string;

  it('that are not there', () => refused(['show', join(dir, 'none')], 'no_corpus', /treadle build/));
  it('from another version', () => {
    const to = copy('old');
    writeFileSync(join(to, 'treadle.json'), '{"treadle": "corpus/0"}');
    refused(['show', to], 'other_version', /corpus\/0/);
  });
  it('with an artifact of another version', () => {
    const to = copy('old-task');
    const world = join(to, 'worlds', worldOf(to), 'world.yaml');
    writeFileSync(world, readFileSync(world, 'utf8').replace('world/1', 'world/0'));
    refused(['certify', to], 'other_version', /world\/0/);
  });
  it('with a changed database', () => {
    const to = copy('changed');
    const data = join(to, 'worlds', worldOf(to), 'data');
    writeFileSync(join(data, readdirSync(data)[0] as string), 'not a database');
    refused(['rollout', to, '--again'], 'changed_file', /certified with/);
    // What was kept was made before: it needs no database.
    expect(warm(['rollout', to]).stdout).toContain('had been kept before');
  });
  it('half written: the world that is not whole is not listed, and the build goes on', () => {
    const to = copy('half');
    rmSync(join(to, 'worlds', worldOf(to), 'world.yaml'));
    expect(JSON.parse(warm(['show', to, '--json']).stdout).worlds).toEqual([]);
    const ran = warm(['build', INPUT, '--tasks', '3', '--out', to, '--json']);
    expect(ran.status, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout).certified).toBe(1);
  });
  it('whose index is lost or torn', () => {
    const to = copy('index');
    writeFileSync(join(to, 'index.json'), '{"treadle": "index/1", "wor');
    expect(JSON.parse(warm(['show', to, '--json']).stdout).worlds).toHaveLength(1);
  });
  it('of another build', () => refused(['build', 'a hotel in Rome', '--out', good], 'other_build', /--out/));
  it('that are a file', () => {
    const path = file('a-file', 'mine');
    refused(['build', 'a hotel in Rome', '--out', path], 'not_a_folder', /--out/);
    refused(['build', 'a hotel in Rome', '--out', join(path, 'below')], 'not_a_folder', /--out/);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });
  it('that nothing can be written to', () => {
    refused(['build', 'a hotel in Rome', '--out', '/dev/full'], 'not_a_folder', /--out/);
    const ran = warm(['build', 'a hotel in Rome', '--out', '/proc/treadle']);
    expect([ran.status, errorLine(ran)]).toEqual([2, expect.stringMatching(/^error \w+: Cannot write .*--out/)]);
    refused(['build', 'a hotel in Rome', '--out', join(dir, 'x'.repeat(300))], 'bad_path', /shorter/);
  });
  it.each(['../../etc', '..', ''])('with the world "%s"', (world) => {
    for (const args of [
      ['rollout', good, '--world', world],
      ['show', good, world],
    ]) {
      const ran = warm(args);
      expect([ran.status, errorLine(ran)]).toEqual([2, expect.stringMatching(/^error no_(world|such_id): /)]);
    }
  });
  it('that are links, or hold some: what lies elsewhere is not written through', () => {
    const to = copy('linked');
    const link = join(dir, 'link');
    symlinkSync(to, link);
    expect(JSON.parse(warm(['show', link, '--json']).stdout).worlds).toHaveLength(1);
    const elsewhere = file('elsewhere.json', '{"mine": true}');
    rmSync(join(to, 'index.json'));
    symlinkSync(elsewhere, join(to, 'index.json'));
    expect(JSON.parse(warm(['show', link, '--json']).stdout).worlds).toHaveLength(1);
    expect(readFileSync(elsewhere, 'utf8')).toBe('{"mine": true}');
    symlinkSync('loop', join(dir, 'loop'));
    refused(['build', 'a hotel in Rome', '--out', join(dir, 'loop')], 'link_loop', /circle/);
    rmSync(join(to, 'worlds'), { recursive: true });
    symlinkSync('worlds', join(to, 'worlds'));
    expect(warm(['show', to]).stdout).toMatch(/no world/);
  });
  it('with files that were edited into nonsense', () => {
    const to = copy('edited');
    const tasks = join(to, 'worlds', worldOf(to), 'tasks', 'index.json');
    for (const text of ['null', '{"tasks": [{"id": "../../../etc/passwd"}], "dropped": []}']) {
      writeFileSync(tasks, text);
      refused(['rollout', to], 'unreadable_file', /index\.json/);
    }
    writeFileSync(join(to, 'build.json'), '{"treadle": "build/1"}');
    refused(['build', INPUT, '--tasks', '3', '--out', to], 'unreadable_file', /build\.json/);
    writeFileSync(join(to, 'treadle.json'), 'null');
    refused(['show', to], 'other_version', /corpus\/1/);
  });
  it("that are someone's folder", () => {
    const to = join(dir, 'photos');
    mkdirSync(to);
    writeFileSync(join(to, 'cat.jpg'), '');
    refused(['build', 'a hotel in Rome', '--out', to], 'not_empty', /--out/);
    expect(readdirSync(to)).toEqual(['cat.jpg']);
  });
  it('that are read-only', () => {
    const to = copy('locked');
    spawnSync('chmod', ['-R', 'a-w', to]);
    const ran = treadle(['certify', to], { bound: true });
    spawnSync('chmod', ['-R', 'u+w', to]);
    expect(ran.status, ran.stderr).toBe(2);
    expect(errorLine(ran)).toMatch(/^error read_only: .*--out/);
  });
});

describe('options', () => {
  it('that are out of range', () => refused(['build', 'a hotel', '--worlds', '0'], 'bad_option', /--worlds/));
  it('that are unknown', () => {
    refused(['build', 'a hotel', '--frobnicate'], 'bad_usage', /unknown option '--frobnicate'.*build --help/);
    refused(['biuld', 'a hotel'], 'bad_usage', /unknown command 'biuld'.*build/);
    refused(['build'], 'bad_usage', /nothing to build from.*--briefs/);
    refused(['show', good, 'a', 'b'], 'bad_usage', /too many arguments/);
  });
  it.each([
    ['rollout', '--retries', 'many'],
    ['rollout', '--temperature', 'hot'],
    ['export', '--validation', '2'],
    ['serve', '--port', '99999'],
    ['tasks', '--seed', ' '],
  ])('%s %s %s', (command, option, value) => refused([command, good, option, value], 'bad_option', new RegExp(option)));
  it('with a seed without end', () =>
    refused(['build', 'a hotel', '--seed', 's'.repeat(100_000)], 'bad_option', /--seed .*100000 characters/));
  it('with an empty folder', () => refused(['build', 'a hotel', '--out', ''], 'bad_option', /--out/));
  it('with unknown pins', () => refused(['author', 'a hotel', '--country', 'XX'], 'unknown_country', /XX/));
});

describe('model endpoints', () => {
  let server: Server;
  let url = '';
  let answer: 'slow' | 'nonsense' = 'nonsense';
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      if (answer === 'nonsense') response.end('<html>hello</html>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const policy = ['--policy', 'model', '--model', 'm', '--retries', '0'];

  it('that are not named', () => refused(['rollout', good, '--policy', 'model'], 'no_model', /--base-url/));
  it('that are down: rollouts are kept with the problem, and the status says so', async () => {
    const ran = await warmBeside(['rollout', good, ...policy, '--base-url', 'http://127.0.0.1:9/v1', '--json']);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toMatch(/endpoint_down/);
    expect(JSON.parse(ran.stdout)).toMatchObject({ rollouts: 3, unfinished: 3, passed: 0, passRate: null });
  });
  it('that answer nonsense', async () => {
    answer = 'nonsense';
    const ran = await warmBeside(['rollout', good, ...policy, '--base-url', url, '--json']);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toMatch(/bad_response/);
  });
  it('that are slow', async () => {
    answer = 'slow';
    const ran = await warmBeside(['rollout', good, ...policy, '--timeout', '1', '--base-url', url, '--json']);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toMatch(/endpoint_timeout/);
  });
  it('the reference rollouts made before are still there', () =>
    expect(JSON.parse(warm(['show', good, '--json']).stdout).worlds[0]).toMatchObject({
      passed: 3,
      producers: { reference: { rollouts: 3, unfinished: 0, passed: 3 }, m: { unfinished: 3, passed: 0 } },
    }));
});
