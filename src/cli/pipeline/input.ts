/** What the user gave: a brief in words, a file with one, API documents, a list of tools, or a server that has one. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { isUrl, readDocument } from '../../author/openapi/read.js';
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import type { Own } from './own.js';

interface Given {
  text: string;
  name: string;
  hash: string;
  /** The user's rows and corrections. */
  own?: Own;
}

export type Input =
  | ({ kind: 'brief' /** It was read from a file. */; isFile?: true } & Given)
  | ({
      kind: 'document' /** Further documents of the same product. */;
      others?: { name: string; text: string }[];
    } & Given);

const kindOf = (path: string): 'file' | 'folder' | undefined => {
  try {
    const found = path.length < 4096 ? statSync(path) : undefined;
    return found?.isFile() ? 'file' : found?.isDirectory() ? 'folder' : undefined;
  } catch {
    return undefined;
  }
};

const PROSE = /\.(txt|md|markdown)$/i;
const PAGE = /\.html?$/i;

/** Nobody describes a business in one word that ends like a file or starts like a path. */
const looksLikeFile = (given: string): boolean =>
  /^[^\s]+\.(ya?ml|json|txt|md|markdown|html?)$|^(\.{1,2}|~)?\/[^\s]*$/i.test(given);

/**
 * Tells a brief from a document. A web page is read as words only where `takesPages` says that somebody can read them (a model).
 * Throws `missing_file`, `not_a_file` for a path that leads to none, `empty_brief` for nothing.
 */
export const readInput = async (given: string, takesPages = false): Promise<Input> => {
  const trimmed = given.trim();
  if (trimmed === '') {
    throw new TreadleError({
      code: 'empty_brief',
      message: 'The brief is empty',
      value: given,
      next: 'Describe the business in a sentence or two: treadle build "a bike rental in Utrecht".',
    });
  }
  const found = isUrl(trimmed) ? 'file' : kindOf(trimmed);
  // A folder may be called like a word of a brief; only one that was meant as a path is an error.
  if (found === 'folder' && /[\\/]/.test(trimmed))
    throw new TreadleError({
      code: 'not_a_file',
      message: 'This is a folder',
      value: trimmed,
      next: 'Give the document or the brief in it.',
    });
  if (found !== 'file') {
    if (looksLikeFile(trimmed))
      throw new TreadleError({
        code: 'missing_file',
        message: 'There is no such file',
        value: trimmed,
        next: 'Check the path, or give a brief in plain words.',
      });
    return { kind: 'brief', text: trimmed, name: 'brief', hash: sha256(trimmed) };
  }
  if (PROSE.test(trimmed) || (takesPages && PAGE.test(trimmed))) {
    const { text } = await readDocument(trimmed);
    return { kind: 'brief', text, name: basename(trimmed), hash: sha256(text), isFile: true };
  }
  const { text, name } = await readDocument(trimmed);
  return { kind: 'document', text, name, hash: sha256(text) };
};

/** Several documents of one product; the first names it. Throws `not_a_document` where one of several is a brief. */
export const readInputs = async (given: readonly string[], takesPages = false): Promise<Input> => {
  const [first, ...rest] = given;
  if (first === undefined || rest.length === 0) return readInput(first ?? '', takesPages);
  const read: Input[] = [];
  for (const one of given) read.push(await readInput(one, takesPages));
  const brief = read.findIndex(({ kind }) => kind === 'brief');
  if (brief >= 0)
    throw new TreadleError({
      code: 'not_a_document',
      message: 'Of several inputs each must be an API document',
      value: given[brief],
      next: 'Quote a brief that has several words, or give one input at a time.',
    });
  const [main, ...others] = read as [Input, ...Input[]];
  return {
    kind: 'document',
    text: main.text,
    name: main.name,
    hash: sha256(read.map(({ hash }) => hash).join('\n')),
    others: others.map(({ name, text }) => ({ name, text })),
  };
};

/** The list of a server's tools, which is a document like any other from then on. Throws what `listLive` throws. */
export const readServer = async (target: string): Promise<Input> => {
  // The MCP client is loaded by nobody else here.
  const { listLive } = await import('../../author/mcp/live.js');
  const { name, text } = await listLive(target);
  return { kind: 'document', text, name, hash: sha256(text) };
};
