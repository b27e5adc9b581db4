/** MCP over stdio: one session, one JSON-RPC message a line. Nothing else is ever written to the output. */
import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { ToolHost } from '../tool-host.js';
import type { Outlet } from './connection.js';
import { mcpHandler } from './handler.js';
import { ErrorCode, failure, type Reply, textOf } from './messages.js';
import type { McpOptions } from './methods.js';
import type { Exchange } from './route.js';

export interface ServeStdioOptions {
  host: ToolHost;
  input: Readable;
  output: Writable;
  mcp?: McpOptions;
  /** Bytes of one line; 4 MiB when absent. */
  lineBytes?: number;
}

const NEWLINE = 10;

/** The lines of a byte stream without their ends; `undefined` stands for one that was too long to keep. */
async function* linesOf(input: Readable, limit: number): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer): void => {
    size += part.length;
    if (size <= limit) parts.push(part);
    else parts = [];
  };
  const take = (): Buffer | undefined => {
    const line = size <= limit ? Buffer.concat(parts, size) : undefined;
    parts = [];
    size = 0;
    return line;
  };
  for await (const piece of input) {
    let chunk: Buffer = typeof piece === 'string' ? Buffer.from(piece) : (piece as Buffer);
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE)) {
      add(chunk.subarray(0, at));
      yield take();
      chunk = chunk.subarray(at + 1);
    }
    add(chunk);
  }
  if (size > 0) yield take();
}

/** Serves until the input ends or the output breaks; resolves either way. */
export const serveStdio = async (options: ServeStdioOptions): Promise<void> => {
  const { host, input, output, mcp, lineBytes = 4_194_304 } = options;
  const handle = mcpHandler(mcp);
  let isBroken = false;
  const gone = new AbortController();
  const outlet: Outlet = {
    send: (message) => {
      if (!isBroken) output.write(`${message}\n`);
      return !isBroken;
    },
    gone: gone.signal,
  };
  // There only where a scenario may have something to say ahead of an answer.
  const exchange: Exchange = { connection: {}, ...(host.hearing ? { outlet } : {}) };

  const replyTo = (line: Buffer | undefined): Reply | Promise<Reply> | undefined => {
    if (line === undefined) return failure(null, ErrorCode.invalidRequest, `A message has at most ${lineBytes} bytes`);
    if (!isUtf8(line)) return failure(null, ErrorCode.parse, 'The message is not UTF-8');
    const text = line.toString('utf8').trim();
    if (text === '') return undefined;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return failure(null, ErrorCode.parse, 'The message is not JSON');
    }
    return handle(host, value, exchange);
  };

  const breaks = (): void => {
    isBroken = true;
    gone.abort();
    input.destroy();
  };
  output.on('error', breaks);
  try {
    for await (const line of linesOf(input, lineBytes)) {
      const body = (await replyTo(line))?.body;
      if (body !== undefined && !output.write(`${textOf(body)}\n`)) await once(output, 'drain');
      if (isBroken) break;
    }
  } catch (thrown) {
    // A reader that went away is how a client says goodbye; anything else is ours to report.
    if (!isBroken) throw thrown;
  }
};
