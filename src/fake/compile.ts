/** API documents to a world that answers as them: one service with everything of the document, seeded, and its face. */
import type { Face } from '../artifacts/face.js';
import type { ServiceSpec } from '../artifacts/service.js';
import { assembleWorld, type BuiltWorld } from '../author/assemble.js';
import { drawClock } from '../author/catalogue/brief/clock.js';
import { drawCompany } from '../author/catalogue/brief/company.js';
import { readText } from '../author/catalogue/brief/text.js';
import type { WorldDraft } from '../author/draft.js';
import { authorFace } from '../author/face/author.js';
import { correctFace } from '../author/face/correct.js';
import { mergeDocuments } from '../author/openapi/merge.js';
import { identifier } from '../author/openapi/names.js';
import type { DocumentReport } from '../author/openapi/types.js';
import type { Overrides } from '../author/overrides/read.js';
import { attachOwnRows } from '../author/own-data/attach.js';
import type { OwnTable } from '../author/own-data/types.js';
import { type ParsedDocument, parseDocumentText } from '../document/parse.js';
import { rng } from '../kit/rng.js';
import type { Engine } from '../world/state/engine.js';

export interface FakeSource {
  /** One document, or several of one product. Texts of OpenAPI 2.0 to 3.1. */
  documents: readonly { name: string; text: string }[];
  seed: string;
  /** The user's own rows. */
  tables?: readonly OwnTable[] | undefined;
  overrides?: Overrides | undefined;
}

export interface CompiledFake {
  document: ParsedDocument;
  face: Face;
  report: DocumentReport;
  built: BuiltWorld;
}

/** A service with nothing in it, for documents behind which nothing can stand: every operation is answered by example then. */
const emptyService = (name: string, { title }: ParsedDocument): ServiceSpec => ({
  treadle: 'service/1',
  id: identifier(name, 'service', 40),
  title: title || name,
  description: 'Nothing of this document is kept between calls.',
  source: { kind: 'openapi', ref: title || name },
  tables: {},
  tools: {},
  surface: {
    dialect: 'document',
    fields: 'asis',
    args: 'asis',
    enums: 'asis',
    date: 'iso',
    datetime: 'iso',
    money: 'decimal',
    row: '$fields',
    one: '$fields',
    many: '$rows',
    done: { success: true },
    paging: 'none',
    error: { code: '$code', message: '$message' },
  },
});

/** Rows of all tables together, about: enough to page through, few enough to be made in a second. */
const ROWS = 1_500;
const LEAST_ROWS = 12;

/** Tables of a large document get fewer rows each; what has few keeps them, and so do parts of rows: these bound them. */
const thinned = (spec: ServiceSpec): ServiceSpec => {
  const most = Math.max(LEAST_ROWS, Math.floor(ROWS / Math.max(1, Object.keys(spec.tables).length)));
  const usual = 40;
  if (most >= usual) return spec;
  const tables = Object.entries(spec.tables).map(([name, table]) => {
    const isPart = table.cols[table.key.col]?.fk !== undefined;
    return [name, isPart ? table : { ...table, rows: Math.min(most, table.rows ?? most) }];
  });
  return { ...spec, tables: Object.fromEntries(tables) };
};

/** The company only lends the rows a country, a currency and people: reading its trade from the title would cost a second. */
const draftOf = (document: ParsedDocument, spec: ServiceSpec, seed: string): WorldDraft => {
  const draw = rng(seed, 'fake', spec.id);
  const { company } = drawCompany({
    brief: readText(document.title || spec.title),
    where: { code: 'US', city: undefined, evidence: [] },
    language: 'en',
    trade: undefined,
    pins: {},
    rng: draw.stream('company'),
  });
  return {
    id: spec.id,
    company,
    brief: { text: document.title || spec.title, evidence: [] },
    clock: drawClock(draw.stream('clock')),
    seed: `${seed}/fake`,
    services: [{ spec, role: 'domain', prefix: '' }],
    links: [],
    policies: [],
    invariants: [],
    processes: [],
  };
};

/** Throws what reading the documents throws, `bad_overrides`, `data_does_not_fit`. */
export const compileFake = (engine: Engine, { documents, seed, tables, overrides }: FakeSource): CompiledFake => {
  const parsed = documents.map(({ name, text }) => ({ name, document: parseDocumentText(text) }));
  const [first] = parsed as [{ name: string; document: ParsedDocument }];
  const document = parsed.length === 1 ? first.document : mergeDocuments(parsed);
  const { report, ...authored } = authorFace(document, { name: first.name, seed });
  const made = { spec: thinned(authored.spec ?? emptyService(first.name, document)), face: authored.face };
  const { spec, face } = overrides ? correctFace(document, made, overrides) : made;
  const bare = draftOf(document, spec, seed);
  const draft = tables && tables.length > 0 ? attachOwnRows(bare, tables) : bare;
  return { document, face, report, built: assembleWorld(engine, draft) };
};
