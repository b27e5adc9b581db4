/** A document's text, from a file or, only when a URL is given, from the web. */
import { readFile, stat } from 'node:fs/promises';
import { unreadable } from '../../document/unreadable.js';
import { TreadleError } from '../../errors.js';

const MAX_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

export interface ReadOptions {
  /** Most bytes to take; 32 MiB from the web, 64 MiB from a file. */
  maxBytes?: number;
  timeoutMs?: number;
}

export interface ReadText {
  text: string;
  /** File name without folder and ending, or the host; never a machine path. */
  name: string;
}

export const isUrl = (source: string): boolean => /^https?:\/\//i.test(source);

const nameOf = (path: string): string => {
  const base = path.split(/[\\/]/).filter(Boolean).at(-1) ?? 'document';
  return base.replace(/\.(json|ya?ml|txt)$/i, '') || 'document';
};

const unreachable = (url: string, why: string, cause?: unknown): TreadleError =>
  new TreadleError({
    code: 'unreachable',
    message: `The document could not be fetched: ${why}`,
    value: url,
    next: 'Check the address, or download the file and give its path.',
    isRetryable: true,
    cause,
  });

/** Fetches with a limit on bytes and time; throws `unreachable` or `too_large`. */
const fetchText = async (url: string, options: ReadOptions): Promise<string> => {
  const limit = options.maxBytes ?? MAX_BYTES;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS) });
    if (!answer.ok || !answer.body) throw unreachable(url, `the server answered ${answer.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      size += chunk.byteLength;
      if (size > limit) throw unreadable('too_large', `The document is larger than ${limit} bytes`, url);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (thrown) {
    if (thrown instanceof TreadleError) throw thrown;
    throw unreachable(url, thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
};

const readPath = async (path: string, limit: number): Promise<string> => {
  const info = await stat(path).catch((cause: unknown) => {
    throw new TreadleError({
      code: 'no_file',
      message: 'There is no such document',
      value: path,
      next: 'Check the path.',
      cause,
    });
  });
  if (!info.isFile())
    throw new TreadleError({
      code: 'no_file',
      message: 'This is not a file',
      value: path,
      next: 'Give the document itself.',
    });
  if (info.size > limit)
    throw unreadable('too_large', `The document has ${info.size} bytes, the limit is ${limit}`, path);
  return readFile(path, 'utf8');
};

/**
 * Reads a document named by a path or an http(s) URL; text that is itself a document (has a line break or starts with a brace)
 * is handed back as it is. Throws `no_file`, `unreachable` or `too_large`.
 */
export const readDocument = async (source: string, options: ReadOptions = {}): Promise<ReadText> => {
  if (/^\s*[{[]/.test(source) || source.includes('\n')) return { text: source, name: 'document' };
  if (isUrl(source)) return { text: await fetchText(source, options), name: nameOf(new URL(source).pathname) };
  return { text: await readPath(source, options.maxBytes ?? 2 * MAX_BYTES), name: nameOf(source) };
};
