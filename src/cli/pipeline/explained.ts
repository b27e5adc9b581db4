/** What the operations of a document, or of the document that a world was built from, will do. */
import { statSync } from 'node:fs';
import { authorFace } from '../../author/face/author.js';
import { correctFace } from '../../author/face/correct.js';
import { type Explained, explainAll } from '../../author/face/explain.js';
import { mergeDocuments } from '../../author/openapi/merge.js';
import { isUrl } from '../../author/openapi/read.js';
import { listFaces, readDocumentOf, readFace } from '../../corpus/faces.js';
import { type HttpOperation, httpOperations } from '../../document/http.js';
import { type ParsedDocument, parseDocumentText } from '../../document/parse.js';
import { refsOf } from '../../document/refs.js';
import { TreadleError } from '../../errors.js';
import { chosenWorlds } from '../chosen-worlds.js';
import { readInputs } from './input.js';
import { withOwn } from './own.js';

export interface ExplainedDocument {
  title: string;
  operations: readonly HttpOperation[];
  all: Explained[];
}

const operationsIn = ({ root }: ParsedDocument): HttpOperation[] => httpOperations(root, refsOf(root));

const ofDocument = async (given: string, seed: string, overrides: string | undefined): Promise<ExplainedDocument> => {
  const input = await withOwn(await readInputs([given]), given, overrides === undefined ? {} : { overrides });
  if (input.kind !== 'document')
    throw new TreadleError({
      code: 'not_a_document',
      message: 'This is no API document',
      value: given,
      next: 'Give an OpenAPI document as JSON or YAML, or a corpus folder.',
    });
  const { name, text, others = [], own } = input;
  const parsed = [{ name, text }, ...others].map((one) => ({ name: one.name, document: parseDocumentText(one.text) }));
  const document = mergeDocuments(parsed);
  const { spec, face } = authorFace(document, { name, seed });
  const made = spec && own?.overrides ? correctFace(document, { spec, face }, own.overrides) : { spec, face };
  const operations = operationsIn(document);
  const labels = operations.map(({ label }) => label);
  return { title: document.title, operations, all: explainAll(made.spec, made.face, labels) };
};

const NEXT = 'Served from the document itself it may have a tool: treadle explain and treadle serve api.yaml --rest.';

/** Throws `no_world`, `which_world`, `no_face`, and what reading faces and documents throws. */
const ofWorld = (dir: string, wanted: string | undefined): ExplainedDocument[] => {
  const { corpus, worlds } = chosenWorlds(dir, wanted);
  const [world = ''] = worlds;
  if (worlds.length > 1)
    throw new TreadleError({
      code: 'which_world',
      message: `The corpus has ${worlds.length} worlds`,
      value: dir,
      next: `Say which: --world ${world}.`,
    });
  const faces = Object.values(listFaces(corpus, world)).map((hash) => readFace(corpus, hash));
  if (faces.length === 0)
    throw new TreadleError({
      code: 'no_face',
      message: 'The world was not built from an API document, or by a Treadle that did not keep it',
      value: world,
      next: 'Build it again from its document: treadle build api.yaml --out DIR.',
    });
  const { services, world: spec } = corpus.readDescription(world);
  const prefixOf = (service: string): string => spec.services.find(({ id }) => id === service)?.prefix ?? '';
  return [...new Set(faces.map(({ document }) => document))].map((hash) => {
    const document = parseDocumentText(readDocumentOf(corpus, hash));
    const operations = operationsIn(document);
    const labels = operations.map(({ label }) => label);
    const each = faces
      .filter((face) => face.document === hash)
      .map((face) => {
        const own = services.find(({ id }) => id === face.service);
        return explainAll(own, face, labels).map((one) =>
          one.tool === undefined ? one : { ...one, tool: prefixOf(face.service) + one.tool },
        );
      });
    const all = labels.map((_, i) => {
      const own = each.map((one) => one[i] as Explained);
      return own.find(({ isBound }) => isBound) ?? { ...(own[0] as Explained), next: NEXT };
    });
    return { title: document.title, operations, all };
  });
};

/** `given`: a document, or a corpus folder. Throws what reading them throws. */
export const explainedIn = async (
  given: string,
  { seed, overrides, world }: { seed: string; overrides?: string; world?: string },
): Promise<ExplainedDocument[]> =>
  !isUrl(given) && statSync(given, { throwIfNoEntry: false })?.isDirectory()
    ? ofWorld(given, world)
    : [await ofDocument(given, seed, overrides)];
