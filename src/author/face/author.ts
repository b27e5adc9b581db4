/** A document as the service behind its own HTTP API: every operation that anything in the document grounds has a tool of its own. */
import type { Face } from '../../artifacts/face.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { ParsedDocument } from '../../document/parse.js';
import { sha256 } from '../../kit/hash.js';
import { contextOf } from '../openapi/author.js';
import { NO_PLACE, reportOf } from '../openapi/report.js';
import type { DocumentReport, OperationKind } from '../openapi/types.js';
import { understand } from '../openapi/understand.js';
import { faceService } from './service.js';

export interface FaceOptions {
  /** The service's id is made from it. */
  name: string;
  seed: string;
}

export interface AuthoredFace {
  /** Undefined where nothing in the document can hold state. */
  spec: ServiceSpec | undefined;
  face: Face;
  report: DocumentReport;
}

/** Never throws for what a document holds. Deterministic in (document, options). */
export const authorFace = (document: ParsedDocument, options: FaceOptions): AuthoredFace => {
  const understanding = understand(document, true);
  const { entities, why } = understanding;
  const context = contextOf(understanding, options);
  const made =
    entities.length === 0 ? undefined : faceService(entities, context, (label, reason) => why.set(label, reason));
  const bindings = made?.bindings ?? [];
  const bound = new Set(bindings.map(({ operation }) => operation));
  const understood = new Map<string, OperationKind>(
    (made?.drafts ?? []).map(({ sighting }) => [sighting.op.label, sighting.kind]),
  );
  const spec = made !== undefined && bindings.length > 0 ? made.spec : undefined;
  const services = spec ? [spec] : [];
  const homes = new Map(entities.map(({ name }) => [name, spec?.id ?? '']));
  const report = reportOf(understanding, { services, understood, kept: bound, homes }, options.name);
  const unbound = understanding.operations
    .filter(({ label }) => !bound.has(label))
    .map(({ label }) => ({ operation: label, why: why.get(label) ?? NO_PLACE }));
  const face: Face = {
    treadle: 'face/1',
    service: spec?.id ?? context.options.name,
    document: sha256(JSON.stringify(document.root)),
    bindings,
    unbound,
  };
  return { spec, face, report };
};
