import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { type Body, type Bytes, readBody, readBytes } from './body.js';

const LIMIT = 8;

/** What the reader said of a body that is sent in parts; without a length where `isChunked`. */
const told =
  <T>(read: (request: Parameters<typeof readBody>[0], done: (said: T) => void) => void) =>
  async (parts: (string | Uint8Array)[], isChunked = false): Promise<T> => {
    const said: T[] = [];
    const server = createServer((request, response) =>
      read(request, (body) => {
        said.push(body);
        response.writeHead(200, { connection: 'close' }).end();
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    await new Promise<void>((resolve) => {
      const headers: Record<string, string> = isChunked ? {} : { 'content-length': String(length) };
      const sent = ask({ port, host: '127.0.0.1', method: 'POST', headers }, (answer) =>
        answer.resume().on('end', resolve),
      );
      sent.on('error', () => resolve());
      for (const part of parts) sent.write(part);
      sent.end();
    });
    server.closeAllConnections();
    server.close();
    expect(said).toHaveLength(1);
    return said[0] as T;
  };

const text = told<Body>((request, done) => readBody(request, LIMIT, done));
const bytes = told<Bytes>((request, done) => readBytes(request, LIMIT, done));
const drained = told<Bytes>((request, done) => readBytes(request, LIMIT, done, { drain: 1_000 }));

it('takes bodies up to the limit, in parts or whole, with and without a length', async () => {
  for (const isChunked of [false, true]) {
    expect(await text(['1234', '5678'], isChunked)).toEqual({ text: '12345678' });
    expect(await text(['ü', 'ü'], isChunked)).toEqual({ text: 'üü' });
    expect(Buffer.from((await bytes([new Uint8Array([255, 0])], isChunked)) as Buffer)).toEqual(Buffer.from([255, 0]));
    expect(await text([new Uint8Array([255, 254])], isChunked)).toEqual({ fault: 'not_utf8' });
  }
  expect(await text([])).toEqual({ text: '' });
  expect(await bytes([])).toBeUndefined();
  expect(await bytes([], true)).toBeUndefined();
});

it('tells of bodies that are too large, at once or when some more of them is taken', async () => {
  for (const isChunked of [false, true]) {
    expect(await text(['123456789'], isChunked)).toEqual({ fault: 'too_large' });
    expect(await bytes(['1234', '56789'], isChunked)).toBe('too_large');
    expect(await drained(['x'.repeat(500), 'y'.repeat(400)], isChunked)).toBe('too_large');
    expect(await drained(['x'.repeat(5_000)], isChunked)).toBe('too_large');
    expect(String(await drained(['12345678'], isChunked))).toBe('12345678');
  }
});
