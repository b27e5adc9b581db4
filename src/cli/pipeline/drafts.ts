/** Drafts of an input: one a world, each from its own seed. */

import type { ServiceSpec } from '../../artifacts/service.js';
import { authorFromBrief, type Pins } from '../../author/catalogue/author.js';
import type { WorldDraft } from '../../author/draft.js';
import { packedFaces } from '../../author/face/packed.js';
import type { DocumentReport } from '../../author/openapi/types.js';
import { applyOverrides } from '../../author/overrides/apply.js';
import { placeDocument } from '../../author/place-document.js';
import type { KeptFaces } from '../../corpus/faces.js';
import { TreadleError } from '../../errors.js';
import { type DocumentOutcome, outcomeOf, readAsServices } from './document.js';
import type { Input } from './input.js';
import { withOwnIn } from './own.js';
import { type Briefs, briefAt } from './sweep.js';

/** Where the worlds of a build come from; a model takes its time. */
export interface Drafts {
  /** The draft of slot `index`; `attempt` above 0 after an earlier one failed certification. */
  draft(index: number, attempt: number): WorldDraft | Promise<WorldDraft>;
}

export interface Drafting extends Drafts {
  draft(index: number, attempt: number): WorldDraft;
  /** What became of a document. */
  document?: DocumentOutcome;
  /** The document as an API before the worlds' services. */
  faces?(): KeptFaces;
}

/** Services of a document that fit into one world beside the three of the core: a world connection takes ten. */
const MOST_SERVICES = 5;

const seedOf = (seed: string, index: number, attempt: number): string =>
  `${seed}/${index + 1}${attempt > 0 ? `/r${attempt}` : ''}`;

/** Corrections come before the document is placed: links and rules then speak of what is corrected. */
const corrected = (read: readonly ServiceSpec[], { own }: Input, report: DocumentReport): ServiceSpec[] => {
  if (!own?.overrides) return [...read];
  const services = applyOverrides(read, own.overrides);
  const kept = new Set(operationsIn(services));
  for (const operation of operationsIn(read))
    if (!kept.has(operation)) report.unmapped.push({ operation, why: 'dropped by the overrides' });
  // What was renamed is reported under its new name.
  for (const [i, { id, tables }] of read.entries())
    for (const [at, name] of Object.keys(tables).entries()) {
      const entity = report.entities.find((one) => one.service === id && one.name === name);
      if (entity) entity.name = Object.keys(services[i]?.tables ?? {})[at] ?? name;
    }
  return services;
};

const operationsIn = (services: readonly ServiceSpec[]): string[] =>
  services.flatMap(({ tools }) => Object.values(tools).flatMap(({ provenance }) => provenance.operation ?? []));

const fromDocument = (input: Input, seed: string, pins: Pins): Drafting => {
  const { result, understood } = readAsServices(input, seed);
  const { services: read, report } = result;
  if (report.refused) {
    const { code, reasons, next } = report.refused;
    throw new TreadleError({ code, message: reasons.join('; '), value: input.name, next });
  }
  const services = corrected(read, input, report);
  const tables = input.own?.tables;
  const packs: ServiceSpec[] = services.slice(0, MOST_SERVICES);
  return {
    document: outcomeOf(report, services, packs),
    ...(understood
      ? {
          faces: () => ({
            document: JSON.stringify(understood.understanding.document.root),
            faces: packedFaces(understood, packs),
          }),
        }
      : {}),
    draft: (index, attempt) => {
      const placed = placeDocument({ title: report.title, services: packs, seed: seedOf(seed, index, attempt), pins });
      return tables ? withOwnIn(placed, { tables }) : placed;
    },
  };
};

const fromBriefs = (briefs: Briefs, seed: string): Drafting => ({
  draft: (index, attempt) => {
    const { text, pins } = briefAt(briefs, index);
    return authorFromBrief(text, { seed: seedOf(seed, index, attempt), pins });
  },
});

/** Reads the input once; throws what the author says of a bad one. Of many briefs, each is read when its slot comes. */
export const draftsOf = (input: Input | Briefs, seed: string, pins: Pins = {}): Drafting => {
  if (input.kind === 'briefs') return fromBriefs(input, seed);
  if (input.kind === 'document') return fromDocument(input, seed, pins);
  const { text, own } = input;
  return {
    draft: (index, attempt) => {
      const draft = authorFromBrief(text, { seed: seedOf(seed, index, attempt), pins });
      return own ? withOwnIn(draft, own) : draft;
    },
  };
};
