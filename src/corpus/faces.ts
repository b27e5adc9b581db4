/**
 * The HTTP APIs of a corpus's worlds: documents/ and faces/ hold each document and each face once, under its SHA-256, for however many
 * worlds; worlds/<id>/faces.json says which face stands before which of the world's services. A world is what it is without them.
 */
import { z } from 'zod';
import type { Face } from '../artifacts/face.js';
import { parseArtifact } from '../artifacts/registry.js';
import { Name } from '../artifacts/table.js';
import { Hash } from '../artifacts/world.js';
import { parseDocumentText } from '../document/parse.js';
import { TreadleError } from '../errors.js';
import { addressOf, sha256 } from '../kit/hash.js';
import type { FaceSource } from '../serve/face/worlds/source.js';
import type { Corpus } from './corpus.js';
import { exists, readBytes, readData, writeJson, writeWhole } from './files.js';
import { readListing } from './listings.js';

const FaceListing = z.strictObject({
  treadle: z.literal('faces/1'),
  /** Addresses of faces, by service id. */
  services: z.record(Name, Hash),
});

/** Faces with the document that they are of: its tree as JSON, as it was read. */
export interface KeptFaces {
  document: string;
  faces: readonly Face[];
}

const listingFile = (corpus: Corpus, world: string): string => corpus.path('worlds', world, 'faces.json');
const faceFile = (corpus: Corpus, hash: string): string => corpus.path('faces', `${hash}.json`);
const documentFile = (corpus: Corpus, hash: string): string => corpus.path('documents', `${hash}.json`);

/** What a file holds now is not what it is called by, or it is not there at all. */
const isWhole = (file: string, hash: string): boolean => exists(file) && sha256(readBytes(file)) === hash;

/** Keeps a document and its faces, once; a damaged one is written anew. */
export const keepFaces = (corpus: Corpus, { document, faces }: KeptFaces): void => {
  const hash = sha256(document);
  if (!isWhole(documentFile(corpus, hash), hash)) writeWhole(documentFile(corpus, hash), document);
  for (const face of faces) writeJson(faceFile(corpus, addressOf(face)), face);
};

/** Says which faces a world has; they are kept before. */
export const writeWorldFaces = (corpus: Corpus, world: string, faces: readonly Face[]): void => {
  const services = Object.fromEntries(faces.map((face) => [face.service, addressOf(face)]));
  writeJson(listingFile(corpus, world), { treadle: 'faces/1', services });
};

export const hasFaces = (corpus: Corpus, world: string): boolean => exists(listingFile(corpus, world));

/** Addresses of the world's faces by service; none for a world without an API. Throws `unreadable_file`. */
export const listFaces = (corpus: Corpus, world: string): Record<string, string> =>
  hasFaces(corpus, world) ? readListing(FaceListing, listingFile(corpus, world)).services : {};

const changed = (file: string, found: string): TreadleError =>
  new TreadleError({
    code: 'changed_file',
    message: `${file} is not what the corpus was built with`,
    value: found.slice(0, 12),
    next: 'Restore the file, or run the same treadle build again: it writes it anew.',
  });

/** Throws `missing_file`, `unreadable_file`, `bad_artifact` and `changed_file`. */
export const readFace = (corpus: Corpus, hash: string): Face => {
  const file = faceFile(corpus, hash);
  const face = parseArtifact('face', readData(file), file);
  const found = addressOf(face);
  if (found !== hash) throw changed(file, found);
  return face;
};

/** A document's text. Throws `missing_file` and `changed_file`. */
export const readDocumentOf = (corpus: Corpus, hash: string): string => {
  const file = documentFile(corpus, hash);
  const bytes = readBytes(file);
  const found = sha256(bytes);
  if (found !== hash) throw changed(file, found);
  return Buffer.from(bytes).toString('utf8');
};

/** For servers. `idOf`: the corpus's name of a world, by the world's content address. */
export const faceSource = (corpus: Corpus, idOf: (world: string) => string | undefined): FaceSource => {
  /** Asked for each session that is opened or forked. */
  const known = new Map<string, Readonly<Record<string, string>>>();
  return {
    facesOf: (hash) => {
      const found = known.get(hash);
      if (found) return found;
      const world = idOf(hash);
      const listed = world === undefined ? {} : listFaces(corpus, world);
      known.set(hash, listed);
      return listed;
    },
    face: (hash) => readFace(corpus, hash),
    document: (hash) => parseDocumentText(readDocumentOf(corpus, hash)),
  };
};
