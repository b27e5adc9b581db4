/** Where the APIs of worlds come from: faces and documents by their addresses, as a corpus keeps them. */
import type { Face } from '../../../artifacts/face.js';
import type { ParsedDocument } from '../../../document/parse.js';

export interface FaceSource {
  /** Addresses of the faces of a world (by its content address), by service id; none where it has no API. */
  facesOf(world: string): Readonly<Record<string, string>>;
  /** Throws what reading it throws. */
  face(hash: string): Face;
  document(hash: string): ParsedDocument;
}
