/** What became of a document's operations: document.json in the corpus, and the short table a person reads. */
import { z } from 'zod';
import type { ServiceSpec } from '../../artifacts/service.js';
import { authorFromToolList } from '../../author/mcp/author.js';
import { isToolList } from '../../author/mcp/list.js';
import { authored, type Understood } from '../../author/openapi/author.js';
import type { DocumentReport, DocumentResult } from '../../author/openapi/types.js';
import type { Corpus } from '../../corpus/corpus.js';
import { exists, writeJson } from '../../corpus/files.js';
import { readListing } from '../../corpus/listings.js';

const DocumentOutcome = z.object({
  treadle: z.literal('document/1'),
  title: z.string(),
  /** Of the specification it is written in. */
  version: z.string(),
  entities: z.array(
    z.object({
      name: z.string(),
      columns: z.number(),
      tools: z.number(),
      /** Follows a life cycle that its verbs move along. */
      machine: z.boolean(),
      /** Undefined when nothing of it was taken up. */
      service: z.string().optional(),
    }),
  ),
  /** Every operation: the tool it became (`service.tool`), or why it became none. */
  operations: z.array(z.object({ operation: z.string(), tool: z.string().optional(), why: z.string().optional() })),
  refs: z.array(z.object({ ref: z.string(), why: z.string() })),
});
export type DocumentOutcome = z.infer<typeof DocumentOutcome>;

interface GivenDocument {
  text: string;
  name: string;
  /** Further documents of the same product. */
  others?: readonly { name: string; text: string }[];
}

/** An API document, several of one product, or a list of tools, by whichever compiler reads it; a list of tools has no API. */
export const readAsServices = (
  { text, name, others = [] }: GivenDocument,
  seed: string,
): { result: DocumentResult; understood?: Understood } =>
  others.length === 0 && isToolList(text)
    ? { result: authorFromToolList(text, { name, seed }) }
    : authored([{ name, text }, ...others], { name, seed });

/** `taken` are the services that go into the worlds, of all that the author made. */
export const outcomeOf = (
  report: DocumentReport,
  services: readonly ServiceSpec[],
  taken: readonly ServiceSpec[],
): DocumentOutcome => {
  type Went = DocumentOutcome['operations'][number];
  const went = services.flatMap((spec) =>
    Object.entries(spec.tools).flatMap(([name, { provenance }]): Went[] => {
      if (provenance.operation === undefined) return [];
      const tool = `${spec.id}.${name}`;
      return taken.includes(spec)
        ? [{ operation: provenance.operation, tool }]
        : [{ operation: provenance.operation, why: `a world has room for ${taken.length} services of a document` }];
    }),
  );
  const entities = report.entities.map(({ name, columns, tools, machine, service }) => ({
    name,
    columns,
    tools,
    machine,
    ...(service === undefined ? {} : { service }),
  }));
  const { title, version, refs } = report;
  return {
    treadle: 'document/1',
    title,
    version,
    entities,
    operations: [...went, ...report.unmapped.map(({ operation, why }) => ({ operation, why }))],
    refs: refs.map(({ ref, why }) => ({ ref, why })),
  };
};

export const keepOutcome = (corpus: Corpus, outcome: DocumentOutcome): void =>
  writeJson(corpus.path('document.json'), outcome);

export const readOutcome = (corpus: Corpus): DocumentOutcome | undefined => {
  const file = corpus.path('document.json');
  return exists(file) ? readListing(DocumentOutcome, file) : undefined;
};

/** Reasons with how many operations they kept out, the commonest first, each with the first operation as an example. */
export const reasonsOf = (outcome: DocumentOutcome): { why: string; n: number; example: string }[] => {
  const by = new Map<string, { why: string; n: number; example: string }>();
  for (const { operation, why } of outcome.operations) {
    if (why === undefined) continue;
    const entry = by.get(why) ?? { why, n: 0, example: operation };
    entry.n++;
    by.set(why, entry);
  }
  return [...by.values()].sort((a, b) => b.n - a.n || (a.why < b.why ? -1 : 1));
};

/** The table for a terminal: entities with their tools, then why the rest became none; at most `most` lines of each. */
export const outcomeLines = (outcome: DocumentOutcome, most = 8): string[] => {
  const mapped = outcome.operations.filter(({ tool }) => tool !== undefined).length;
  const reasons = reasonsOf(outcome);
  const more = (all: number): string[] => (all > most ? [`  and ${all - most} more, all in the report`] : []);
  const entities = outcome.entities.filter(({ service }) => service !== undefined);
  return [
    `${mapped} of ${outcome.operations.length} operations became tools`,
    ...entities
      .slice(0, most)
      .map(
        ({ name, columns, tools, machine, service }) =>
          `  ${name.padEnd(24)} ${String(tools).padStart(3)} tools  ${String(columns).padStart(3)} columns  ${service}${machine ? ', with a life cycle' : ''}`,
      ),
    ...more(entities.length),
    ...reasons.slice(0, most).map(({ why, n, example }) => `  ${String(n).padStart(3)} not: ${why} (${example})`),
    ...more(reasons.length),
  ];
};
