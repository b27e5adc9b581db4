/** One document through the compiler, and what is counted of it. */
import type { ServiceSpec } from '../../src/artifacts/service.js';
import { authorFromDocument, authorFromDocuments } from '../../src/author/openapi/author.js';
import { elapsedMs } from '../../src/kit/clock.js';
import type { Engine } from '../../src/world/state/engine.js';
import { isLarge, textOf } from './directory.js';
import { prove } from './prove.js';

export interface Tried {
  name: string;
  /** False for documents with fewer than four operations, of which nothing else is counted. */
  large: boolean;
  operations: number;
  mapped: number;
  stateful: number;
  services: number;
  tools: number;
  refused: string | undefined;
  /** Why operations are not mapped, with how many and the first of them. */
  reasons: Record<string, { n: number; example: string }>;
  ms: number;
  /** One entry a service, when services were to be proved. */
  proofs: { service: string; pass: boolean; repaired: boolean; failed: string[] }[];
}

const proofOf = (engine: Engine, spec: ServiceSpec, seed: string): Tried['proofs'][number] => {
  const proof = prove(engine, spec, seed);
  return {
    service: spec.id,
    pass: proof.pass && proof.dropped.length === 0,
    repaired: proof.pass,
    failed: [
      ...proof.dropped.map(({ tool, why }) => `${tool}: ${why}`),
      ...proof.failed.map(({ validator, evidence }) => `${validator}: ${evidence[0] ?? ''}`),
    ],
  };
};

export const tryOne = (name: string, seed: string, engine: Engine | undefined): Tried => {
  const text = textOf(name);
  const none = { name, operations: 0, mapped: 0, stateful: 0, services: 0, tools: 0, refused: undefined };
  if (!isLarge(text)) return { ...none, large: false, reasons: {}, ms: 0, proofs: [] };
  const start = elapsedMs();
  const { services, report } = authorFromDocument(text, { name: name.replace(/\.json$/, ''), seed });
  const ms = elapsedMs() - start;
  const reasons: Tried['reasons'] = {};
  for (const { operation, why, kind } of report.unmapped) {
    if (kind !== undefined) continue;
    const plain = why.replace(/"[^"]*"/g, '"..."');
    reasons[plain] ??= { n: 0, example: `${name} ${operation}` };
    reasons[plain].n++;
  }
  return {
    name,
    large: true,
    operations: report.operations,
    mapped: report.operations - report.classified.unmapped,
    stateful: report.entities.filter((entity) => entity.stateful).length,
    services: services.length,
    tools: report.tools,
    refused: report.refused?.code,
    reasons,
    ms,
    proofs: engine ? services.map((spec) => proofOf(engine, spec, seed)) : [],
  };
};

/** Providers whose files are products of their own, or versions of one. */
const SEPARATE = /^(amazonaws|googleapis|apisetu\.gov|github|microsoft)\./;

/** Which product a document is a file of: the provider's only one, or Azure's word before the dash. */
export const productOf = (name: string): string => {
  const [provider = '', file = ''] = name.split('/');
  if (SEPARATE.test(provider)) return name;
  return provider === 'azure.com' ? `${provider}/${file.replace(/\.json$/, '').split('-')[0]}` : provider;
};

/** How many stateful resources the files of one product hold together. */
export const tryMerged = (names: readonly string[], seed: string): number => {
  const texts = names.map((name) => ({ name: name.replace(/\.json$/, ''), text: textOf(name) }));
  const { report } = authorFromDocuments(texts, { name: names[0] ?? 'product', seed });
  return report.entities.filter((entity) => entity.stateful).length;
};
