/** Writing JSON lines to files: with back pressure, and with errors that reach the caller. */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export const push = async (file: WriteStream, text: string): Promise<void> => {
  const hasRoom = file.write(text);
  // A stream that broke earlier never drains: waiting for it would hang.
  if (file.errored) throw file.errored;
  if (!hasRoom) await once(file, 'drain');
};

/** One line whatever reads it: some line readers also stop at these two separators, which JSON leaves as they are. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

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
