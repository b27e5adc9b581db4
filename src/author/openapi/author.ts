/** An API document to services: what was understood of it, as tables and tools, and a report of everything that was not. */
import type { ServiceSpec } from '../../artifacts/service.js';
import { type ParsedDocument, parseDocumentText } from '../../document/parse.js';
import { isUnreadable } from '../../document/unreadable.js';
import { TreadleError } from '../../errors.js';
import { plural } from '../../kit/words.js';
import { compileVerb } from '../lexicon/compile.js';
import { mergeDocuments, type NamedDocument } from './merge.js';
import { partition, pruneLinks } from './packs.js';
import { nextStep } from './refuse.js';
import { type Built, emptyReport, reportOf, UNREAD } from './report.js';
import { buildService, type ServiceContext } from './service.js';
import { surfaceOf } from './surface.js';
import { pagingOf } from './tools.js';
import type { DocumentOptions, DocumentResult, OperationKind } from './types.js';
import { type Understanding, understand } from './understand.js';
import { COMPUTE, whyNoService } from './verdict.js';
import { weigh } from './weigh.js';

const MOST_TOOLS = 40;
const MOST_PACKS = 6;

const parsed = (text: string, options: DocumentOptions): ParsedDocument | DocumentResult => {
  try {
    return parseDocumentText(text, options.budget?.characters);
  } catch (thrown) {
    if (!(thrown instanceof TreadleError) || !isUnreadable(thrown.code)) throw thrown;
    const { code } = thrown;
    const refused = { code, reasons: [thrown.message], next: nextStep(code) };
    return { services: [], report: { ...emptyReport(), title: options.name, refused } };
  }
};

export const contextOf = (understanding: Understanding, options: DocumentOptions): ServiceContext => {
  const { document, context, entities, sightings, refs, datetime, index } = understanding;
  const paging = pagingOf(sightings);
  return {
    ...context,
    paging,
    index,
    document,
    options,
    most: options.budget?.tools ?? MOST_TOOLS,
    nouns: entities.flatMap(({ resource }) => [resource.noun, plural(resource.noun)]),
    surface: surfaceOf(document.root, refs, context.schemas, paging, datetime),
    compile: compileVerb,
    ids: new Set(),
  };
};

/**
 * What a write does to which row may be plain although nothing reads the row: a typed body to a collection, a change or a deletion
 * of what the path names. It is understood, but no agent could see what it did, so it becomes no tool.
 */
const writesUnread = ({ rejected }: Understanding, understood: Map<string, OperationKind>): void => {
  for (const { resource, why } of rejected) {
    if (why !== UNREAD) continue;
    for (const { op, kind, body, keyParam, keyElsewhere, single } of resource.sightings) {
      if (kind === 'action' || COMPUTE.test(`${op.path} ${op.id ?? ''}`)) continue;
      const typed = body !== undefined && body.item.properties.size > 0;
      const named = keyParam !== undefined || single === 'one' || (keyElsewhere && typed);
      if (kind === 'create' ? typed : kind === 'delete' ? named : named && typed) understood.set(op.label, kind);
    }
  }
};

const build = (understanding: Understanding, context: ServiceContext, options: DocumentOptions): Built => {
  const understood = new Map<string, OperationKind>();
  writesUnread(understanding, understood);
  const weighed = understanding.entities
    .map((entity) => weigh(entity, context, understood, understanding.why))
    .filter((one) => one.tools > 0 && one.value > 0);
  const services: ServiceSpec[] = [];
  const kept = new Set<string>();
  const homes = new Map<string, string>();
  for (const pack of partition(weighed, context.most, options.budget?.packs ?? MOST_PACKS)) {
    const entities = pack.map(({ entity }) => entity);
    pruneLinks(entities);
    const built = buildService(entities, context, (operation, why) => understanding.why.set(operation, why));
    if (!built) continue;
    services.push(built.spec);
    for (const { sighting } of built.drafts) kept.add(sighting.op.label);
    for (const { name } of entities) homes.set(name, built.spec.id);
  }
  return { services, understood, kept, homes };
};

/**
 * Reads OpenAPI 2.0, 3.0 or 3.1 text (JSON or YAML) into services of at most 40 tools each, and reports what became of every
 * operation. Never throws for what a document holds: a document that cannot become a service is refused with reasons.
 */
export const authorFromDocument = (text: string, options: DocumentOptions): DocumentResult =>
  authored([{ name: options.name, text }], options).result;

/**
 * The same for several documents of one product (`a.yaml b.yaml`), merged before they are judged. A document that cannot be read
 * refuses them all: half a product would be no product. `texts` has at least one entry.
 */
export const authorFromDocuments = (
  texts: readonly { name: string; text: string }[],
  options: DocumentOptions,
): DocumentResult => authored(texts, options).result;

/** What was understood on the way, for whoever puts the document's own API before its services. */
export interface Understood {
  understanding: Understanding;
  context: ServiceContext;
}

/** Services with what they were made of, which is absent where a document is refused. */
export const authored = (
  texts: readonly { name: string; text: string }[],
  options: DocumentOptions,
): { result: DocumentResult; understood?: Understood } => {
  const read: NamedDocument[] = [];
  for (const { name, text } of texts) {
    const document = parsed(text, texts.length === 1 ? options : { ...options, name });
    if ('services' in document) return { result: document };
    read.push({ name, document });
  }
  const understanding = understand(mergeDocuments(read));
  const context = contextOf(understanding, options);
  const built = build(understanding, context, options);
  const report = reportOf(understanding, built, options.name);
  if (built.services.length > 0)
    return { result: { services: [...built.services], report }, understood: { understanding, context } };
  return { result: { services: [], report: { ...report, refused: whyNoService(understanding, report) } } };
};
