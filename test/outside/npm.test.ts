/** Outside MCP servers from npm, hosted and driven as a session does it. */

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OutsideSpec, parseOutsideSpec } from '../../src/serve/outside/spec.js';
import { Hosting } from './hosting.js';

const { resolve } = createRequire(import.meta.url);
/** The packages export nothing, so their entry is found beside their package.json's folder. */
const entry = (name: string): string =>
  join(dirname(dirname(resolve(`@modelcontextprotocol/client`))), '..', name, 'dist', 'index.js');

const npmSpec = (id: string, args: string[], keeps: string, env: Record<string, string> = {}): OutsideSpec =>
  parseOutsideSpec({
    treadle: 'server/1',
    id,
    title: id,
    transport: { stdio: { command: process.execPath, args: [entry(`server-${id}`), ...args], env } },
    keeps,
  });

const filesystem = (): OutsideSpec => npmSpec('filesystem', ['{workspace}'], 'workspace');
const memory = (): OutsideSpec => npmSpec('memory', [], 'workspace', { MEMORY_FILE_PATH: '{workspace}/memory.jsonl' });

let hosting: Hosting;
beforeEach(() => {
  hosting = new Hosting();
});
afterEach(() => hosting.close());

it('server-filesystem: its state is its folder, and branches go their own ways', async () => {
  const service = await hosting.open(filesystem());
  const tools = new Map(service.tools().map((tool) => [tool.name, tool]));
  expect(tools.get('read_text_file')).toMatchObject({ service: 'filesystem', readOnly: true, destructive: false });
  expect(tools.get('write_file')).toMatchObject({ readOnly: false, destructive: true });
  expect(tools.get('write_file')?.inputSchema).toMatchObject({ type: 'object', required: ['path', 'content'] });

  const write = { path: '/workspace/notes.txt', content: 'one' };
  expect(await service.call('write_file', write)).toEqual({
    ok: true,
    result: { content: 'Successfully wrote to /workspace/notes.txt' },
  });
  const read = { path: '/workspace/notes.txt' };
  expect((await service.call('read_text_file', read)).result).toEqual({ content: 'one' });
  expect((await service.call('list_allowed_directories', {})).result).toEqual({
    content: 'Allowed directories:\n/workspace',
  });

  const branches = await Promise.all(['a', 'b'].map((name) => service.fork(join(hosting.root, name))));
  for (const branch of branches) hosting.keep(branch);
  await branches[0]!.call('write_file', { ...write, content: 'two' });
  await branches[1]!.call('move_file', { source: '/workspace/notes.txt', destination: '/workspace/moved.txt' });
  const listed = await Promise.all(
    [service, ...branches].map(async (each) => [
      (await each.call('read_text_file', read)).result,
      (await each.call('list_directory', { path: '/workspace' })).result,
    ]),
  );
  expect(listed[0]).toEqual([{ content: 'one' }, { content: '[FILE] notes.txt' }]);
  expect(listed[1]).toEqual([{ content: 'two' }, { content: '[FILE] notes.txt' }]);
  expect(listed[2]?.[0]).toMatchObject({ error: { code: 'tool_error' } });
  expect(listed[2]?.[1]).toEqual({ content: '[FILE] moved.txt' });
  // Nobody reaches another's folder, or learns where it is.
  const stolen = await branches[0]!.call('read_text_file', { path: join(hosting.root, 'f0', 'notes.txt') });
  expect(stolen).toMatchObject({ ok: false, error: { code: 'tool_error', fault: 'agent' } });
  expect(JSON.stringify(stolen.result)).not.toContain(join(hosting.root, 'a'));
});

it('server-memory: saved, loaded and forked', async () => {
  const service = await hosting.open(memory());
  const add = (name: string) => ({ entities: [{ name, entityType: 'person', observations: [`${name} was here`] }] });
  const names = async (of: typeof service): Promise<string[]> => {
    const { result } = await of.call('read_graph', {});
    return (result as { entities: { name: string }[] }).entities.map(({ name }) => name);
  };
  expect((await service.call('create_entities', add('Ada'))).ok).toBe(true);
  const saved = hosting.folder();
  await service.save(saved);
  const branch = hosting.keep(await service.fork(hosting.folder()));
  await service.call('create_entities', add('Bob'));
  await branch.call('create_entities', add('Cleo'));
  expect(await Promise.all([names(service), names(branch)])).toEqual([
    ['Ada', 'Bob'],
    ['Ada', 'Cleo'],
  ]);
  await service.load(saved);
  expect(await names(service)).toEqual(['Ada']);
  await service.pause();
  expect((await service.call('read_graph', {})).error?.code).toBe('server_paused');
  await service.resume();
  const wrong = await service.call('create_entities', { entities: 'none' });
  expect(wrong).toMatchObject({ ok: false, error: { fault: 'agent' } });
  expect(await names(service)).toEqual(['Ada']);
});

it('server-everything: driven, and honest that nobody knows its state', async () => {
  const service = await hosting.open(npmSpec('everything', ['stdio'], 'unknown'));
  expect(service.tools().map(({ name }) => name)).toContain('get_sum');
  expect(await service.call('get_sum', { a: 2, b: 40 })).toMatchObject({
    ok: true,
    result: expect.stringContaining('42'),
  });
  expect(await service.call('get_structured_content', { location: 'Chicago' })).toMatchObject({
    ok: true,
    result: { temperature: expect.any(Number) },
  });
  expect((await service.call('get_tiny_image', {})).result).toContain('[image image/png');
  expect(service.canFork).toBe(false);
  await expect(service.fork(hosting.folder())).rejects.toMatchObject({ code: 'not_forkable' });
  await expect(service.save(hosting.folder())).rejects.toMatchObject({ code: 'not_forkable' });
  await service.close();
  expect(readdirSync(hosting.root)).toEqual([]);
});
