/** The official MCP client against our servers: both transports, every way it can negotiate. */
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SessionDirectory, sessionDirectory } from '../../src/serve/http/directory.js';
import { type Serving, serveHttp } from '../../src/serve/http/serve.js';
import { type NoteHost, noteHost } from './mcp-host.js';

type Mode = 'legacy' | 'auto' | { pin: string };
const CHILD = fileURLToPath(new URL('./mcp-stdio-child.mjs', import.meta.url));

let directory: SessionDirectory;
let serving: Serving;
beforeAll(async () => {
  directory = sessionDirectory();
  serving = await serveHttp({ keeper: directory, port: 0, mcp: { instructions: 'Keep notes.' } });
});
afterAll(() => serving.close());

const clientIn = (mode: Mode, supportedProtocolVersions?: string[]): Client =>
  new Client(
    { name: 'probe', version: '1.0.0' },
    { versionNegotiation: { mode }, ...(supportedProtocolVersions ? { supportedProtocolVersions } : {}) },
  );

const overHttp = (token: string, url = serving.url): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });

const openHttp = async (mode: Mode, versions?: string[]): Promise<{ client: Client; host: NoteHost }> => {
  const host = noteHost();
  const client = clientIn(mode, versions);
  await client.connect(overHttp(directory.open({ host }).token));
  return { client, host };
};

const openStdio = async (mode: Mode): Promise<{ client: Client }> => {
  const client = clientIn(mode);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [CHILD] }));
  return { client };
};

const drive = async (client: Client, anyShape: boolean): Promise<void> => {
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual(['write_note', 'list_notes', 'count_notes', 'drop_note', 'break']);
  expect(tools[0]?.outputSchema?.type).toBe('object');
  expect(tools[1]?.outputSchema?.type).toBe(anyShape ? 'array' : undefined);
  expect(tools[3]?.annotations).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: false });

  const written = await client.callTool({ name: 'write_note', arguments: { title: 'Größe ☃', body: 'abc' } });
  expect(written.isError).toBeUndefined();
  expect(written.structuredContent).toEqual({ title: 'Größe ☃', size: 3 });
  const listed = await client.callTool({ name: 'list_notes' });
  expect(listed.content).toEqual([{ type: 'text', text: '["Größe ☃"]' }]);
  expect(listed.structuredContent).toEqual(anyShape ? ['Größe ☃'] : undefined);
  const counted = await client.callTool({ name: 'count_notes', arguments: {} });
  expect(counted.content).toEqual([{ type: 'text', text: '1' }]);

  const refused = await client.callTool({ name: 'write_note', arguments: {} });
  expect(refused.isError).toBe(true);
  expect(refused.structuredContent).toEqual({
    error: { code: 'missing_argument', message: 'That is missing_argument' },
  });
  await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32602 });
  await expect(client.callTool({ name: 'break' })).rejects.toMatchObject({ code: -32603 });
};

const MODES: { label: string; mode: Mode; version: string }[] = [
  { label: 'legacy', mode: 'legacy', version: '2025-11-25' },
  { label: 'auto', mode: 'auto', version: '2026-07-28' },
  { label: 'pinned', mode: { pin: '2026-07-28' }, version: '2026-07-28' },
];

describe.each(MODES)('the official client, $label', ({ mode, version }) => {
  it('lists and calls over HTTP', async () => {
    const { client, host } = await openHttp(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getInstructions()).toBe('Keep notes.');
    expect(client.getServerVersion()?.name).toBe('treadle');
    await drive(client, version === '2026-07-28');
    expect(host.ledger).toHaveLength(5);
    await client.close();
  });

  it('lists and calls over stdio', async () => {
    const { client } = await openStdio(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    await drive(client, version === '2026-07-28');
    await client.close();
  });
});

describe('older clients', () => {
  it.each(['2025-06-18', '2025-03-26', '2024-11-05'])('%s is agreed on and served', async (version) => {
    const { client } = await openHttp('legacy', [version]);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools[0]?.outputSchema === undefined).toBe(version < '2025-06-18');
    expect(tools[0]?.annotations === undefined).toBe(version < '2025-03-26');
    const written = await client.callTool({ name: 'write_note', arguments: { title: 'a' } });
    expect(written.content).toEqual([{ type: 'text', text: '{"title":"a","size":0}' }]);
    await client.close();
  });
});

describe('sessions', () => {
  it('two tokens see two sessions, and each its own path', async () => {
    const [first, second] = [noteHost(), noteHost()];
    const one = directory.open({ host: first });
    const two = directory.open({ host: second });
    const base = serving.url.replace('/mcp', '');
    const [a, b] = [clientIn('legacy'), clientIn('auto')];
    await a.connect(overHttp(one.token));
    await b.connect(overHttp(two.token, `${base}/s/${two.id}/mcp`));
    await a.callTool({ name: 'write_note', arguments: { title: 'of a' } });
    await b.callTool({ name: 'write_note', arguments: { title: 'of b' } });
    expect([...first.notes.keys()]).toEqual(['of a']);
    expect([...second.notes.keys()]).toEqual(['of b']);
    await expect(clientIn('legacy').connect(overHttp(one.token, `${base}/s/${two.id}/mcp`))).rejects.toThrow();
    await a.close();
    await b.close();
  });

  it.each(MODES)('a wrong token gets nowhere, $label', async ({ mode }) => {
    await expect(clientIn(mode).connect(overHttp('trd_wrong'))).rejects.toThrow();
  });

  it('a closed session is told from a living one', async () => {
    const opened = directory.open({ host: noteHost() });
    const client = clientIn('legacy');
    await client.connect(overHttp(opened.token));
    directory.close(opened.id);
    await expect(client.listTools()).rejects.toThrow(/ended/);
    await client.close();
  });
});
