/** Writing JSON lines to files: with back pressure, and with errors that reach the caller. */
import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export const push = async (file: WriteStream, text: string): Promise<void> => {
  const hasRoom = file.write(text);
  // A stream that broke earlier never drains: waiting for it would hang.
  if (file.errored) throw file.errored;
  if (!hasRoom) await once(file, 'drain');
};

/** One line whatever reads it: some line readers also stop at these two separators, which JSON leaves as they are. */
export const oneLine = (json: string): string => json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

export const jsonLine = (value: unknown): string => oneLine(JSON.stringify(value));

export const close = async (file: WriteStream): Promise<void> => {
  file.end();
  await finished(file);
};

export const opened = (path: string): WriteStream => {
  const file = createWriteStream(path);
  // The error reaches the caller through the next write or the close; without a listener it would end the process.
  file.on('error', () => undefined);
  return file;
};

/** The lines of a file, one at a time: no more is held than the longest line and a block. */
export const linesOf = async function* (path: string): AsyncGenerator<string> {
  const parts: Buffer[] = [];
  for await (const block of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = block.indexOf(10); end >= 0; end = block.indexOf(10, from)) {
      parts.push(block.subarray(from, end));
      yield Buffer.concat(parts.splice(0)).toString('utf8');
      from = end + 1;
    }
    if (from < block.length) parts.push(block.subarray(from));
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString('utf8');
};
