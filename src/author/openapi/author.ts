/** An API document to services: what was understood of it, as tables and tools, and a report of everything that was not. */
import { TreadleError } from '../../errors.js';
import { plural } from '../../kit/words.js';
import { compileVerb } from '../lexicon/compile.js';
import { verbOf } from './actions.js';
import type { Entity } from './entities.js';
import { entitiesOf } from './entities.js';
import { indexOf, linkColumns, linkParents } from './links.js';
import { operationsOf } from './operations.js';
import { partition, pruneLinks, type Weighed } from './packs.js';
import { type ParsedDocument, parseDocumentText } from './parse.js';
import { placesOf } from './places.js';
import { refsOf } from './refs.js';
import { nextStep } from './refuse.js';
import { resourcesOf } from './resources.js';
import { schemasOf } from './schema.js';
import { buildService, type ServiceContext } from './service.js';
import { sightingsOf } from './sightings.js';
import { surfaceOf, unifyInstants } from './surface.js';
import { pagingOf, plainTools } from './tools.js';
import type { DocumentOptions, DocumentReport, DocumentResult, RefusalCode } from './types.js';
import { whyNoService } from './verdict.js';

const MOST_TOOLS = 40;
const MOST_PACKS = 6;

const emptyReport = (): DocumentReport => ({
  title: '',
  version: '',
  operations: 0,
  entities: [],
  classified: { list: 0, get: 0, create: 0, update: 0, delete: 0, search: 0, action: 0, unmapped: 0 },
  tools: 0,
  unmapped: [],
  scoped: [],
  refs: [],
});

const REFUSALS = new Set<string>(['not_openapi', 'truncated', 'too_large']);

const parsed = (text: string, options: DocumentOptions): ParsedDocument | DocumentResult => {
  try {
    return parseDocumentText(text, options.budget?.characters);
  } catch (thrown) {
    if (!(thrown instanceof TreadleError) || !REFUSALS.has(thrown.code)) throw thrown;
    const code = thrown.code as RefusalCode;
    return {
      services: [],
      report: { ...emptyReport(), refused: { code, reasons: [thrown.message], next: nextStep(code) } },
    };
  }
};

const weigh = (entity: Entity, context: ServiceContext): Weighed => {
  const plainOnes = plainTools(entity, context, () => undefined);
  const verbs = entity.resource.sightings.filter(
    (sighting) =>
      sighting.kind === 'action' &&
      verbOf(entity, sighting, context.nouns, {
        ...entity.table,
        cols: Object.fromEntries([...entity.columns.facts].map(([name, fact]) => [name, fact.column])),
      }),
  );
  const writes = plainOnes.filter(({ tool }) => tool.writes.length > 0).length + verbs.length;
  const reads = plainOnes.some(({ tool }) => tool.writes.length === 0);
  const value =
    plainOnes.reduce((sum, draft) => sum + draft.value, 0) +
    Math.min(verbs.length, 8) * 4 +
    Math.min(entity.columns.facts.size, 20) / 4;
  return {
    entity,
    tools: plainOnes.length + verbs.length,
    writes: reads ? writes : 0,
    value: reads ? (writes > 0 ? value : value / 3) : 0,
  };
};

/**
 * Reads OpenAPI 2.0, 3.0 or 3.1 text (JSON or YAML) into services of at most 40 tools each, and reports what became of every
 * operation. Never throws for what a document holds: a document that cannot become a service is refused with reasons.
 */
export const authorFromDocument = (text: string, options: DocumentOptions): DocumentResult => {
  const document = parsed(text, options);
  if ('services' in document) return document;
  const { root } = document;
  const refs = refsOf(root);
  const schemas = schemasOf(refs);
  const operations = operationsOf(root, refs);
  const places = placesOf(operations, schemas);
  const { sightings, unmapped } = sightingsOf(operations, places);
  const { entities, rejected, context } = entitiesOf(resourcesOf(sightings), schemas);
  const datetime = unifyInstants(entities);
  const index = indexOf(entities);
  linkColumns(entities, index);
  linkParents(entities, index);
  const serviceContext: ServiceContext = {
    ...context,
    paging: pagingOf(sightings),
    document,
    options,
    most: options.budget?.tools ?? MOST_TOOLS,
    nouns: entities.flatMap((entity) => [entity.resource.noun, plural(entity.resource.noun)]),
    surface: surfaceOf(root, refs, schemas, pagingOf(sightings), datetime),
    compile: compileVerb,
    ids: new Set(),
  };
  const report: DocumentReport = {
    ...emptyReport(),
    title: document.title || options.name,
    version: document.version,
    operations: operations.length,
  };
  const why = new Map<string, string>();
  for (const { op, why: reason } of unmapped) why.set(op.label, reason);
  for (const { resource, why: reason } of rejected) for (const { op } of resource.sightings) why.set(op.label, reason);

  const weighed = entities
    .map((entity) => weigh(entity, serviceContext))
    .filter((one) => one.tools > 0 && one.value > 0);
  const packs = partition(weighed, serviceContext.most, options.budget?.packs ?? MOST_PACKS);
  const services: DocumentResult['services'] = [];
  const kept = new Map<string, { operation: string; kind: keyof DocumentReport['classified'] }>();
  const homes = new Map<string, string>();
  for (const pack of packs) {
    pruneLinks(pack.map((one) => one.entity));
    const built = buildService(
      pack.map((one) => one.entity),
      serviceContext,
      (op, reason) => why.set(op, reason),
    );
    if (!built) continue;
    services.push(built.spec);
    for (const draft of built.drafts)
      kept.set(draft.sighting.op.label, { operation: draft.sighting.op.label, kind: draft.sighting.kind });
    for (const { entity } of pack) homes.set(entity.name, built.spec.id);
  }
  for (const operation of operations) {
    const tool = kept.get(operation.label);
    if (tool) report.classified[tool.kind]++;
    else {
      report.classified.unmapped++;
      report.unmapped.push({
        operation: operation.label,
        why: why.get(operation.label) ?? 'its resource found no place in a pack',
      });
    }
  }
  report.tools = services.reduce((sum, spec) => sum + Object.keys(spec.tools).length, 0);
  report.entities = entities.map((entity) => ({
    name: entity.name,
    noun: entity.table.noun,
    schema: entity.resource.schema,
    columns: entity.columns.facts.size,
    key: entity.columns.keyCol,
    fks: [...entity.columns.facts.values()].filter(({ column }) => column.fk !== undefined).length,
    machine: entity.table.machine !== undefined,
    tools: services.reduce(
      (sum, spec) =>
        sum +
        Object.values(spec.tools).filter((tool) => homes.get(entity.name) === spec.id && tool.table === entity.name)
          .length,
      0,
    ),
    service: homes.get(entity.name),
  }));
  report.scoped = [
    ...new Set(
      sightings.flatMap((sighting) =>
        sighting.parents.filter((one) => !index.byPlace(one.place)).map((one) => one.param),
      ),
    ),
  ].sort();
  report.refs = refs.problems();
  if (services.length === 0) report.refused = whyNoService(operations, sightings, report);
  return { services, report };
};
