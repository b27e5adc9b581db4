/** A list of tools to services: grouped by noun, compiled as an API document is, under the names that the list shows. */
import { ServiceSpec } from '../../artifacts/service.js';
import type { Provenance, Tool } from '../../artifacts/tool.js';
import { fitNames } from '../../serve/outside/names.js';
import { authorFromDocument } from '../openapi/author.js';
import type { DocumentOptions, DocumentResult } from '../openapi/types.js';
import { documentOf, type ListDocument } from './document.js';
import { groupTools, type PlacedTool, requiredOf } from './group.js';
import { readToolList, type ToolList } from './list.js';
import { manyAtOnce } from './many.js';

/** The list shows names and inputs; what a call does to rows is read from its words, unless its annotations or answer bear it out. */
const provenanceOf = (tool: Tool, { tool: listed, kind, verb, note }: PlacedTool): Provenance => {
  const reads = tool.writes.length === 0;
  const said =
    listed.output !== undefined ||
    (listed.readOnly === true && reads) ||
    (listed.destructive === true && kind === 'delete');
  const { effect, note: more } = tool.provenance;
  const notes = [note, more].filter(Boolean).join('; ');
  return {
    tier: kind === 'action' ? tool.provenance.tier : said ? 'spec' : 'lexicon',
    operation: listed.name,
    ...(effect ? { effect } : kind === 'action' ? {} : { effect: `lexicon:${verb || kind}@any` }),
    ...(notes ? { note: notes } : {}),
  };
};

/** What the list requires, the tool requires. */
const withRequired = (tool: Tool, { tool: { input } }: PlacedTool): Tool => {
  const required = requiredOf(input);
  const args = Object.entries(tool.args).map(([name, arg]) => [
    name,
    required.has(arg.field ?? name) ? { ...arg, required: true } : arg,
  ]);
  return { ...tool, args: Object.fromEntries(args) as Tool['args'] };
};

const asListed = (spec: ServiceSpec, document: ListDocument, title: string): ServiceSpec => {
  const entries = Object.entries(spec.tools).map(([name, tool]) => {
    const placed = document.tools.get(tool.provenance.operation ?? '');
    if (!placed) return { name, tool };
    const told = { ...withRequired(tool, placed), provenance: provenanceOf(tool, placed) };
    return { name: placed.tool.name, tool: placed.batch ? manyAtOnce(told, placed.key as string) : told };
  });
  const names = fitNames(
    entries.map(({ name }) => name),
    spec.id,
  );
  return ServiceSpec.parse({
    ...spec,
    source: { kind: 'mcp', ref: title },
    tools: Object.fromEntries(entries.map(({ tool }, i) => [names[i] as string, tool])),
  });
};

/** Of a list that was read already, from a file or a live server. Never throws for what the list holds: see `report.refused`. */
export const authorFromTools = (list: ToolList, options: DocumentOptions): DocumentResult => {
  const document = documentOf(groupTools(list.tools), options.name);
  const { services, report } = authorFromDocument(JSON.stringify(document.root), options);
  const nameOf = (operation: string): string => document.tools.get(operation)?.tool.name ?? operation;
  const unmapped = [
    ...report.unmapped.map(({ operation, why }) => ({ operation: nameOf(operation), why })),
    ...document.left,
    ...list.left,
  ];
  const { refused, ...rest } = report;
  return {
    services: services.map((spec) => asListed(spec, document, options.name)),
    report: {
      ...rest,
      title: options.name,
      version: 'tool list',
      operations: list.tools.length + list.left.length,
      unmapped,
      ...(refused
        ? {
            refused: {
              ...refused,
              reasons: [
                `None of the ${list.tools.length} tools keeps a thing that another one shows.`,
                ...unmapped.slice(0, 5).map(({ operation, why }) => `${operation}: ${why}.`),
              ],
              next: 'Give a list whose tools read and write the same things, or build from a brief.',
            },
          }
        : {}),
    },
  };
};

/** Reads the list from JSON text; throws `not_tool_list`. */
export const authorFromToolList = (text: string, options: DocumentOptions): DocumentResult =>
  authorFromTools(readToolList(text), options);
