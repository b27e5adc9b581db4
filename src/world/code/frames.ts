/** Frames on a byte stream: four bytes of length, big-endian, then UTF-8 text whose first character is a tag. */
import { readSync, writeSync } from 'node:fs';
import { LONGEST_FRAME } from './protocol.js';

const HEAD = 4;

export const frameOf = (tag: string, text: string): Buffer => {
  const body = Buffer.from(tag + text, 'utf8');
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
};

/** Feeds chunks in, gives whole frames to `take`. Answers false once a frame is longer than any may be. */
export const frameReader = (take: (tag: string, text: string) => void): ((chunk: Buffer) => boolean) => {
  let parts: Buffer[] = [];
  let size = 0;
  let wanted = HEAD;
  return (chunk) => {
    parts.push(chunk);
    size += chunk.length;
    while (size >= wanted) {
      const all = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      const length = all.readUInt32BE(0);
      if (length > LONGEST_FRAME) return false;
      if (size < HEAD + length) {
        parts = [all];
        wanted = HEAD + length;
        return true;
      }
      const text = all.toString('utf8', HEAD, HEAD + length);
      parts = [all.subarray(HEAD + length)];
      size -= HEAD + length;
      wanted = HEAD;
      take(text.charAt(0), text.slice(1));
    }
    return true;
  };
};

const readExactly = (fd: number, length: number): Buffer | undefined => {
  const into = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const got = readSync(fd, into, at, length - at, null);
    if (got === 0) return undefined;
    at += got;
  }
  return into;
};

/** Blocks for the next frame; undefined at the end of the stream. */
export const readFrame = (fd: number): { tag: string; text: string } | undefined => {
  const head = readExactly(fd, HEAD);
  const body = head && readExactly(fd, head.readUInt32BE());
  if (!body) return undefined;
  const text = body.toString('utf8');
  return { tag: text.charAt(0), text: text.slice(1) };
};

/** Blocks until the frame is written. */
export const writeFrame = (fd: number, tag: string, text: string): void => {
  const frame = frameOf(tag, text);
  for (let at = 0; at < frame.length; ) at += writeSync(fd, frame, at);
};
