/** Servers that start badly, answer badly or end badly: every time a clear outcome, and nothing left behind. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOOL_NAME } from '../../src/artifacts/service.js';
import type { OutsideExit } from '../../src/serve/outside/service.js';
import { StartQueue } from '../../src/serve/start-queue.js';
import { Hosting, oddSpec, runs, until } from './hosting.js';

let hosting: Hosting;
beforeEach(() => {
  hosting = new Hosting();
});
afterEach(() => hosting.close());

const workspace = (mode = 'plain', more: object = {}) => oddSpec(mode, { keeps: 'workspace', ...more });

describe('starts', () => {
  it.each([
    ['a command that is not there', { stdio: { command: 'no-such-command' } }, 'cannot_start'],
    ['a server that exits at once', 'exits', 'server_start_failed'],
    ['a server that says nothing', 'silent', 'server_start_timeout'],
    ['a server that speaks garbage', 'garbage', 'server_start_timeout'],
    ['a listing that is no listing', 'badlist', 'server_start_failed'],
    ['a listing without end', 'endless', 'server_bad_answer'],
    ['too many tools', 'many', 'too_many_tools'],
    ['a URL where nobody is', { http: { url: 'http://127.0.0.1:1/mcp' } }, 'server_start_failed'],
  ])('%s is told, and leaves nothing', async (_, how, code) => {
    // Short only where waiting is the point: a busy machine must not decide the outcome.
    const limit = code === 'server_start_timeout' ? { startSeconds: 1.5 } : {};
    const spec = typeof how === 'string' ? oddSpec(how, limit) : oddSpec('plain', { transport: how });
    const error = await hosting.open(spec).catch((thrown) => thrown);
    expect(error).toMatchObject({ code });
    if (how === 'exits') expect(error.line()).toContain('no licence key');
    expect(readdirSync(hosting.root)).toEqual([]);
    expect([hosting.starts.running, hosting.starts.waiting]).toEqual([0, 0]);
  });

  it('offers what the description names of too many, and refuses what is not there', async () => {
    const few = await hosting.open(oddSpec('many', { tools: ['tool-3', 'tool-1999'] }));
    expect(few.tools().map(({ name }) => name)).toEqual(['tool_3', 'tool_1999']);
    await expect(hosting.open(oddSpec('plain', { tools: ['echo', 'fly'] }))).rejects.toMatchObject({ value: 'fly' });
  });

  it('serves a server without tools, and one that knows only the new era', async () => {
    expect((await hosting.open(oddSpec('toolless'))).tools()).toEqual([]);
    const modern = await hosting.open(oddSpec('modern'));
    expect(await modern.call('echo', {})).toEqual({ ok: true, result: 'modern' });
  });

  it('waits its turn in the queue, and is called off with it', async () => {
    const starts = new StartQueue(1, 300);
    const late = hosting.open(oddSpec('silent'), { starts });
    const next = hosting.open(oddSpec('plain'), { starts });
    await expect(late).rejects.toMatchObject({ code: 'start_timeout' });
    // Under load the second may be late as well; it must not be stuck.
    await next.catch((thrown) => expect(thrown.code).toBe('start_timeout'));
    await until(() => starts.running === 0);
    await hosting.close();
  });

  it('never takes a folder that holds something', async () => {
    const folder = hosting.folder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'thesis'), 'x');
    await expect(hosting.open(oddSpec('plain'), { folder })).rejects.toMatchObject({ code: 'folder_not_empty' });
    expect(existsSync(join(folder, 'thesis'))).toBe(true);
  });
});

describe('tools', () => {
  it('are listed page by page, marked, described without our paths, and shared by all sessions', async () => {
    const service = await hosting.open(workspace());
    const tools = service.tools();
    expect(tools.length).toBe(21);
    expect(tools.map(({ name }) => name)).not.toContain('nolog');
    expect(tools.find(({ name }) => name === 'echo')).toMatchObject({
      service: 'odd',
      description: 'Does echo in /workspace',
      readOnly: true,
      destructive: false,
    });
    expect(tools.find(({ name }) => name === 'add')).toMatchObject({ readOnly: false, destructive: false });
    expect(tools.find(({ name }) => name === 'count')).toMatchObject({ readOnly: false, destructive: true });
    const other = await hosting.open(workspace());
    expect(other.tools().every((tool, i) => tool === tools[i])).toBe(true);
  });

  it('get names that every protocol takes', async () => {
    const service = await hosting.open(oddSpec('names', { prefix: 'p_' }));
    const plain = await hosting.open(oddSpec('names'));
    for (const tools of [service.tools(), plain.tools()]) {
      expect(tools.filter(({ name }) => !TOOL_NAME.test(name))).toEqual([]);
      expect(new Set(tools.map(({ name }) => name.toLowerCase())).size).toBe(10);
    }
    expect(plain.tools().map(({ name }) => name)).toEqual(
      expect.arrayContaining(['odd_reset', 'odd_Reset_2', 'a_b', 'a_b_2', 'a_b_3', 'odd_1st']),
    );
    expect(service.tools()[0]?.name).toBe('p_reset');
  });
});

describe('calls', () => {
  it('give structured content, or text with the rest described', async () => {
    const service = await hosting.open(workspace());
    expect(await service.call('echo', { a: ['ü', null, 1.5] })).toEqual({ ok: true, result: { a: ['ü', null, 1.5] } });
    expect(await service.call('blocks', {})).toEqual({
      ok: true,
      result: 'one\n[image image/png, 3 bytes]\n[resource test://a]\ntwo\n[resource test://c, unknown type, 6 bytes]',
    });
    expect(await service.call('stray', undefined)).toEqual({ ok: true, result: 'fine' });
  });

  it('show the folder as /workspace, both ways', async () => {
    const service = await hosting.open(workspace());
    const { result } = await service.call('where', {});
    expect(result).toMatch(/^In \/workspace, \/workspace\/log and \/.*x; false$/);
    const { result: echoed } = await service.call('echo', {
      path: '/workspace/a',
      uri: 'file:///workspace/b',
      other: '/workspaces/c',
      prose: 'see /workspace/a',
    });
    expect(echoed).toEqual({
      path: '/workspace/a',
      uri: 'file:///workspace/b',
      other: '/workspaces/c',
      prose: 'see /workspace/a',
    });
    await service.call('add', { line: '/workspace/in' });
    expect(readFileSync(join(hosting.root, 'f0', 'log'), 'utf8')).toBe(`${join(hosting.root, 'f0')}/in\n`);
  });

  it('see nothing of our environment', async () => {
    process.env.SOME_SECRET = 'hunter2';
    const spec = oddSpec('plain');
    if (!('stdio' in spec.transport)) throw new Error('no process');
    const service = await hosting.open({
      ...spec,
      transport: { stdio: { ...spec.transport.stdio, env: { DATA: '{workspace}/data' } } },
    });
    const { result } = await service.call('secrets', {});
    delete process.env.SOME_SECRET;
    expect(result).not.toContain('hunter2');
    expect(JSON.parse(String(result))).toMatchObject({
      HOME: '/workspace',
      TMPDIR: '/workspace',
      DATA: '/workspace/data',
    });
  });

  const agents = { fault: 'agent' };
  const ours = { fault: 'infrastructure', status: 502 };
  it.each([
    ['nothing_such', {}, { ...agents, code: 'unknown_tool', status: 404 }],
    ['nolog', {}, { ...agents, code: 'unknown_tool', status: 404 }],
    ['echo', [1], { ...agents, code: 'invalid_arguments', status: 400 }],
    ['echo', 'text', { ...agents, code: 'invalid_arguments', status: 400 }],
    ['echo', JSON.parse('{"__proto__": 1}'), { ...agents, code: 'invalid_arguments', status: 400 }],
    ['fails', {}, { ...agents, code: 'tool_error', status: 400 }],
    ['refuses', {}, { ...agents, code: 'invalid_arguments', status: 400 }],
    ['huge', {}, { ...agents, code: 'result_too_large', status: 413 }],
    ['internal', {}, { ...ours, code: 'server_error' }],
    ['garble', {}, { ...ours, code: 'server_bad_answer' }],
    ['badshape', {}, { ...ours, code: 'server_bad_answer' }],
    ['deep', {}, { ...ours, code: 'server_bad_answer' }],
    ['hang', {}, { fault: 'infrastructure', code: 'server_timeout', status: 504 }],
  ])('%s with %j fails as it should, and the next one works', async (tool, args, error) => {
    const service = await hosting.open(oddSpec('plain', tool === 'hang' ? { callSeconds: 4 } : {}));
    const outcome = await service.call(tool, args);
    expect(outcome).toMatchObject({ ok: false, error });
    expect(outcome.result).toMatchObject({ error: { code: error.code } });
    expect(JSON.stringify(outcome.result)).not.toContain(hosting.root);
    expect(await service.call('echo', { n: 1 })).toEqual({ ok: true, result: { n: 1 } });
  });

  it('run one after the other, and can be cut', async () => {
    const service = await hosting.open(oddSpec('plain'));
    const counted = await Promise.all(Array.from({ length: 20 }, () => service.call('count', {})));
    expect(counted.map(({ result }) => result)).toEqual(Array.from({ length: 20 }, (_, i) => String(i + 1)));
    const [cut, cutBehind] = [new AbortController(), new AbortController()];
    const hung = service.call('hang', {}, cut.signal);
    const behind = service.call('count', {}, cutBehind.signal);
    setTimeout(() => cutBehind.abort(), 20);
    // At once, though the one before it still runs.
    expect((await behind).error).toMatchObject({ code: 'call_cut', status: 504 });
    cut.abort();
    expect((await hung).error?.code).toBe('call_cut');
    expect((await service.call('count', {}, AbortSignal.abort())).error?.code).toBe('call_cut');
    expect((await service.call('count', {})).result).toBe('21');
  });

  it("an answer that is a dying server's last still counts", async () => {
    const service = await hosting.open(oddSpec('plain'));
    expect(await service.call('lastwords', {})).toEqual({ ok: true, result: 'farewell' });
  });
});

describe('ends', () => {
  it('a crash is told with its stderr; what nobody can restore is not started again', async () => {
    const exits: OutsideExit[] = [];
    const service = await hosting.open(oddSpec('plain'), { onExit: (exit) => exits.push(exit) });
    for (const tool of ['crash', 'echo', 'echo'])
      expect((await service.call(tool, {})).error).toEqual({
        code: 'server_gone',
        fault: 'infrastructure',
        status: 502,
      });
    await until(() => exits.length > 0);
    expect(exits).toEqual([{ code: 7, signal: null, stderr: 'about to crash\n', startsAgain: false }]);
    await expect(service.fork(hosting.folder())).rejects.toMatchObject({ code: 'not_forkable' });
    await expect(service.save(hosting.folder())).rejects.toMatchObject({ code: 'not_forkable' });
    await expect(service.load(hosting.root)).rejects.toMatchObject({ code: 'not_forkable' });
    expect(service.canFork).toBe(false);
  });

  it.each(['crash', 'halve', 'flood'])(
    'after %s, one whose state is its folder is started again, three times',
    async (tool) => {
      const exits: OutsideExit[] = [];
      const onExit = (exit: OutsideExit): void => {
        exits.push(exit);
        throw new Error('a defect of the listener');
      };
      const service = await hosting.open(workspace(), { onExit });
      await service.call('add', { line: 'kept' });
      for (let i = 0; i < 3; i++) {
        expect((await service.call(tool, {})).error?.code).toBe('server_gone');
        expect((await service.call('add', { line: String(i) })).result).toContain('kept\n');
      }
      expect((await service.call(tool, {})).error?.code).toBe('server_gone');
      expect((await service.call('echo', {})).error?.code).toBe('server_gone');
      await until(() => exits.length === 4);
      expect(exits.map(({ startsAgain }) => startsAgain)).toEqual([true, true, true, false]);
      // Its state is still there, and may be kept.
      await service.save(hosting.folder());
    },
  );

  it('one that cannot be started again stays gone, and says so', async () => {
    const service = await hosting.open(workspace('secondfails'));
    expect((await service.call('crash', {})).error?.code).toBe('server_gone');
    for (let i = 0; i < 5; i++) expect((await service.call('echo', {})).error?.code).toBe('server_gone');
  });

  it('closing breaks off what runs, ends what ignores signals with its children, and removes the folder', async () => {
    const service = await hosting.open(workspace('stubborn'));
    const pids = readFileSync(join(hosting.root, 'f0', 'pids'), 'utf8')
      .split(' ')
      .map(Number);
    expect(pids.map(runs)).toEqual([true, true]);
    const hung = service.call('hang', {});
    const behind = service.call('echo', {});
    const forked = service.fork(hosting.folder()).catch((thrown) => thrown);
    await sleep(50);
    await service.close();
    expect((await hung).error?.code).toBe('server_closed');
    expect((await behind).error?.code).toBe('server_closed');
    expect(await forked).toMatchObject({ code: 'server_closed' });
    expect(pids.map(runs)).toEqual([false, false]);
    expect(readdirSync(hosting.root)).toEqual([]);
    await service.close();
    expect((await service.call('echo', {})).error?.code).toBe('server_closed');
  });

  it('a server that spins for ever times out and can be closed', async () => {
    const service = await hosting.open(oddSpec('plain', { callSeconds: 0.3 }));
    expect((await service.call('spin', {})).error?.code).toBe('server_timeout');
    expect((await service.call('echo', {})).error?.code).toBe('server_timeout');
    await service.close();
    expect(readdirSync(hosting.root)).toEqual([]);
  });
});

describe('state', () => {
  it('pauses and goes on', async () => {
    const service = await hosting.open(oddSpec('plain'));
    await service.call('count', {});
    await service.pause();
    expect((await service.call('count', {})).error).toEqual({
      code: 'server_paused',
      fault: 'infrastructure',
      status: 409,
    });
    await service.resume();
    expect((await service.call('count', {})).result).toBe('2');
    await service.pause();
  });

  it('forks what keeps nothing by starting another, with the same tools', async () => {
    const service = await hosting.open(oddSpec('plain', { keeps: 'nothing' }));
    await service.call('count', {});
    const branch = hosting.keep(await service.fork(hosting.folder()));
    expect(branch.tools()).toEqual(service.tools());
    expect([(await branch.call('count', {})).result, (await service.call('count', {})).result]).toEqual(['1', '2']);
  });

  it('forks, saves and loads what keeps its folder, paths included', async () => {
    const service = await hosting.open(workspace());
    await service.call('add', { line: '1' });
    const branches = await Promise.all([hosting.folder(), hosting.folder()].map((folder) => service.fork(folder)));
    for (const branch of branches) hosting.keep(branch);
    const saved = hosting.folder();
    await service.save(saved);
    expect((await branches[0]!.call('add', { line: '2a' })).result).toBe('1\n2a\n');
    expect((await branches[1]!.call('add', { line: '2b' })).result).toBe('1\n2b\n');
    expect((await branches[1]!.call('where', {})).result).toMatch(/^In \/workspace, .*true$/);
    expect((await service.call('add', { line: '2' })).result).toBe('1\n2\n');
    await branches[0]!.load(saved);
    expect((await branches[0]!.call('add', { line: '3' })).result).toBe('1\n3\n');
    await service.load(saved);
    await service.load(saved);
    expect((await service.call('add', { line: '4' })).result).toBe('1\n4\n');
  });

  it('a fork or a load that fails leaves the origin as it was, and nothing half-made', async () => {
    const service = await hosting.open(workspace(), { limits: { bytes: 1_000, entries: 10 } });
    await service.call('add', { line: 'x'.repeat(2_000) });
    const before = readdirSync(hosting.root);
    await expect(service.fork(hosting.folder())).rejects.toMatchObject({ code: 'folder_too_large' });
    await expect(service.fork(join(hosting.root, 'f0', 'in'))).rejects.toMatchObject({ code: 'folder_failed' });
    await expect(service.load(hosting.folder())).rejects.toMatchObject({ code: 'folder_failed' });
    expect(readdirSync(hosting.root)).toEqual(before);
    expect((await service.call('echo', { still: 'here' })).ok).toBe(true);
  });

  it('a branch that cannot start takes its copy with it', async () => {
    const service = await hosting.open(workspace('secondfails'));
    await service.call('add', { line: '1' });
    await expect(service.fork(hosting.folder())).rejects.toMatchObject({ code: 'server_start_failed' });
    expect(readdirSync(hosting.root)).toEqual(['f0']);
    expect((await service.call('add', { line: '2' })).result).toBe('1\n2\n');
  });
});
