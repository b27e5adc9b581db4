import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from './read.js';

const folder = mkdtempSync(join(tmpdir(), 'treadle-read-'));
let server: Server;
let base = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/shop.yaml') response.end('openapi: 3.0.0');
    else if (request.url === '/big') response.end('x'.repeat(5000));
    else if (request.url === '/slow') setTimeout(() => response.end('late'), 60_000).unref();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: { code?: string }) => error.code ?? 'untyped',
  );

describe('readDocument', () => {
  it('reads a file and names it without folder and ending', async () => {
    const path = join(folder, 'Depot API.yaml');
    writeFileSync(path, 'openapi: 3.0.0');
    expect(await readDocument(path)).toEqual({ text: 'openapi: 3.0.0', name: 'Depot API' });
  });

  it('hands back text that is a document already', async () => {
    expect((await readDocument('{"openapi": "3.0.0"}')).text).toBe('{"openapi": "3.0.0"}');
    expect((await readDocument('openapi: 3.0.0\npaths: {}')).name).toBe('document');
  });

  it('fetches only what is asked for by URL', async () => {
    expect(await readDocument(`${base}/shop.yaml`)).toEqual({ text: 'openapi: 3.0.0', name: 'shop' });
  });

  it('tells what went wrong', async () => {
    writeFileSync(join(folder, 'large.json'), 'x'.repeat(100));
    expect(await codeOf(readDocument(join(folder, 'none.yaml')))).toBe('no_file');
    expect(await codeOf(readDocument(folder))).toBe('no_file');
    expect(await codeOf(readDocument(join(folder, 'large.json'), { maxBytes: 10 }))).toBe('too_large');
    expect(await codeOf(readDocument(`${base}/none`))).toBe('unreachable');
    expect(await codeOf(readDocument(`${base}/big`, { maxBytes: 1000 }))).toBe('too_large');
    expect(await codeOf(readDocument(`${base}/slow`, { timeoutMs: 50 }))).toBe('unreachable');
    expect(await codeOf(readDocument('http://127.0.0.1:1/x'))).toBe('unreachable');
  });
});
