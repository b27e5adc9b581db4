/** What the user gave: a brief in words, a file with one, or an API document. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { isUrl, readDocument } from '../../author/openapi/read.js';
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';

export type Input =
  | { kind: 'brief'; text: string; name: string; hash: string }
  | { kind: 'document'; text: string; name: string; hash: string };

const kindOf = (path: string): 'file' | 'folder' | undefined => {
  try {
    const found = path.length < 4096 ? statSync(path) : undefined;
    return found?.isFile() ? 'file' : found?.isDirectory() ? 'folder' : undefined;
  } catch {
    return undefined;
  }
};

/** Nobody describes a business in one word that ends like a file or starts like a path. */
const looksLikeFile = (given: string): boolean => /^[^\s]+\.(ya?ml|json|txt|md)$|^(\.{1,2}|~)?\/[^\s]*$/i.test(given);

/** Tells a brief from a document. Throws `missing_file`, `not_a_file` for a path that leads to none, `empty_brief` for nothing. */
export const readInput = async (given: string): Promise<Input> => {
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
  if (/\.(txt|md)$/i.test(trimmed)) {
    const { text } = await readDocument(trimmed);
    return { kind: 'brief', text, name: basename(trimmed), hash: sha256(text) };
  }
  const { text, name } = await readDocument(trimmed);
  return { kind: 'document', text, name, hash: sha256(text) };
};
