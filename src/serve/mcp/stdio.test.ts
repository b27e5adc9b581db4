import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noteHost } from '../../../test/e2e/mcp-host.js';
import { serveStdio } from './stdio.js';

const rpc = (id: number, method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** Sends chunks, ends the input, and gives back the lines of the output, parsed. */
const talk = async (
  chunks: (string | Buffer)[],
  lineBytes?: number,
): Promise<{ id: unknown; error?: { code: number } }[]> => {
  const input = new PassThrough();
  const output = new PassThrough();
  const served = serveStdio({ host: noteHost(), input, output, ...(lineBytes === undefined ? {} : { lineBytes }) });
  for (const chunk of chunks) input.write(chunk);
  input.end();
  await served;
  output.end();
  const text = (await output.toArray()).join('');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

describe('stdio', () => {
  it('answers each line in order and ends with the input', async () => {
    const answers = await talk([`${rpc(1, 'ping')}\n\n  \r\n${rpc(2, 'tools/list')}\r\n${rpc(3, 'ping')}`]);
    expect(answers.map((answer) => answer.id)).toEqual([1, 2, 3]);
  });

  it('remembers what the handshake agreed on', async () => {
    const call = rpc(2, 'tools/call', { name: 'write_note', arguments: { title: 'a' } });
    const plain = await talk([`${call}\n`]);
    expect(plain[0]).not.toHaveProperty('result.structuredContent');
    const agreed = await talk([`${rpc(1, 'initialize', { protocolVersion: '2025-11-25' })}\n${call}\n`]);
    expect(agreed[1]).toHaveProperty('result.structuredContent', { title: 'a', size: 0 });
  });

  it('survives lines that are no message', async () => {
    const answers = await talk([
      'garbage\n',
      Buffer.from([0x22, 0xff, 0x22, 10]),
      '[]\n',
      '{}\n',
      `${rpc(9, 'ping')}\n`,
    ]);
    expect(answers.map((answer) => answer.error?.code ?? answer.id)).toEqual([-32700, -32700, -32600, -32600, 9]);
  });

  it('skips a line that is too long, whole, and goes on', async () => {
    const answers = await talk(['x'.repeat(60), 'x'.repeat(60), `${'x'.repeat(60)}\n${rpc(4, 'ping')}\n`], 100);
    expect(answers.map((answer) => answer.error?.code ?? answer.id)).toEqual([-32600, 4]);
  });

  it('reads the same however the bytes are cut', async () => {
    const bytes = Buffer.from(
      `${rpc(1, 'tools/call', { name: 'write_note', arguments: { title: 'größe ☃' } })}\n${rpc(2, 'tools/call', { name: 'list_notes' })}\n`,
    );
    const whole = await talk([bytes]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 }), async (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        expect(await talk(chunks.filter((chunk) => chunk.length > 0))).toEqual(whole);
      }),
      { numRuns: 50, seed: 3 },
    );
  });

  it('ends quietly when nobody reads any more', async () => {
    const input = new PassThrough();
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const served = serveStdio({ host: noteHost(), input, output });
    input.write(`${rpc(1, 'ping')}\n`);
    await expect(served).resolves.toBeUndefined();
  });

  it('waits for a slow reader', async () => {
    const input = new PassThrough();
    const lines: string[] = [];
    const output = new Writable({
      highWaterMark: 1,
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk));
        setImmediate(done);
      },
    });
    const served = serveStdio({ host: noteHost(), input, output });
    for (let id = 0; id < 50; id++) input.write(`${rpc(id, 'ping')}\n`);
    input.end();
    await served;
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(Array.from({ length: 50 }, (_, id) => id));
  });
});
