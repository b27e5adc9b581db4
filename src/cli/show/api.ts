/** The HTTP APIs that a world answers as, for a person and as data. */
import type { Face } from '../../artifacts/face.js';
import type { Corpus } from '../../corpus/corpus.js';
import { listFaces, readDocumentOf, readFace } from '../../corpus/faces.js';
import { parseDocumentText } from '../../document/parse.js';
import { TreadleError } from '../../errors.js';

export interface ShownApi {
  title: string;
  /** Address of the document. */
  document: string;
  services: string[];
  bound: number;
  operations: number;
}

/** Throws what reading faces and documents throws. */
export const apisOf = (corpus: Corpus, world: string): ShownApi[] => {
  const byDocument = new Map<string, Face[]>();
  for (const hash of Object.values(listFaces(corpus, world))) {
    const face = readFace(corpus, hash);
    byDocument.set(face.document, [...(byDocument.get(face.document) ?? []), face]);
  }
  return [...byDocument].map(([document, faces]) => {
    const bound = faces.reduce((sum, { bindings }) => sum + bindings.length, 0);
    return {
      title: parseDocumentText(readDocumentOf(corpus, document)).title,
      document,
      services: faces.map(({ service }) => service),
      bound,
      operations: bound + (faces[0]?.unbound.length ?? 0),
    };
  });
};

/** A world can be looked at though its API is damaged. */
export const apiLines = (corpus: Corpus, world: string): { apis: ShownApi[]; lines: string[] } => {
  try {
    const apis = apisOf(corpus, world);
    const lines = apis.map(
      ({ title, services, bound, operations }) =>
        `API ${title || services.join(', ')}: ${bound} of ${operations} operations keep state (${services.join(', ')}); treadle serve ${corpus.dir} --world ${world} --rest`,
    );
    return { apis, lines };
  } catch (thrown) {
    if (!(thrown instanceof TreadleError)) throw thrown;
    return { apis: [], lines: [`API cannot be served: ${thrown.line()}`] };
  }
};
