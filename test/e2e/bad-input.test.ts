/** Bad input gets one clear line with the offending value and the next step, a non-zero status, and loses nothing. */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorLine, MAIN, scratch, treadle, treadleBeside } from './cli.js';

const dir = scratch();
const good = join(dir, 'good');

beforeAll(() => {
  const built = treadle(['build', 'a small bakery in Lyon', '--tasks', '3', '--out', good, '--json']);
  expect(built.status, built.stderr).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};

const refused = (args: string[], code: string, says: RegExp): void => {
  const ran = treadle(args);
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
  it('leaves no folder behind', () =>
    expect(['o1', 'o2', 'o3', 'o4'].filter((name) => existsSync(join(dir, name)))).toEqual([]));
});

describe('briefs', () => {
  it('that are empty', () => refused(['build', '   ', '--out', join(dir, 'b1')], 'empty_brief', /treadle build/));
  it('that have no words', () =>
    refused(['build', '!!! ??? 🙂', '--out', join(dir, 'b2')], 'unreadable_brief', /sentence/));
  it('in another language are read, or their defaults are said', () => {
    const ran = treadle(['author', 'Fahrradwerkstatt in Leipzig mit 6 Mitarbeitern', '--json']);
    expect(ran.status).toBe(0);
    expect(JSON.parse(ran.stdout).worlds[0].company.country).toBe('DE');
  });
  it('of 50,000 characters are cut, and that is said', () => {
    const ran = treadle(['author', `A hotel in Porto. ${'We have many rooms and guests. '.repeat(1700)}`, '--json']);
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
    refused(['rollout', to], 'changed_file', /certified with/);
  });
  it('half written: the world that is not whole is not listed, and the build goes on', () => {
    const to = copy('half');
    rmSync(join(to, 'worlds', worldOf(to), 'world.yaml'));
    expect(JSON.parse(treadle(['show', to, '--json']).stdout).worlds).toEqual([]);
    const ran = treadle(['build', 'a small bakery in Lyon', '--tasks', '3', '--out', to, '--json']);
    expect(ran.status, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout).certified).toBe(1);
  });
  it('whose index is lost or torn', () => {
    const to = copy('index');
    writeFileSync(join(to, 'index.json'), '{"treadle": "index/1", "wor');
    expect(JSON.parse(treadle(['show', to, '--json']).stdout).worlds).toHaveLength(1);
  });
  it('of another build', () => refused(['build', 'a hotel in Rome', '--out', good], 'other_build', /--out/));
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
    const isRoot = process.getuid?.() === 0;
    chmodSync(dir, 0o755);
    const ran = treadle(['certify', to], isRoot ? { uid: 65534 } : {});
    spawnSync('chmod', ['-R', 'u+w', to]);
    expect(ran.status, ran.stderr).toBe(2);
    expect(errorLine(ran)).toMatch(/^error read_only: .*--out/);
  });
});

it('a full disk loses nothing that was done, and the same command goes on', () => {
  const to = join(dir, 'full');
  const args = `build "a hotel in Rome" --worlds 2 --tasks 2 --out ${to}`;
  const ran = spawnSync('bash', ['-c', `trap '' XFSZ; ulimit -f 40; exec ${process.execPath} ${MAIN} ${args}`], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  expect(ran.status, ran.stderr).toBe(2);
  expect(ran.stderr).toMatch(/error disk_full: .*run the same command again/);
  const again = treadle(['build', 'a hotel in Rome', '--worlds', '2', '--tasks', '2', '--out', to, '--json']);
  expect(again.status, again.stderr).toBe(0);
  expect(JSON.parse(again.stdout).certified).toBe(2);
});

describe('options', () => {
  it('that are out of range', () => refused(['build', 'a hotel', '--worlds', '0'], 'bad_option', /--worlds/));
  it('that are unknown', () => {
    const ran = treadle(['build', 'a hotel', '--frobnicate']);
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(/unknown option/);
  });
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
  const policy = ['--policy', 'model', '--model', 'm', '--retries', '0', '--timeout', '1'];

  it('that are not named', () => refused(['rollout', good, '--policy', 'model'], 'no_model', /--base-url/));
  it('that are down: rollouts are kept with the problem, and the status says so', async () => {
    const ran = await treadleBeside(['rollout', good, ...policy, '--base-url', 'http://127.0.0.1:9/v1', '--json']);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toMatch(/endpoint_down/);
    expect(JSON.parse(ran.stdout).rollouts).toBe(3);
  });
  it('that answer nonsense', async () => {
    answer = 'nonsense';
    const ran = await treadleBeside(['rollout', good, ...policy, '--base-url', url, '--json']);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toMatch(/bad_response/);
  });
  it('that are slow', async () => {
    answer = 'slow';
    const ran = await treadleBeside(['rollout', good, ...policy, '--base-url', url, '--json']);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toMatch(/endpoint_timeout/);
  });
  it('the reference rollouts made before are still there', () =>
    expect(JSON.parse(treadle(['show', good, '--json']).stdout).worlds[0].passed).toBe(3));
});
