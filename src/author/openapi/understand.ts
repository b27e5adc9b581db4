/** Everything a document says, read once: operations, what each does to what, and the entities they speak of. */

import type { ParsedDocument } from '../../document/parse.js';
import { type Refs, refsOf } from '../../document/refs.js';
import { type EntityFinding, entitiesOf } from './entities.js';
import { type EntityIndex, indexOf, linkColumns, linkParents, linkParts } from './links.js';
import { linkMemberships } from './memberships.js';
import { operationsOf } from './operations.js';
import { placesOf } from './places.js';
import { linkRelations } from './relations.js';
import { resourcesOf } from './resources.js';
import { schemasOf } from './schema.js';
import { type Sighting, sightingsOf } from './sightings.js';
import { unifyInstants } from './surface.js';
import type { DocOperation } from './types.js';

export interface Understanding extends EntityFinding {
  document: ParsedDocument;
  refs: Refs;
  operations: DocOperation[];
  sightings: Sighting[];
  index: EntityIndex;
  datetime: 'iso' | 'unix' | 'unix_ms';
  /** Why an operation is no tool, by its label; later stages add to it. */
  why: Map<string, string>;
}

/** `every`: for a service that answers each operation of its document, where agents get the best ones. */
export const understand = (document: ParsedDocument, every = false): Understanding => {
  const refs = refsOf(document.root);
  const schemas = schemasOf(refs);
  const operations = operationsOf(document.root, refs, every);
  const { sightings, unmapped } = sightingsOf(operations, placesOf(operations, schemas, every), every);
  const { resources, links, memberships, related } = resourcesOf(sightings, every);
  const finding = entitiesOf(resources, schemas, every);
  const datetime = unifyInstants(finding.entities);
  const index = indexOf(finding.entities);
  linkParts(finding.entities, index);
  linkColumns(finding.entities, index);
  linkParents(finding.entities, index);
  const why = new Map(unmapped.map(({ op, why: reason }) => [op.label, reason] as const));
  for (const { op } of [...links, ...linkMemberships(memberships, index)])
    why.set(op.label, 'only links two things, and no column holds the link');
  for (const { op } of linkRelations(related, index))
    why.set(op.label, 'shows a row of another resource, found by a relation');
  for (const { resource, why: reason } of finding.rejected)
    for (const { op } of resource.sightings) why.set(op.label, reason);
  return { ...finding, document, refs, operations, sightings, index, datetime, why };
};
