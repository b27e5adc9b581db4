/** What a test gave to start a world from: a document as text, object, path or URL, or a world of a corpus folder. */
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isUrl, readDocument } from '../../author/openapi/read.js';
import { TreadleError } from '../../errors.js';

/** A world that `treadle build` made. */
export interface BuiltGiven {
  /** The corpus folder. */
  corpus: string | URL;
  /** Its id; the corpus's only world when absent. */
  world?: string;
}

/**
 * A document's text, path (an http or file address too), or the document itself as an object; several of one product in a list; a
 * corpus folder's path, or one with the world's id.
 */
export type WorldGiven = string | URL | object | BuiltGiven | readonly (string | URL | object)[];

export type ReadGiven =
  | { kind: 'documents'; documents: { name: string; text: string }[] }
  | { kind: 'built'; corpus: string; world: string | undefined };

const isText = (given: string): boolean => /^\s*[{[]/.test(given) || given.includes('\n');

const pathOf = (given: string | URL): string => {
  const text = String(given);
  return text.startsWith('file:') ? fileURLToPath(text) : text;
};

const isFolder = (path: string): boolean =>
  !isText(path) && !isUrl(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const isBuilt = (given: object): given is BuiltGiven => 'corpus' in given && !('openapi' in given);

const documentOf = async (given: unknown): Promise<{ name: string; text: string }> => {
  if (typeof given === 'string' || given instanceof URL) return readDocument(pathOf(given));
  if (typeof given === 'object' && given !== null) return { name: 'document', text: JSON.stringify(given) };
  throw new TreadleError({
    code: 'no_document',
    message: 'There is nothing to start a world from',
    value: given === undefined ? 'undefined' : given,
    next: 'Give an OpenAPI document (a path, a URL, its text, or the object), or a corpus folder.',
  });
};

/** Throws `no_document`, `no_file`, `unreachable` or `too_large`. */
export const readGiven = async (given: WorldGiven): Promise<ReadGiven> => {
  if (Array.isArray(given) && given.length > 0)
    return { kind: 'documents', documents: await Promise.all(given.map(documentOf)) };
  if (typeof given === 'string' || given instanceof URL) {
    const path = pathOf(given);
    if (isFolder(path)) return { kind: 'built', corpus: path, world: undefined };
  } else if (typeof given === 'object' && given !== null && !Array.isArray(given) && isBuilt(given))
    return { kind: 'built', corpus: pathOf(given.corpus), world: given.world };
  return { kind: 'documents', documents: [await documentOf(Array.isArray(given) ? undefined : given)] };
};
