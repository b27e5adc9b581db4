/** A tiny MCP server over stdio that misbehaves as its first argument says. Hand-written, so that it can break every rule. */

import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

const mode = process.argv[2] ?? 'plain';
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const object = { type: 'object', properties: {} };

const TOOLS = [
  'echo',
  'add',
  'count',
  'where',
  'crash',
  'hang',
  'garble',
  'halve',
  'flood',
  'huge',
  'stray',
  'fails',
  'refuses',
  'internal',
  'deep',
  'blocks',
  'spin',
  'secrets',
  'badshape',
  'lastwords',
  'asks',
  'nolog',
];
const listed = () => {
  if (mode === 'many') return Array.from({ length: 2_000 }, (_, i) => ({ name: `tool-${i}`, inputSchema: object }));
  if (mode === 'names')
    return ['reset', 'Reset', 'a.b', 'a-b', 'a b', '1st', 'ünï', 'x'.repeat(200), `${'x'.repeat(200)}y`, ''].map(
      (name) => ({ name, inputSchema: object }),
    );
  if (mode === 'badlist') return [{ name: 7 }];
  return TOOLS.map((name) => ({
    name,
    description: `Does ${name} in ${process.cwd()}`,
    inputSchema: object,
    ...(name === 'echo' ? { annotations: { readOnlyHint: true } } : {}),
    ...(name === 'add' ? { annotations: { destructiveHint: false } } : {}),
    ...(name === 'nolog' ? { execution: { taskSupport: 'required' } } : {}),
  }));
};

const inMemory = { count: 0 };
const call = (id, name, args) => {
  const answer = (result) => write({ id, result });
  switch (name) {
    case 'echo':
      return answer({ ...text(JSON.stringify(args)), structuredContent: args });
    case 'add':
      appendFileSync('log', `${args.line}\n`);
      return answer(text(readFileSync('log', 'utf8')));
    case 'count':
      return answer(text(String(++inMemory.count)));
    case 'where':
      return answer(text(`In ${process.cwd()}, ${process.cwd()}/log and ${process.cwd()}x; ${existsSync('log')}`));
    case 'crash':
      appendFileSync('log', 'crashed\n');
      process.stderr.write('about to crash\n');
      return process.exit(7);
    case 'lastwords':
      return process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: text('farewell') })}\n`, () =>
        process.exit(0),
      );
    case 'hang':
      return undefined;
    case 'spin':
      for (;;);
    case 'garble':
      return process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[}\n`);
    case 'halve':
      return process.stdout.write(`{"jsonrpc":"2.0","id":${id},"resu`, () => process.exit(0));
    case 'flood': {
      const more = () => process.stdout.write('x'.repeat(1 << 20), more);
      return more();
    }
    case 'huge':
      return answer(text('x'.repeat(17 * 1024 * 1024)));
    case 'stray':
      process.stdout.write('Listening on 3000\n\n[info] called\n');
      write({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
      write({ method: 'notifications/tools/list_changed' });
      write({ id: 987654, result: {} });
      write({ id: 'ask', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
      return answer(text('fine'));
    case 'fails':
      return answer({ ...text(`no such file in ${process.cwd()}/x`), isError: true });
    case 'refuses':
      return write({ id, error: { code: -32602, message: `bad argument in ${process.cwd()}` } });
    case 'internal':
      return write({ id, error: { code: -32603, message: 'it broke' } });
    case 'deep':
      return process.stdout.write(
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}}\n`,
      );
    case 'badshape':
      return answer({ content: 'none' });
    case 'blocks':
      return answer({
        content: [
          { type: 'text', text: 'one' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'resource_link', uri: 'test://a', name: 'a' },
          { type: 'resource', resource: { uri: 'test://b', text: 'two' } },
          { type: 'resource', resource: { uri: 'test://c', blob: 'AAAAAAAA' } },
        ],
      });
    case 'secrets':
      return answer(text(JSON.stringify(process.env)));
    default:
      return write({ id, error: { code: -32602, message: `Unknown tool ${name}` } });
  }
};

const handle = ({ id, method, params }) => {
  if (method === 'initialize' && mode === 'modern')
    return write({ id, error: { code: -32601, message: 'Method not found' } });
  if (method === 'initialize')
    return write({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: mode === 'toolless' ? {} : { tools: {} },
        serverInfo: { name: 'odd', version: '1' },
      },
    });
  if (method === 'server/discover' && mode === 'modern')
    return write({
      id,
      result: {
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
      },
    });
  const modern = mode === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  if (method === 'tools/list' && mode === 'endless')
    return write({
      id,
      result: { tools: [{ name: `t${Math.random()}`, inputSchema: object }], nextCursor: `${Math.random()}` },
    });
  if (method === 'tools/list') {
    const all = listed();
    const from = Number(params?.cursor ?? 0);
    const next = from + 7 < all.length && mode !== 'many' ? { nextCursor: String(from + 7) } : {};
    return write({ id, result: { ...modern, tools: mode === 'many' ? all : all.slice(from, from + 7), ...next } });
  }
  if (method === 'tools/call' && mode === 'modern') return write({ id, result: { ...modern, ...text('modern') } });
  if (method === 'tools/call') return call(id, params.name, params.arguments ?? {});
  if (method === 'ping') return write({ id, result: {} });
  if (id !== undefined && method !== undefined) write({ id, error: { code: -32601, message: 'Method not found' } });
};

if (mode === 'exits') {
  process.stderr.write('no licence key\n');
  process.exit(1);
}
if (mode === 'garbage') setInterval(() => process.stdout.write('{"what": \n\u0000\u0001}\n'), 5);
if (mode === 'stubborn') {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000)'], {
    stdio: 'inherit',
  });
  writeFileSync('pids', `${process.pid} ${child.pid}`);
}
if (mode === 'marker') appendFileSync('starts', 'x');
if (mode === 'secondfails' && existsSync('log')) process.exit(3);
if (!['silent', 'garbage'].includes(mode)) {
  let held = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    held += chunk;
    const lines = held.split('\n');
    held = lines.pop();
    for (const line of lines) if (line.trim()) handle(JSON.parse(line));
  });
}
// It stays, whatever becomes of its input.
setInterval(() => {}, 1_000);
