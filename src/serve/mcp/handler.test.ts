import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NoteHost, noteHost } from '../../../test/e2e/mcp-host.js';
import { envelope, VERSION } from '../../../test/e2e/mcp-raw.js';
import type { TreadleError } from '../../errors.js';
import { mcpHandler } from './handler.js';
import { type Reply, textOf } from './messages.js';
import type { Exchange } from './route.js';

const handle = mcpHandler({ server: { name: 'acme', version: '9' } });

interface Parsed {
  status: number;
  body: { id?: unknown; result?: Record<string, unknown>; error?: { code: number; message: string; data?: unknown } };
}

/** A host that answers at once is answered for at once: no promise on the way of a single message. */
const now = (reply: Reply | Promise<Reply>): Reply => {
  if (reply instanceof Promise) throw new Error('a promise where none is due');
  return reply;
};
const parsed = (reply: Reply): Parsed => ({
  status: reply.status,
  body: reply.body === undefined ? {} : JSON.parse(textOf(reply.body)),
});
const ask = (message: unknown, exchange: Exchange = {}, host: NoteHost = noteHost()): Parsed =>
  parsed(now(handle(host, message, exchange)));
const rpc = (method: string, params?: unknown): object => ({ jsonrpc: '2.0', id: 'a', method, params });
const modern = (method: string, params: object = {}, version = VERSION): object =>
  rpc(method, { ...params, _meta: envelope(version) });

describe('the classic era', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('agrees on %s', (version) => {
    const connection: Exchange['connection'] = {};
    const { body } = ask(rpc('initialize', { protocolVersion: version }), { connection });
    expect(body.result).toEqual({
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name: 'acme', version: '9' },
    });
    expect(connection.agreed?.version).toBe(version);
  });

  it('offers its newest for a version it does not know', () => {
    for (const version of ['1999-01-01', '2026-07-28', 'constructor'])
      expect(ask(rpc('initialize', { protocolVersion: version })).body.result?.protocolVersion).toBe('2025-11-25');
    expect(ask(rpc('initialize', {})).body.error?.code).toBe(-32602);
  });

  it('answers ping, and unknown methods with -32601', () => {
    expect(ask(rpc('ping')).body.result).toEqual({});
    for (const method of ['resources/list', 'server/discover', 'toString'])
      expect(ask(rpc(method))).toMatchObject({ status: 200, body: { error: { code: -32601 } } });
  });

  it('refuses a header version nobody serves', () => {
    const answer = ask(rpc('ping'), { headers: { version: '2025-01-01' } });
    expect(answer).toMatchObject({ status: 400, body: { id: 'a', error: { data: { requested: '2025-01-01' } } } });
  });

  it('takes batches in 2025-03-26 only', async () => {
    const host = noteHost();
    const batch = [
      rpc('ping'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      7,
      rpc('tools/call', { name: 'list_notes' }),
    ];
    const answer = await handle(host, batch, { headers: { version: '2025-03-26' } });
    const bodies = JSON.parse(textOf(answer.body ?? '')) as Parsed['body'][];
    expect(bodies.map((body) => body.error?.code ?? 'ok')).toEqual(['ok', -32600, 'ok']);
    expect(host.ledger).toHaveLength(1);
    for (const version of ['2025-11-25', '2025-06-18', '2024-11-05', VERSION])
      expect(ask(batch, { headers: { version } })).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
    const odd = [[], Array(101).fill(rpc('ping')), [rpc('initialize', {})], [modern('tools/list')]];
    for (const values of odd) expect(ask(values).status).toBe(400);
    expect(await handle(host, [{ jsonrpc: '2.0', method: 'x' }], {})).toEqual({ status: 202 });
  });

  it('takes responses and notifications in silence', () => {
    const host = noteHost();
    for (const message of [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ])
      expect(handle(host, message, {})).toEqual({ status: 202 });
  });
});

describe('the modern era', () => {
  it('is discovered', () => {
    expect(ask(modern('server/discover')).body.result).toEqual({
      supportedVersions: [VERSION],
      capabilities: { tools: {} },
      ttlMs: 3600000,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'acme', version: '9' } },
    });
  });

  it('marks every result and lets listings be cached privately', () => {
    expect(ask(modern('tools/list')).body.result).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
    const called = ask(modern('tools/call', { name: 'list_notes' })).body.result;
    expect(called).toMatchObject({
      resultType: 'complete',
      structuredContent: [],
      content: [{ type: 'text', text: '[]' }],
    });
    expect(called).not.toHaveProperty('ttlMs');
    expect(ask(modern('tools/call', { name: 'drop_note', arguments: { title: 'x' } })).body.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'not_found' } },
    });
  });

  it('holds the envelope to its form', () => {
    const broken: [Record<string, unknown>, string][] = [
      [{ 'io.modelcontextprotocol/protocolVersion': VERSION }, 'io.modelcontextprotocol/clientCapabilities'],
      [{ ...envelope(), 'io.modelcontextprotocol/protocolVersion': 7 }, 'io.modelcontextprotocol/protocolVersion'],
      [
        { ...envelope(), 'io.modelcontextprotocol/clientCapabilities': [] },
        'io.modelcontextprotocol/clientCapabilities',
      ],
      [{ ...envelope(), 'io.modelcontextprotocol/clientInfo': { name: 'x' } }, 'io.modelcontextprotocol/clientInfo'],
      [{ ...envelope(), 'io.modelcontextprotocol/logLevel': 'loud' }, 'io.modelcontextprotocol/logLevel'],
      [{ ...envelope(), progressToken: {} }, 'progressToken'],
    ];
    for (const [meta, key] of broken)
      expect(ask(rpc('tools/list', { _meta: meta }))).toMatchObject({
        status: 400,
        body: { error: { code: -32602, data: { envelope: { key } } } },
      });
    expect(ask(rpc('tools/list'), { headers: { version: VERSION } })).toMatchObject({
      status: 400,
      body: { error: { code: -32602, data: { envelope: { missing: ['_meta'] } } } },
    });
  });

  it('names what it serves to a version it does not', () => {
    for (const version of ['2027-01-01', '2025-11-25'])
      expect(ask(modern('tools/list', {}, version))).toMatchObject({
        status: 400,
        body: { error: { code: -32022, data: { supported: [VERSION], requested: version } } },
      });
  });

  it('is not opened by a handshake', () => {
    const answer = ask(rpc('initialize', { protocolVersion: '2025-11-25' }), { headers: { version: VERSION } });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
    expect(ask(modern('initialize'))).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
  });

  it('refuses a contradicting notification and a response nobody asked for', () => {
    const headers = { version: VERSION, method: 'notifications/other' };
    expect(ask({ jsonrpc: '2.0', method: 'notifications/x' }, { headers }).body.error?.code).toBe(-32020);
    expect(ask({ jsonrpc: '2.0', method: 'notifications/x' }, { headers: { version: VERSION } }).status).toBe(202);
    expect(ask({ jsonrpc: '2.0', id: 1, result: {} }, { headers: { version: VERSION } }).status).toBe(400);
  });
});

describe('calls', () => {
  it('tells a malformed call from an unfit argument', () => {
    for (const params of [
      {},
      { name: 7 },
      { name: 'list_notes', arguments: [] },
      { name: 'list_notes', arguments: 'x' },
      { name: 'nope' },
    ])
      expect(ask(rpc('tools/call', params))).toMatchObject({ status: 200, body: { error: { code: -32602 } } });
    expect(ask(rpc('tools/call', { name: 'write_note', arguments: { title: 7 } })).body.result).toMatchObject({
      isError: true,
    });
  });

  it('lets the ledger see a call to a tool that does not exist', () => {
    const host = noteHost();
    ask(rpc('tools/call', { name: 'nope' }), {}, host);
    expect(host.ledger.map((entry) => entry.tool)).toEqual(['nope']);
  });

  it('waits for a host that answers later, and outlives one that never should have', async () => {
    const defects: TreadleError[] = [];
    const careful = mcpHandler({ onDefect: (error) => defects.push(error) });
    const sync = noteHost();
    const host = {
      ...sync,
      call: async (tool: string, args: unknown) => {
        await new Promise((resolve) => setImmediate(resolve));
        return sync.call(tool, args);
      },
    };
    const answer = async (name: string): Promise<Parsed> =>
      parsed(await careful(host, rpc('tools/call', { name, arguments: { title: 'x' } }), {}));
    expect((await answer('write_note')).body.result).toMatchObject({ content: [{ type: 'text' }] });
    expect((await answer('nope')).body.error?.code).toBe(-32602);
    expect((await answer('break')).body.error).toEqual({ code: -32603, message: 'The server could not answer' });
    expect(defects.map((error) => error.message)).toEqual(['secret detail of the host']);
  });

  it('has one page of tools', () => {
    expect(ask(rpc('tools/list', { cursor: 'x' })).body.error?.code).toBe(-32602);
  });

  it('reports a host that throws, and goes on', () => {
    const defects: TreadleError[] = [];
    const careful = mcpHandler({ onDefect: (error) => defects.push(error) });
    const host = {
      ...noteHost(),
      tools: () => {
        throw new Error('no tools today');
      },
    };
    expect(parsed(now(careful(host, rpc('tools/list'), {}))).body.error?.code).toBe(-32603);
    expect(parsed(now(careful(host, rpc('tools/call', { name: 'break' }), {}))).body.error?.code).toBe(-32603);
    expect(defects.map((error) => error.message)).toEqual(['no tools today', 'secret detail of the host']);
  });
});

describe('anything at all', () => {
  const key = fc.constantFrom(
    'jsonrpc',
    'id',
    'method',
    'params',
    '_meta',
    'name',
    'arguments',
    'result',
    '__proto__',
    ...Object.keys(envelope()),
  );
  const leaf = fc.oneof(
    fc.constantFrom('2.0', 'tools/call', 'tools/list', 'initialize', VERSION, '2025-11-25', 'write_note', {}, null),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'medium' }, leaf, tie('object'), fc.array(tie('value'), { maxLength: 3 })),
    object: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  }));
  const header = fc.option(fc.constantFrom('', VERSION, '2025-11-25', '2025-03-26', 'tools/call', '=?base64?'), {
    nil: undefined,
  });
  const message = fc.oneof(value, fc.record({ jsonrpc: fc.constant('2.0'), id: leaf, method: leaf, params: value }));

  it('gets one well-formed reply and never an exception', async () => {
    await fc.assert(
      fc.asyncProperty(message, header, header, header, async (sent, version, method, name) => {
        const value: unknown = JSON.parse(JSON.stringify(sent) ?? 'null');
        const reply = await handle(noteHost(), value, { headers: { version, method, name } });
        expect([200, 202, 400, 404]).toContain(reply.status);
        expect(reply.body === undefined).toBe(reply.status === 202);
        for (const body of reply.body === undefined ? [] : [JSON.parse(textOf(reply.body))].flat()) {
          expect(body.jsonrpc).toBe('2.0');
          expect('result' in body).toBe(!('error' in body));
          expect(body.id === null || ['string', 'number'].includes(typeof body.id)).toBe(true);
        }
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});
